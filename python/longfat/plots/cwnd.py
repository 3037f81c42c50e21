"""Plot of congestion windows over time; for a single flow also ssthresh and flight size."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longfat.plots.over_time import (
    Row,
    capacity_bytes,
    caption_of,
    events,
    flow_name,
    flow_steps,
    flow_to_show,
    foremost,
    of_how_many,
    only,
    rows_of,
    rugs,
    sharing,
    shown,
    time_axis,
    window_guides,
)
from longfat.plots.palette import NEUTRAL, SKY, VERMILION
from longfat.plots.picture import Axis, Guide, Panel, Picture
from longfat.traces import Traces

if TYPE_CHECKING:
    import polars

    from longfat.plots.options import Options

SUMMARY = "congestion window of each flow over time; of a single flow also ssthresh and flight"
SOURCE = "traces"
OPTIONS = ("flow", "start_s", "end_s")

_KILO = 1e-3


def collect(runs: Sequence[Traces], options: "Options") -> list[Row]:
    """Return the series `cwnd`, `ssthresh` and `flight`, in kB, and events `drop`, `timeout`."""
    import polars

    run = only(runs, "cwnd")
    flow = flow_to_show(run, options)
    windows = run.thinned("cwnd")
    happened = [*events(run, "timeouts", "timeout"), *events(run, "drops", "drop")]
    if flow is None:
        drawn = windows["flow"].is_in(foremost(windows, polars.col("cwnd_bytes").max()))
        rows = rows_of(windows.filter(drawn), "cwnd", "cwnd_bytes", "kB", _KILO)
        return shown([*rows, *happened], run, options)
    rows = [
        row
        for name in ("cwnd", *(name for name in ("ssthresh", "flight") if name in run.names))
        for row in rows_of(_of(run.thinned(name), flow), name, f"{name}_bytes", "kB", _KILO)
    ]
    return shown([*rows, *(row for row in happened if row["flow"] == flow)], run, options)


def _of(frame: "polars.DataFrame", flow: int) -> "polars.DataFrame":
    return frame.filter(frame["flow"] == flow)


def picture(rows: Sequence[Row], options: "Options", runs: Sequence[Traces]) -> Picture:
    """Return a picture with one panel."""
    run = only(runs, "cwnd")
    crowd = "" if flow_to_show(run, options) else of_how_many(run, "with the largest windows")
    return Picture([[panel(run, rows, options)]], caption_of(run, "cwnd") + crowd, 3.0)


def panel(run: Traces, rows: Sequence[Row], options: "Options") -> Panel:
    """Return a panel of windows in kB, with guides at the limits of path and receiver."""
    flow = flow_to_show(run, options)
    style = {} if flow is None else {"label": "cwnd"}
    marks = [
        *flow_steps(run, rows, "flight", color=SKY, label="flight", width=0.7, strength=0.7),
        *flow_steps(run, rows, "ssthresh", color=VERMILION, label="ssthresh", style="--"),
        *flow_steps(run, rows, "cwnd", **style),
        *rugs(rows),
    ]
    guides = window_guides(run, _KILO)
    highest = top = max(mark_y for mark in marks for mark_y in (mark.y or [0]) if mark_y < 1e12)
    flows, whole = sharing(run), capacity_bytes(run)
    if flows is not None and whole is not None:
        share = whole * _KILO / flows
        name = "path" if flows == 1 else "fair share of the path"
        guides.append(Guide(share, name, color=NEUTRAL))
        top = max(highest, share if share < 2 * highest else 0)
    top *= 1.08
    # A guide on the axis itself is omitted.
    kept = [guide for guide in guides if 0.04 * top < guide.at <= top]
    title = "" if options.flow is None else flow_name(run, options.flow)
    return Panel(time_axis(run, options), Axis("window in kB", 0, top), marks, kept, title)
