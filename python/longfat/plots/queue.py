"""Plot of the queue at the bottleneck over time, for each service class, with drops."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longfat.plots.over_time import Row, caption_of, events, only, rugs, shown, time_axis, unit
from longfat.plots.palette import CLASSES, NEUTRAL
from longfat.plots.picture import Axis, Guide, Mark, Panel, Picture
from longfat.plots.thinning import thinned
from longfat.scenarios.resolved import buffer_of
from longfat.traces import Traces

if TYPE_CHECKING:
    from longfat.plots.options import Options

SUMMARY = "queue of each service class at the bottleneck over time, and drops"
SOURCE = "traces"
OPTIONS = ("start_s", "end_s")

_PANEL_HEIGHT_INCHES = 2.3
_IN_SIGHT = 3
"""Largest size of a buffer that is drawn, in longest queues."""


def collect(runs: Sequence[Traces], options: "Options") -> list[Row]:
    """Return a series for each class, in cells or packets, and the events `drop`."""
    run = only(runs, "queue")
    frame = run.at_bottleneck(run.thinned("queue"))
    columns = (frame[name].to_list() for name in ("class", "time_s", "cells"))
    rows: list[Row] = [
        {"series": name, "flow": None, "time_s": time, "value": cells, "unit": unit(run)}
        for name, time, cells in zip(*columns, strict=True)
    ]
    return shown([*rows, *events(run, "drops", "drop", at_bottleneck=True)], run, options)


def picture(rows: Sequence[Row], options: "Options", runs: Sequence[Traces]) -> Picture:
    """Return a panel for each class."""
    run = only(runs, "queue")
    rows_of_panels: list[list[Panel | None]] = [[panel] for panel in panels(run, rows, options)]
    height = 0.5 + _PANEL_HEIGHT_INCHES * len(rows_of_panels)
    caption = caption_of(run, "queue") + beyond(run, rows)
    return Picture(rows_of_panels, caption, height, share_x="all")


def panels(run: Traces, rows: Sequence[Row], options: "Options") -> list[Panel]:
    """Return a panel with the queue of each class, each with its own axis.

    That of UBR, or the only one without classes, has a guide at its buffer size, and the drops.
    """
    queued = [name for name in CLASSES if any(row["series"] == name for row in rows)]
    return [_panel(run, rows, options, name, has_classes=len(queued) > 1) for name in queued]


def _panel(
    run: Traces, rows: Sequence[Row], options: "Options", name: str, *, has_classes: bool
) -> Panel:
    times = [row["time_s"] for row in rows if row["series"] == name]
    values = [row["value"] for row in rows if row["series"] == name]
    capacity = _buffer_in_sight(run, values) if name == "ubr" else None
    label = f"{name.upper()} queue" if has_classes else "queue"
    return Panel(
        time_axis(run, options),
        Axis(f"{label} in {unit(run)}", 0, 1.08 * max(*values, 1, capacity or 0)),
        [
            Mark("steps", *thinned(times, values), color=CLASSES[name], width=0.7),
            *(rugs(rows) if name == "ubr" else ()),
        ],
        [] if capacity is None else [Guide(capacity, "buffer", color=NEUTRAL)],
        note="" if any(values) else "nothing queued",
    )


def beyond(run: Traces, rows: Sequence[Row]) -> str:
    """Return the remark of a caption that the buffer is far above the queue; empty if it is not."""
    capacity = buffer_of(run.bottleneck)
    values = [row["value"] for row in rows if row["series"] == "ubr"]
    if capacity is None or not values or _buffer_in_sight(run, values) is not None:
        return ""
    return f"; buffer of {capacity:,.0f} {unit(run)}, beyond the axis"


def _buffer_in_sight(run: Traces, queue: Sequence[float]) -> float | None:
    """Return the size of the buffer if it does not squeeze the queue drawn below it."""
    capacity, longest = buffer_of(run.bottleneck), max(queue)
    is_near = capacity is not None and (longest == 0 or capacity <= _IN_SIGHT * longest)
    return capacity if is_near else None
