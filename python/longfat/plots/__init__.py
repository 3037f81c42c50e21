"""The named plots. Each is one file that collects rows from comparisons and draws them.

The rows that are drawn are the rows that a `.csv` output holds. A new plot is a module with
`SUMMARY`, `collect` and `draw`, and a line in `PLOTS`.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from longfat.comparison import TableComparison
from longfat.errors import LongfatError
from longfat.files import written_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLOTS = {
    "efficiency-fairness": "longfat.plots.efficiency_fairness",
}

FORMATS = (".svg", ".pdf", ".png", ".csv")

Row = Mapping[str, Any]

# The same data gives the same bytes: no dates, and identifiers that do not depend on the moment.
_STYLE: dict[Any, Any] = {
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "longfat",
    "pdf.fonttype": 42,
}
_NO_DATE = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}
_DOTS_PER_INCH = 200


@dataclass(frozen=True)
class Layout:
    """What each factor of a study decides in a picture with many panels.

    A factor that the rows do not have decides nothing.
    """

    rows: str = "config"
    columns: str = "policy"
    colors: str = "policy"
    markers: str = "sources"


PLAIN = Layout()


class Plot(Protocol):
    """What a module of this package offers."""

    SUMMARY: str

    def collect(self, tables: Sequence[TableComparison]) -> list[Row]:
        """The rows to draw: factors with their levels, and numbers."""

    def draw(self, figure: "Figure", rows: Sequence[Row], layout: Layout) -> None:
        """Draw the rows into an empty figure."""


def find(kind: str) -> Plot:
    """The plot of this name. Raises `LongfatError` when there is none."""
    if kind not in PLOTS:
        raise LongfatError(f"no plot is called {kind!r}; plots: {', '.join(PLOTS)}")
    return cast("Plot", import_module(PLOTS[kind]))


def check_formats(outputs: Sequence[Path]) -> None:
    """Raise `LongfatError` for an output whose suffix is no known format."""
    for output in outputs:
        if output.suffix not in FORMATS:
            raise LongfatError(f"{output}: the suffix must be one of {', '.join(FORMATS)}")


def write(plot: Plot, rows: Sequence[Row], output: Path, layout: Layout = PLAIN) -> None:
    """Draw rows into a picture, or write them as CSV, by the suffix of `output`.

    Raises `LongfatError` when the file cannot be written; then no half of it is left.
    """
    with written_whole(output) as temporary:
        if output.suffix == ".csv":
            _write_csv(rows, temporary)
        else:
            _write_picture(plot, rows, temporary, layout)


def _write_csv(rows: Sequence[Row], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        columns = dict.fromkeys(column for row in rows for column in row)
        writer = csv.DictWriter(file, list(columns), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _write_picture(plot: Plot, rows: Sequence[Row], path: Path, layout: Layout) -> None:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        figure = Figure(layout="constrained")
        plot.draw(figure, rows, layout)
        figure.savefig(path, dpi=_DOTS_PER_INCH, metadata=_NO_DATE[path.suffix])
