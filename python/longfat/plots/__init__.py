"""The named plots: each is one file that collects rows from a source and makes a picture of them.

The rows that are drawn are the rows that a `.csv` output holds. A new plot is a module with
`SUMMARY`, `SOURCE`, `HEEDS`, `collect` and `picture`, and a line in `PLOTS`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

from longfat.base.errors import LongfatError
from longfat.base.slips import nearest

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

FORMATS = (".svg", ".pdf", ".png", ".html", ".csv")


class NothingToDraw(LongfatError):
    """The source is good, but has nothing of what the plot shows."""


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


def check_formats(outputs: Sequence[Path]) -> None:
    """Raise `LongfatError` for an output whose suffix is no known format."""
    for output in outputs:
        if output.suffix not in FORMATS:
            raise LongfatError(f"{output}: the suffix must be one of {', '.join(FORMATS)}")


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
