"""Settings of a command line, `path=value`, and those that would undo others. Loads nothing."""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing takes its time: see longfat.cli.start
if TYPE_CHECKING:
    from collections.abc import Iterable


class TextOfFile(str):
    """What a file has, to be set; `said` is how the command line names it (``@steps.csv``)."""

    said: str

    def __new__(cls, text: str, said: str) -> TextOfFile:
        """The text with what is said in its place."""
        new = super().__new__(cls, text)
        new.said = said
        return new


def undone_by(path: str, earlier: Iterable[str]) -> str | None:
    """The first of the `earlier` paths within `path`: its setting is lost if that comes after it.

    The same path again is no mistake: the last one counts.
    """
    within = (f"{path}.", f"{path}[")
    return next((other for other in earlier if other.startswith(within)), None)
