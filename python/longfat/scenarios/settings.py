"""Settings of a command line, `path=value`, and conflicts between them. Imports nothing."""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing takes its time: see longfat.cli.start
if TYPE_CHECKING:
    from collections.abc import Iterable


class TextOfFile(str):
    """The content of a file as a setting; `said` is its name in messages (``@steps.csv``)."""

    said: str

    def __new__(cls, text: str, said: str) -> TextOfFile:
        """Create the text with the name that stands for it in messages."""
        new = super().__new__(cls, text)
        new.said = said
        return new


def undone_by(path: str, earlier: Iterable[str]) -> str | None:
    """Return the first of the `earlier` paths inside `path`, which a later `path` overwrites.

    Setting the identical path again is allowed: the last setting applies.
    """
    within = (f"{path}.", f"{path}[")
    return next((other for other in earlier if other.startswith(within)), None)
