"""Phase plane of two users of a line: the rate of one against that of the other.

On the line of equal shares the allocation is fair, on the line of efficiency all of the capacity is
used (Chiu and Jain, "Analysis of the Increase and Decrease Algorithms for Congestion Avoidance in
Computer Networks", 1989). Of more than two flows, the others are taken together, by their
mean: with it, a flow has its fair share where it would with a single other.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longfat.base.errors import LongfatError
from longfat.base.units import BITS_PER_BYTE
from longfat.plots.over_time import (
    MEGA,
    Row,
    caption_of,
    changes,
    flow_name,
    flow_to_show,
    joined,
    only,
    sharing,
    span,
)
from longfat.plots.palette import BLACK, BLUE, NEUTRAL, SKY
from longfat.plots.picture import Axis, Mark, Panel, Picture
from longfat.traces import Traces

if TYPE_CHECKING:
    from longfat.plots.options import Options

SUMMARY = "rate of a flow against that of the other, or the others' mean, with fair and full lines"
SOURCE = "traces"
OPTIONS = ("flow", "start_s", "end_s")

_INCHES = 4.2
_ROOM = 1.05


def collect(runs: Sequence[Traces], options: "Options") -> list[Row]:
    """Return a row for each interval, a round trip at least: `rate` and `rate_of_others`.

    Both are in Mbit/s. Raises `LongfatError` for a run without two flows that last and share the
    line.
    """
    import polars

    run = only(runs, "phase-plane")
    flows = sharing(run)
    if flows is None or flows < 2:
        raise LongfatError(
            f"{run.folder}: phase-plane needs two or more flows that last and share the bottleneck"
        )
    flow = flow_to_show(run, options) or 1
    start, end = span(run, options)
    trip = run.bottleneck["longest_round_trip_ps"]
    frame = joined(run.table("throughput"), ["flow"], "bytes", run, least_ps=trip)
    rate = polars.col("rate") * BITS_PER_BYTE / MEGA
    own = polars.col("flow") == flow
    both = frame.filter(polars.col("flow") <= flows).group_by("time_s").agg(
        rate.filter(own).sum().alias("rate"),
        (rate.filter(~own).sum() / (flows - 1)).alias("rate_of_others"),
    )  # fmt: skip
    return [
        {"flow": flow, **row, "unit": "Mbit/s"}
        for row in both.sort("time_s").to_dicts()
        if start <= row["time_s"] <= end
    ]


def picture(rows: Sequence[Row], _options: "Options", runs: Sequence[Traces]) -> Picture:
    """Return one square panel with the path of both rates, its first half paler."""
    run = only(runs, "phase-plane")
    others = (sharing(run) or 2) - 1
    x, y = [row["rate"] for row in rows], [row["rate_of_others"] for row in rows]
    most = run.record["metrics"]["max_goodput_bps"] / MEGA
    right, top = _ROOM * max(most, *x), _ROOM * max(most / others, *y)
    fair = min(right, top)
    middle = len(rows) // 2
    style = "on the mean" if changes(run) else ""
    marks = [
        Mark("line", [0.0, fair], [0.0, fair], NEUTRAL, "equal shares", style=":"),
        Mark("line", [0.0, most], [most / others, 0.0], NEUTRAL,
             " ".join(filter(None, ("all of the capacity", style))), style="--"),
        Mark("line", x[: middle + 1], y[: middle + 1], SKY, "earlier half", width=0.8),
        Mark("line", x[middle:], y[middle:], BLUE, "later half", width=0.8),
        Mark("points", x[:1], y[:1], BLACK, "begins", size=6.0, filled=False),
        Mark("points", x[-1:], y[-1:], BLACK, "ends", size=6.0),
        Mark("points", [_mean(x)], [_mean(y)], BLACK, "mean", marker="X", size=7.0),
    ]  # fmt: skip
    flow = rows[0]["flow"]
    other = flow_name(run, 3 - flow) if others == 1 else f"mean of the {others} other flows"
    panel = Panel(
        Axis(f"{flow_name(run, flow)} in Mbit/s", 0, right),
        Axis(f"{other} in Mbit/s", 0, top),
        marks,
    )
    caption = caption_of(run).replace(": ", ":\n", 1)
    return Picture([[panel]], caption, _INCHES, _INCHES + 1.2, is_square=True)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
