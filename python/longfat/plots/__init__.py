"""The named plots: each is one file that collects rows from a source and draws them.

The rows that are drawn are the rows that a `.csv` output holds. A new plot is a module with
`SUMMARY`, `SOURCE`, `collect` and `draw`, and a line in `PLOTS`.
"""

import csv
import difflib
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

from longfat.errors import LongfatError
from longfat.files import written_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLOTS = {
    "cwnd": "longfat.plots.cwnd",
    "queue": "longfat.plots.queue",
    "throughput": "longfat.plots.throughput",
    "three-panel": "longfat.plots.three_panel",
    "time-sequence": "longfat.plots.time_sequence",
    "capacity": "longfat.plots.capacity",
    "completion-time": "longfat.plots.completion_time",
    "efficiency-fairness": "longfat.plots.efficiency_fairness",
    "reference": "longfat.plots.reference",
    "buffer-efficiency": "longfat.plots.buffer_efficiency",
    "ledger": "longfat.plots.ledger",
    "main-effects": "longfat.plots.main_effects",
    "interactions": "longfat.plots.interactions",
    "variation": "longfat.plots.variation",
    "residuals": "longfat.plots.residuals",
}

FORMATS = (".svg", ".pdf", ".png", ".html", ".csv")

Row = Mapping[str, Any]

Source = Literal["traces", "study", "ledgers", "analysis"]
"""Folders of traces, comparisons or ledgers of a study, or the document of an analysis."""

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
_CLIP = re.compile(r"(?<=url\(#)p[0-9a-f]{10}(?=\))|(?<=clipPath id=\")p[0-9a-f]{10}(?=\")")


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
    part of a run to show, in seconds.
    """

    rows: str | None = None
    columns: str | None = None
    colors: str | None = None
    markers: str | None = None
    flow: int = 1
    start_s: float | None = None
    end_s: float | None = None

    def layout(self, columns: str, colors: str | None = None) -> Layout:
        """The layout, `columns` and `colors` being the plot's own; colours follow columns."""
        followed = self.columns or colors or columns
        plain = Layout()
        return Layout(
            rows=self.rows or plain.rows,
            columns=self.columns or columns,
            colors=self.colors or (colors if colors is not None else followed),
            markers=self.markers or plain.markers,
        )


PLAIN = Options()


class Plot(Protocol):
    """What a module of this package offers."""

    SUMMARY: str
    SOURCE: Source

    def collect(self, source: Any, options: Options, /) -> list[Row]:
        """The rows to draw: factors with their levels, or series over time, and numbers."""

    def draw(
        self, figure: "Figure", rows: Sequence[Row], options: Options = PLAIN, source: Any = ()
    ) -> None:
        """Draw the rows into an empty figure; `source` is what they were collected from."""


def find(kind: str) -> Plot:
    """The plot of this name. Raises `LongfatError` when there is none, with the nearest name."""
    if kind not in PLOTS:
        near = difflib.get_close_matches(kind, PLOTS, n=1)
        meant = f"; did you mean {near[0]!r}?" if near else ""
        raise LongfatError(f"no plot is called {kind!r}{meant}; plots: {', '.join(PLOTS)}")
    return cast("Plot", import_module(PLOTS[kind]))


def check_formats(outputs: Sequence[Path]) -> None:
    """Raise `LongfatError` for an output whose suffix is no known format."""
    for output in outputs:
        if output.suffix not in FORMATS:
            raise LongfatError(f"{output}: the suffix must be one of {', '.join(FORMATS)}")


def write(
    plot: Plot,
    rows: Sequence[Row],
    output: Path,
    options: Options = PLAIN,
    source: Any = (),
    command: str = "",
) -> None:
    """Draw rows into a picture, or write them as CSV, by the suffix of `output`.

    A page of HTML names the `command` that makes it. Raises `LongfatError` when the file cannot be
    written; then no half of it is left.
    """
    with written_whole(output) as temporary:
        if output.suffix == ".csv":
            temporary.write_text(_csv(rows), encoding="utf-8")
        elif output.suffix == ".html":
            from longfat.plots.page import page

            picture = io.StringIO()
            _save(plot, rows, options, source, picture, ".svg")
            text = page(plot.SUMMARY, picture.getvalue(), _csv(rows), output.stem, command)
            temporary.write_text(text, encoding="utf-8")
        else:
            _save(plot, rows, options, source, temporary, output.suffix)


def _csv(rows: Sequence[Row]) -> str:
    text = io.StringIO(newline="")
    columns = dict.fromkeys(column for row in rows for column in row)
    writer = csv.DictWriter(text, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _save(
    plot: Plot, rows: Sequence[Row], options: Options, source: Any, file: Any, suffix: str
) -> None:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        figure = Figure(layout="constrained")
        plot.draw(figure, rows, options, source)
        settings: dict[str, Any] = {"dpi": _DOTS_PER_INCH, "metadata": _NO_DATE[suffix]}
        if suffix != ".svg":
            figure.savefig(file, format=suffix.removeprefix("."), **settings)
            return
        drawn = io.StringIO()
        figure.savefig(drawn, format="svg", **settings)
    text = _with_counted_clips(drawn.getvalue())
    if isinstance(file, Path):
        file.write_text(text, encoding="utf-8")
    else:
        file.write(text)


def _with_counted_clips(svg: str) -> str:
    """The same picture with its clip paths numbered as they come.

    matplotlib names them after their exact corners, whose last digits the layout may round
    differently from one drawing to the next.
    """
    names: dict[str, str] = {}
    return _CLIP.sub(lambda found: names.setdefault(found[0], f"clip{len(names) + 1}"), svg)
