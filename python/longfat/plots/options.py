"""The options of plots, their formats, and the rows that they draw."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from longfat.base.errors import LongfatError

FORMATS = (".svg", ".pdf", ".png", ".html", ".csv")

Row = Mapping[str, Any]

Source = Literal["traces", "study", "ledgers", "analysis"]
"""Folders of traces, comparisons or ledgers of a study, or the document of an analysis."""


@dataclass(frozen=True)
class Layout:
    """What each factor of a study decides in a picture with many panels.

    A factor that the rows do not have decides nothing.
    """

    rows: str = "config"
    columns: str = "policy"
    colors: str = "policy"
    markers: str = "sources"


@dataclass(frozen=True)
class Options:
    """What the user says about a plot; None leaves it to the plot.

    The first four are factors of a study; `flow` is the number of a flow, `start_s` and `end_s` the
    part of a run to show, in seconds. A plot heeds those that its `HEEDS` names.
    """

    rows: str | None = None
    columns: str | None = None
    colors: str | None = None
    markers: str | None = None
    flow: int | None = None
    start_s: float | None = None
    end_s: float | None = None

    def layout(
        self,
        columns: str,
        colors: str | None = None,
        factors: Sequence[str] = (),
        parts: Sequence[str] = ("rows", "columns"),
    ) -> Layout:
        """The layout, `columns` and `colors` being the plot's own; colours follow columns.

        Of `factors`, those of the rows to draw, the first that nothing else needs take the `parts`
        that were meant for factors of other studies.
        """
        plain = Layout()
        own = {"rows": plain.rows, "columns": columns, "markers": plain.markers}
        if colors is not None:
            own["colors"] = colors
        chosen = {part: getattr(self, part) or factor for part, factor in own.items()}
        free = [factor for factor in factors if factor not in chosen.values()]
        for part in parts:
            if free and getattr(self, part) is None and chosen[part] not in factors:
                chosen[part] = free.pop(0)
        return Layout(**{"colors": self.colors or chosen["columns"], **chosen})

    @property
    def said(self) -> list[str]:
        """The names of what the user says."""
        return [option.name for option in fields(self) if getattr(self, option.name) is not None]


PLAIN = Options()


def check_formats(outputs: Sequence[Path]) -> None:
    """Raise `LongfatError` for an output whose suffix is no known format."""
    for output in outputs:
        if output.suffix not in FORMATS:
            raise LongfatError(f"{output}: the suffix must be one of {', '.join(FORMATS)}")
