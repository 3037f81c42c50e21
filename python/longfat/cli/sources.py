"""Sources that verbs are given: a scenario, a study, a store, traces or a table.

One of another kind is refused before it is read, with the command that takes it.
"""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from longfat.base.errors import LongfatError
from longfat.base.location import shown
from longfat.studies.kinds import Source, source_at

_OF_KIND: Mapping[Source, str] = {
    "scenario": "longfat run {0}",
    "study": "longfat study run {0}",
    "file of claims": "longfat check {0}",
    "description of orbits": "longfat schedule from-orbit {0}",
    "situation": "longfat test-controller CONTROL --situation {0}",
    "store": "longfat view {0}",
    "folder of traces": "longfat plot three-panel {0} -o run.png",
    "table": "longfat analyze {0} --factors A,B --response METRIC",
}
"""Commands that take a source of each kind."""

_IN_PLACE: Mapping[tuple[str, Source], str] = {
    ("scenario", "store"): "longfat run --from {0} RUN",
    ("study", "store"): "longfat study compare STUDY --store {0}",
    ("folder of traces", "scenario"): "longfat run {0} --trace traces",
    ("folder of traces", "store"): "longfat run --from {0} RUN --trace traces",
    ("folder of traces", "study"): (
        "longfat run --from longfat.db RUN --trace traces   # longfat study plan {0} --runs has RUN"
    ),
    ("analysis", "study"): "longfat analyze {0} --response METRIC --json > analysis.json",
    ("analysis", "table"): f"{_OF_KIND['table']} --json > analysis.json",
}
"""Commands that lead from a source of the second kind to the first, which is wanted."""

_ANALYSIS = "the output of longfat analyze --json"


class SourceType(click.ParamType[str]):
    """The path of a source of one of the kinds `wanted`, or anything of no certain kind."""

    name = "text"

    def __init__(self, *wanted: Source) -> None:
        self.wanted = wanted

    def convert(
        self, value: Any, _parameter: click.Parameter | None, _context: click.Context | None
    ) -> str:
        """Return the path. Raises `LongfatError` for a source of another kind."""
        check_source(str(value), *self.wanted)
        return str(value)


def check_source(location: str, *wanted: Source | str) -> None:
    """Raise `LongfatError` for a source that is certainly of another kind than those `wanted`."""
    found = source_at(Path(location)) or _shipped(location, *wanted)
    if found is None or found in wanted:
        return
    command = _IN_PLACE.get((wanted[0], found), _OF_KIND[found])
    expected = " or ".join(_ANALYSIS if kind == "analysis" else f"a {kind}" for kind in wanted)
    raise LongfatError(
        f"{shown(location)}: a {found}, and {expected} is expected; it goes into\n"
        f"  {command.format(shlex.quote(location))}"
    )


def _shipped(location: str, *wanted: Source | str) -> Source | None:
    """Return "study" for the name of a shipped study, but not where a store may be created."""
    if "store" in wanted or Path(location).exists():
        return None
    from longfat.studies.definition import shipped_studies

    return "study" if location in shipped_studies() else None


_EXTRA = re.compile(r"unexpected extra arguments? \((\S+)")

_LOOKS_LIKE_STORE = re.compile(r"\.(db|sqlite3?)$|://")


def with_place_of_store(error: click.UsageError) -> click.UsageError:
    """Return an error about a store in the wrong place with the place that this verb has for it.

    Any other error is returned as it is.
    """
    command = error.ctx.command if error.ctx is not None else None
    stores = [
        parameter
        for parameter in (command.params if command is not None else ())
        if isinstance(parameter.type, SourceType) and "store" in parameter.type.wanted
    ]
    if not stores:
        return error
    option = stores[0].opts[0] if isinstance(stores[0], click.Option) else None
    if isinstance(error, click.NoSuchOption) and error.option_name == "--store":
        place = f"with {option}" if option else "without an option"
        return click.UsageError(f"No such option '--store': a store is given {place}.", error.ctx)
    extra = _EXTRA.search(error.message)
    if option and extra and _is_store(extra[1].rstrip(")")):
        return click.UsageError(f"{error.message}; a store is given with {option}", error.ctx)
    return error


def _is_store(location: str) -> bool:
    is_named_so = _LOOKS_LIKE_STORE.search(location) is not None
    return is_named_so or source_at(Path(location)) == "store"
