"""Sources, rows, options and output formats of plots."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from longfat.base.errors import LongfatError

FORMATS = (".svg", ".pdf", ".png", ".html", ".csv")

Row = Mapping[str, Any]

Source = Literal["traces", "study", "ledgers", "analysis"]
"""Source of a plot: traces, comparisons or ledgers of a study, or an analysis document."""


@dataclass(frozen=True)
class Layout:
    """Factors assigned to rows, columns, colours and markers of a picture with many panels.

    A factor that the rows do not have is ignored.
    """

    rows: str = "config"
    columns: str = "policy"
    colors: str = "policy"
    markers: str = "sources"


@dataclass(frozen=True)
class Options:
    """Options of a plot; None selects the plot's own default.

    The first four are factors of a study; `flow` is the number of a flow; `start_s` and `end_s` are
    the part of a run to show, in seconds. A plot uses those that its `OPTIONS` lists.
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
        """Return the layout, with the plot's defaults `columns` and `colors` (as columns if None).

        `factors` are those of the rows to plot. The first unassigned ones replace defaults among
        `parts` that are factors of other studies.
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
        """Names of the options that the user has set."""
        return [option.name for option in fields(self) if getattr(self, option.name) is not None]


PLAIN = Options()


def check_formats(outputs: Sequence[Path]) -> None:
    """Raise `LongfatError` for an output with an unknown suffix."""
    for output in outputs:
        if output.suffix not in FORMATS:
            raise LongfatError(f"{output}: the suffix must be one of {', '.join(FORMATS)}")
