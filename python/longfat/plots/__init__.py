"""The named plots: each is one file that collects rows from a source and makes a picture of them.

The rows that are drawn are the rows that a `.csv` output holds. A new plot is a module with
`SUMMARY`, `SOURCE`, `HEEDS`, `collect` and `picture`, and a line in `PLOTS`.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from longfat.base.errors import LongfatError
from longfat.base.suggestions import nearest
from longfat.plots.options import PLAIN, Options, Row, Source

if TYPE_CHECKING:
    from longfat.plots.figure import Figure
    from longfat.plots.picture import Picture

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
    "responses": "longfat.plots.responses",
    "ledger": "longfat.plots.ledger",
    "main-effects": "longfat.plots.main_effects",
    "interactions": "longfat.plots.interactions",
    "variation": "longfat.plots.variation",
    "residuals": "longfat.plots.residuals",
}


class NothingToDraw(LongfatError):
    """The source is good, but has nothing of what the plot shows."""


class Plot(Protocol):
    """What a module of this package offers."""

    SUMMARY: str
    SOURCE: Source
    HEEDS: Sequence[str]

    def collect(self, source: Any, options: Options, /) -> list[Row]:
        """The rows to draw: factors with their levels, or series over time, and numbers."""

    def picture(self, rows: Sequence[Row], options: Options = PLAIN, source: Any = ()) -> "Picture":
        """The picture of the rows; `source` is what they were collected from."""


def find(kind: str) -> Plot:
    """The plot of this name. Raises `LongfatError` when there is none, with the nearest name."""
    if kind not in PLOTS:
        meant = nearest(kind, PLOTS)
        raise LongfatError(f"no plot is called {kind!r}{meant}; plots: {', '.join(PLOTS)}")
    return cast("Plot", import_module(PLOTS[kind]))


SPELLED = {"start_s": "--from", "end_s": "--to"}
"""Options whose names on the command line are others."""


def check_heeded(kind: str, options: Options) -> None:
    """Raise `LongfatError` if something is said that the plot does not heed."""
    heeds = find(kind).HEEDS
    idle = [name for name in options.said if name not in heeds]
    if idle:
        spelled = [", ".join(SPELLED.get(name, f"--{name}") for name in names)
                   for names in (idle, heeds)]  # fmt: skip
        raise LongfatError(f"{kind} has no {spelled[0]}; it has {spelled[1] or 'no such options'}")


def draw(kind: str, source: Any, options: Options = PLAIN, command: str = "") -> "Figure":
    """The plot of this name of a source, as an object with every face it has.

    `source` is what the plot's `SOURCE` says: folders of traces, the comparisons or ledgers of a
    study, or an analysis. `command` is the one that draws it again. Raises `LongfatError` where
    there is nothing to draw, for an unknown name and for options that the plot does not heed.
    """
    from longfat.plots.figure import Figure

    plot = find(kind)
    check_heeded(kind, options)
    rows = plot.collect(source, options)
    if not rows:
        raise NothingToDraw(f"there is nothing that {kind} could draw")
    return Figure(kind, plot.SUMMARY, rows, plot.picture(rows, options, source), command)
