"""Registry of plots: a plot is a module that collects rows from a source and builds a picture.

A `.csv` output holds the rows that are plotted. A new plot is a module with `SUMMARY`, `SOURCE`,
`OPTIONS` (the options that it uses), `collect` and `picture`, and a line in `PLOTS`.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from longfat.base.errors import LongfatError
from longfat.base.extras import need
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
    "phase-plane": "longfat.plots.phase_plane",
    "completion-time": "longfat.plots.completion_time",
    "delay": "longfat.plots.delay",
    "efficiency-fairness": "longfat.plots.efficiency_fairness",
    "reference": "longfat.plots.reference",
    "buffer-efficiency": "longfat.plots.buffer_efficiency",
    "responses": "longfat.plots.responses",
    "throughput-delay": "longfat.plots.throughput_delay",
    "ledger": "longfat.plots.ledger",
    "main-effects": "longfat.plots.main_effects",
    "interactions": "longfat.plots.interactions",
    "variation": "longfat.plots.variation",
    "residuals": "longfat.plots.residuals",
    "orbit": "longfat.plots.orbit",
}


class NothingToDraw(LongfatError):
    """Raised for a valid source without data for the plot."""


class Plot(Protocol):
    """Interface of a module with a plot; `OPTIONS` lists the options that it uses."""

    SUMMARY: str
    SOURCE: Source
    OPTIONS: Sequence[str]

    def collect(self, source: Any, options: Options, /) -> list[Row]:
        """Return the rows to plot: values with factor levels, or with series and time."""

    def picture(self, rows: Sequence[Row], options: Options = PLAIN, source: Any = ()) -> "Picture":
        """Return the picture of the rows, which were collected from `source`."""


def find(kind: str) -> Plot:
    """Return the plot of this name.

    Raises `LongfatError` for an unknown name, with the nearest known one.
    """
    if kind not in PLOTS:
        meant = nearest(kind, PLOTS)
        raise LongfatError(f"no plot is called {kind!r}{meant}; plots: {', '.join(PLOTS)}")
    return cast("Plot", import_module(PLOTS[kind]))


SPELLED = {"start_s": "--from", "end_s": "--to"}
"""Options with a different name on the command line."""


def check_options(kind: str, options: Options) -> None:
    """Raise `LongfatError` for options that the plot does not use."""
    used = find(kind).OPTIONS
    idle = [name for name in options.said if name not in used]
    if idle:
        spelled = [", ".join(SPELLED.get(name, f"--{name}") for name in names)
                   for names in (idle, used)]  # fmt: skip
        raise LongfatError(f"{kind} has no {spelled[0]}; it has {spelled[1] or 'no such options'}")


def draw(kind: str, source: Any, options: Options = PLAIN, command: str = "") -> "Figure":
    """Plot a source; return a figure that can be saved in every format.

    `source` is of the kind in the plot's `SOURCE`: folders of traces, the comparisons, ledgers or
    metrics of a study, an analysis, or paths over satellites. `command` reproduces the plot. Raises
    `NothingToDraw` without data, and `LongfatError` for an unknown name and for options that the
    plot does not use.
    """
    from longfat.plots.figure import Figure

    plot = find(kind)
    check_options(kind, options)
    if plot.SOURCE == "traces":
        need("plots", f"the plot {kind}", "polars")
    rows = plot.collect(source, options)
    if not rows:
        raise NothingToDraw(f"there is nothing that {kind} could draw")
    return Figure(kind, plot.SUMMARY, rows, plot.picture(rows, options, source), command)
