"""Libraries that a plain installation does without, and the extras of longfat that bring them.

Simulations, checks, studies and comparisons need none of them: together these libraries have three
times the size of everything else.
"""

import sys
from collections.abc import Mapping, Sequence

from longfat.base.errors import LongfatError

EXTRAS: Mapping[str, Sequence[str]] = {
    "analysis": ("polars", "scipy"),
    "plots": ("matplotlib", "polars"),
    "ui": ("markdown_it", "polars", "starlette", "tomli_w", "uvicorn"),
    "cluster": ("distributed", "dask_jobqueue"),
    "learning": ("gymnasium",),
    "postgresql": ("psycopg",),
}
"""Modules that each extra of `pyproject.toml` brings; the first extra with a module is named."""


class MissingExtra(LongfatError, ModuleNotFoundError):
    """A library of an extra that is not installed; the message has the command to install it."""

    def __init__(self, what: str, libraries: Sequence[str], extra: str) -> None:
        named = ", ".join(libraries)
        super().__init__(
            f"{what} needs {named}, not installed here; to get it: pip install 'longfat[{extra}]'"
        )


def need(extra: str, what: str, *libraries: str) -> None:
    """Raise `MissingExtra` unless libraries of an extra are installed; all of them by default."""
    absent = [library for library in libraries or EXTRAS[extra] if _is_absent(library)]
    if absent:
        raise MissingExtra(what, absent, extra)


def missing_extra(error: Exception, what: str) -> MissingExtra | None:
    """Return the failure of an import as `MissingExtra`; None for all that no extra brings."""
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return None
    library = error.name.partition(".")[0]
    extra = next((extra for extra, brought in EXTRAS.items() if library in brought), None)
    return None if extra is None else MissingExtra(what, [library], extra)


def _is_absent(library: str) -> bool:
    from importlib.util import find_spec

    try:
        return find_spec(library) is None
    except ValueError:  # a module that was made rather than found
        return sys.modules.get(library) is None
