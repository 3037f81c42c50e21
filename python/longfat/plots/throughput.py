"""Plot of the throughput of each flow over time."""

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from longfat.base.units import BITS_PER_BYTE, PICOSECONDS_PER_SECOND
from longfat.plots.over_time import (
    MEGA,
    Row,
    all_cross,
    caption_of,
    changes,
    flow_steps,
    foremost,
    joined,
    of_how_many,
    only,
    path_rates,
    rows_of,
    shown,
    time_axis,
)
from longfat.plots.palette import INK, NEUTRAL
from longfat.plots.picture import Axis, Guide, Mark, Panel, Picture
from longfat.traces import Traces

if TYPE_CHECKING:
    from longfat.plots.options import Options

SUMMARY = "bytes delivered in order by each flow over time, and by all together"
SOURCE = "traces"
OPTIONS = ("start_s", "end_s")
BUSIEST = "that deliver most"


def collect(runs: Sequence[Traces], options: "Options") -> list[Row]:
    """Return the series `throughput` of each flow and `all`, their sum, in Mbit/s.

    For a time-varying path also `most`, the largest goodput of all flows together.
    """
    import polars

    run = only(runs, "throughput")
    frame = joined(run.table("throughput"), ["flow"], "bytes", run)
    drawn = frame.filter(frame["flow"].is_in(busiest(run)))
    per_picosecond = polars.col("bytes").sum() / polars.col("interval_ps").first()
    delivered = per_picosecond * PICOSECONDS_PER_SECOND
    together = frame.group_by("time_s").agg(delivered.alias("rate")).sort("time_s")
    drawn_in = ("rate", "Mbit/s", BITS_PER_BYTE / MEGA)
    rows = [*rows_of(drawn, "throughput", *drawn_in), *rows_of(together, "all", *drawn_in)]
    return shown([*rows, *_most_over_time(run)], run, options)


def _most_over_time(run: Traces) -> list[Row]:
    """Return the largest goodput of all flows over a time-varying path, from each change on.

    Empty for a constant path, and if other service classes share it.
    """
    link = [] if _has_classes(run) else path_rates(run)
    if not link:
        return []
    lasting = [after["time_s"] - row["time_s"] for row, after in itertools.pairwise(link)]
    mean = math.fsum(row["value"] * span for row, span in zip(link, lasting, strict=False))
    most = run.record["metrics"]["max_goodput_bps"] / MEGA / (mean / run.seconds)
    return [{**row, "series": "most", "value": row["value"] * most} for row in link]


def _has_classes(run: Traces) -> bool:
    return any(port.get("classes") for port in run.record["ports"])


def busiest(run: Traces) -> list[int]:
    """Return the flows to plot: those that deliver most, if there are very many."""
    import polars

    return foremost(run.table("throughput"), polars.col("bytes").sum())


def picture(rows: Sequence[Row], options: "Options", runs: Sequence[Traces]) -> Picture:
    """Return a picture with one panel."""
    run = only(runs, "throughput")
    return Picture([[panel(run, rows, options)]], caption_of(run) + of_how_many(run, BUSIEST), 3.0)


def panel(run: Traces, rows: Sequence[Row], options: "Options") -> Panel:
    """Return a panel of throughputs in Mbit/s, with a guide at the largest goodput of all."""
    marks = list(flow_steps(run, rows, "throughput"))
    if len(marks) > 1:
        times = [row["time_s"] for row in rows if row["series"] == "all"]
        values = [row["value"] for row in rows if row["series"] == "all"]
        marks.append(Mark("steps", times, values, color=INK, label="all", width=1.0))
    most = run.record["metrics"]["max_goodput_bps"] / MEGA
    highest = max(value for mark in marks for value in mark.y)
    name = "the most for all" if all_cross(run) else f"the most over {run.bottleneck['name']}"
    guides = []
    if changing := [row for row in rows if row["series"] == "most"]:
        times, values = [row["time_s"] for row in changing], [row["value"] for row in changing]
        marks.append(Mark("steps", times, values, color=NEUTRAL, label=name, style=":"))
        most = max(values)
    elif changes(run) or _has_classes(run):  # the available rate varies over time
        guides = [Guide(most, f"{name}, on the mean", color=NEUTRAL)]
    else:
        guides = [Guide(most, name, color=NEUTRAL)]
    axis = Axis("throughput in Mbit/s", 0, 1.1 * max(highest, most))
    note = "" if highest else "nothing delivered"
    return Panel(time_axis(run, options), axis, marks, guides, note=note)
