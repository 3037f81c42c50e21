"""The queue at the bottleneck over time, class by class, with what is dropped."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from longfat.plots.over_time import Row, events, only, rugs, time_axis, told, unit
from longfat.plots.palette import BLUE, NEUTRAL, ORANGE
from longfat.plots.picture import Axis, Guide, Mark, Panel, Picture
from longfat.plots.thinning import thinned
from longfat.traces import Traces

if TYPE_CHECKING:
    from longfat.plots import Options

SUMMARY = "queue of each service class at the bottleneck over time, and drops"
SOURCE = "traces"

_COLORS = {"ubr": BLUE, "vbr": ORANGE}


def collect(runs: Sequence[Traces], _options: "Options") -> list[Row]:
    """Rows of a series for each class, in cells, and of `drop`."""
    run = only(runs, "queue")
    frame = run.table_of_bottleneck("queue")
    columns = (frame[name].to_list() for name in ("class", "time_s", "cells"))
    rows: list[Row] = [
        {"series": name, "flow": None, "time_s": time, "value": cells}
        for name, time, cells in zip(*columns, strict=True)
    ]
    return [*rows, *events(run, "drops", "drop", at_bottleneck=True)]


def picture(rows: Sequence[Row], _options: "Options", runs: Sequence[Traces]) -> Picture:
    """One panel."""
    run = only(runs, "queue")
    return Picture([[panel(run, rows)]], told(run, "queue"), 2.8)


def panel(run: Traces, rows: Sequence[Row]) -> Panel:
    """The queues, with a guide at the size of the buffer."""
    marks = []
    for name, color in _COLORS.items():
        times = [row["time_s"] for row in rows if row["series"] == name]
        values = [row["value"] for row in rows if row["series"] == name]
        if times:
            marks.append(Mark("steps", *thinned(times, values), color=color, label=name, width=0.7))
    if len(marks) == 1:
        marks = [Mark("steps", marks[0].x, marks[0].y, color=marks[0].color, width=0.7)]
    highest = max(value for mark in marks for value in mark.y)
    capacity = capacity_of(run.bottleneck)
    guides = [] if capacity is None else [Guide(capacity, "buffer", color=NEUTRAL)]
    return Panel(
        time_axis(run),
        Axis(f"queue in {unit(run)}", 0, 1.08 * max(highest, 1, capacity or 0)),
        [*marks, *rugs(rows)],
        guides,
    )


def capacity_of(port: Mapping[str, object]) -> float | None:
    """The size of a port's buffer in what its queue counts; None for bytes or no size."""
    number, _, unit_of_size = str(port["buffer_cells"]).partition(" ")
    return float(number) if number.isdigit() and unit_of_size in {"", "packets"} else None
