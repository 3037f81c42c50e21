"""Overview plot of a run: throughput, round-trip times and queue, with a common time axis."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longfat.plots import queue, throughput
from longfat.plots.over_time import (
    Row,
    by_flow,
    caption_of,
    of_how_many,
    only,
    rows_of,
    shown,
    time_axis,
)
from longfat.plots.palette import flow_look
from longfat.plots.picture import Axis, Mark, Panel, Picture
from longfat.plots.ranges import beginning
from longfat.traces import Traces

if TYPE_CHECKING:
    from longfat.plots.options import Options

SUMMARY = "throughput, round trips and queue of a run, one above the other"
SOURCE = "traces"
OPTIONS = ("start_s", "end_s")

_MILLI = 1e3
_PANEL_HEIGHT_INCHES = 1.64


def collect(runs: Sequence[Traces], options: "Options") -> list[Row]:
    """Return the rows of the plots throughput and queue, and the series `rtt`, in ms."""
    run = only(runs, "three-panel")
    measured = run.thinned("rtt")
    drawn = measured.filter(measured["flow"].is_in(throughput.busiest(run)))
    round_trips = shown(rows_of(drawn, "rtt", "rtt_s", "ms", _MILLI), run, options)
    return [*throughput.collect(runs, options), *round_trips, *queue.collect(runs, options)]


def picture(rows: Sequence[Row], options: "Options", runs: Sequence[Traces]) -> Picture:
    """Return three panels, or one more for each further service class."""
    run = only(runs, "three-panel")
    panels = [
        throughput.panel(run, rows, options),
        _round_trips(run, rows, options),
        *queue.panels(run, rows, options),
    ]
    heights = (1.3, *(1.0 for _ in panels[1:]))
    height = 0.6 + _PANEL_HEIGHT_INCHES * sum(heights)
    caption = (
        caption_of(run, "queue") + queue.beyond(run, rows) + of_how_many(run, throughput.BUSIEST)
    )
    return Picture([[panel] for panel in panels], caption, height, share_x="all", heights=heights)


def _round_trips(run: Traces, rows: Sequence[Row], options: "Options") -> Panel:
    marks = [
        Mark("points", *series, look.color, marker=look.marker, size=2.0, strength=0.7)
        for flow, series in sorted(by_flow(rows, "rtt").items())
        for look in [flow_look(flow)]
    ]
    measured = (value for mark in marks for value in mark.y)
    note = "" if marks else "no round trip measured"
    return Panel(
        time_axis(run, options), Axis("round trip in ms", beginning(measured)), marks, note=note
    )
