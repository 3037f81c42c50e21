"""Plot of the distribution of completion times of files, pages and flows, with its band."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from longfat.base.errors import LongfatError
from longfat.plots.capacity import names_of
from longfat.plots.over_time import Row, common
from longfat.plots.palette import level_colors
from longfat.plots.picture import Axis, Mark, Panel, Picture
from longfat.statistics.histogram import Histogram
from longfat.traces import Traces

if TYPE_CHECKING:
    from longfat.plots.options import Options

SUMMARY = "distribution of the times that files, pages and flows take to arrive, one panel a run"
SOURCE = "traces"
OPTIONS: Sequence[str] = ()

_CONFIDENCE = 0.95
_PANEL_HEIGHT_INCHES = 2.3


def collect(runs: Sequence[Traces], _options: "Options") -> list[Row]:
    """Return the distribution function of completion times for each kind, in seconds.

    Times are from the run's record, so any trace will do. `low` and `high` are the band of 95 %
    confidence for the distribution (Dvoretzky, Kiefer and Wolfowitz; Massart 1990). Raises
    `LongfatError` for a run without completions.
    """
    rows: list[Row] = []
    for name, run in zip(names_of(runs), runs, strict=True):
        for kind in run.record.get("completions", []):
            times = Histogram.of(kind["times"])
            if times.count == 0:
                continue
            band = math.sqrt(math.log(2 / (1 - _CONFIDENCE)) / (2 * times.count))
            rows += [
                {
                    "run": name,
                    "series": kind["name"],
                    "count": times.count,
                    "asked": kind["asked"],
                    "time_s": time,
                    "share": share,
                    "low": max(0.0, share - band),
                    "high": min(1.0, share + band),
                }
                for time, share in times.cumulative()
            ]
    if not rows:
        raise LongfatError(
            f"{runs[0].folder}: nothing was asked for in this run; "
            'completion times need traffic = "www", "http", "flows" or "closed-loop"'
        )
    return rows


def picture(rows: Sequence[Row], _options: "Options", runs: Sequence[Traces]) -> Picture:
    """Return a panel for each run, with a line for each kind; the time axis is logarithmic."""
    names = names_of(runs)
    kinds = list(dict.fromkeys(row["series"] for row in rows))
    colors = level_colors(kinds)
    panels: list[list[Panel | None]] = []
    for name in names:
        marks = []
        for kind in kinds:
            chosen = [row for row in rows if (row["run"], row["series"]) == (name, kind)]
            if not chosen:
                continue
            times = [row["time_s"] for row in chosen]
            low, high = [row["low"] for row in chosen], [row["high"] for row in chosen]
            marks.append(Mark("area", times, high, colors[kind], low=low, strength=0.15))
            label = f"{kind} ({chosen[0]['count']} of {chosen[0]['asked']})"
            shares = [row["share"] for row in chosen]
            marks.append(Mark("steps", times, shares, colors[kind], label))
        time = Axis("time from request to last byte in s", log=True)
        panels.append(
            [Panel(time, Axis("share of those that arrived", 0, 1.02), marks, title=name)]
        )
    caption = (
        f"{common(runs)};\nof those that arrived before the end (n of all that were asked for), "
        "with bands of 95 % confidence for each distribution"
    )
    height = 0.7 + _PANEL_HEIGHT_INCHES * len(panels)
    return Picture(panels, caption, height, share_x="all")
