"""Plot of the bottleneck's capacity used by each service class over time, a panel per run."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from longfat.plots.over_time import (
    MEGA,
    Row,
    common,
    joined,
    link_bps,
    path_rates,
    shown,
    time_axis,
)
from longfat.plots.palette import CLASSES, NEUTRAL
from longfat.plots.picture import Axis, Guide, Mark, Panel, Picture
from longfat.scenarios.resolved import leaves
from longfat.traces import Traces

if TYPE_CHECKING:
    from longfat.plots.options import Options

SUMMARY = "capacity of the bottleneck that each service class gets over time, one panel a run"
SOURCE = "traces"
OPTIONS = ("start_s", "end_s")

_STRENGTHS = {"ubr": 0.9, "vbr": 0.5}
_LONGEST_NAME = 80
_PANEL_HEIGHT_INCHES = 1.35


def collect(runs: Sequence[Traces], options: "Options") -> list[Row]:
    """Return a series for each class, in Mbit/s of cells or packets; `run` names the run."""
    return [
        {"run": name, **{key: row[key] for key in ("series", "time_s", "value", "unit")}}
        for name, run in zip(names_of(runs), runs, strict=True)
        for row in shown([*_rates(run), *path_rates(run)], run, options)
    ]


def _rates(run: Traces) -> list[Row]:
    frame = joined(run.table_of_bottleneck("capacity"), ["class"], "bits", run)
    return [
        {
            "series": series,
            "flow": None,
            "time_s": time,
            "value": rate / MEGA,
            "unit": "Mbit/s",
        }
        for series, time, rate in frame.select("class", "time_s", "rate").rows()
    ]


def picture(rows: Sequence[Row], options: "Options", runs: Sequence[Traces]) -> Picture:
    """Return a panel for each run: UBR at the bottom, VBR stacked above it."""
    panels: list[list[Panel | None]] = []
    # All panels have the time axis of the longest run.
    time = max((time_axis(run, options) for run in runs), key=lambda axis: axis.high or 0)
    for name, run in zip(names_of(runs), runs, strict=True):
        chosen = [row for row in rows if row["run"] == name]
        panel = _panel(run, chosen, options, name, legend=not panels)
        panels.append([replace(panel, x=time)])
    height = 0.75 + _PANEL_HEIGHT_INCHES * len(panels)
    return Picture(panels, common(runs), height, share_x="all")


def _panel(
    run: Traces, rows: Sequence[Row], options: "Options", name: str, *, legend: bool
) -> Panel:
    below: dict[float, float] = {}
    marks = []
    for series, color in CLASSES.items():
        chosen = [row for row in rows if row["series"] == series]
        times = [row["time_s"] for row in chosen]
        low = [below.get(time, 0.0) for time in times]
        high = [bottom + row["value"] for bottom, row in zip(low, chosen, strict=True)]
        below = dict(zip(times, high, strict=True))
        if chosen:
            ends = [*times, time_axis(run, options).high or run.seconds]
            marks.append(
                Mark("area", ends, [*high, high[-1]], color=color, label=series,
                     low=[*low, low[-1]], strength=_STRENGTHS[series])
            )  # fmt: skip
    link = link_bps(run) / MEGA
    scheduler = run.settings["port"].get("scheduler", {})
    share = scheduler.get("guaranteed_rate", 0) if isinstance(scheduler, Mapping) else 0
    guides = []
    if changing := [row for row in rows if row["series"] == "link"]:
        times, rates = [row["time_s"] for row in changing], [row["value"] for row in changing]
        marks.append(Mark("steps", times, rates, color=NEUTRAL, label="link", style=":"))
        link = max(rates)
    else:
        guides.append(Guide(link, "link", color=NEUTRAL))
    if share:
        guides.append(Guide(float(share) * link, f"guaranteed to ubr: {share}", color="#000000"))
    time = time_axis(run, options)
    rate = Axis("capacity in Mbit/s", 0, 1.15 * link)
    note = "" if any(value for mark in marks for value in mark.y) else "nothing sent"
    is_told_apart = legend and len(marks) > 1
    return Panel(time, rate, marks, guides, title=name, legend=is_told_apart, note=note)


def names_of(runs: Sequence[Traces]) -> list[str]:
    """Return distinct names of runs: the settings that differ, or their folders.

    If the kind of a model differs, its parameters are not listed. Folders are used if more than
    two settings differ, if they do not distinguish all runs, and for names that are too long.
    """
    flat = [dict(leaves(run.settings)) for run in runs]
    keys = dict.fromkeys(key for settings in flat for key in settings)
    differing = [key for key in keys if len({str(settings.get(key)) for settings in flat}) > 1]
    kinds = [key.removesuffix("kind") for key in differing if key.endswith(".kind")]
    named = [key for key in differing if key.endswith(".kind") or not key.startswith(tuple(kinds))]
    names = [", ".join(_setting(key, settings.get(key)) for key in named) for settings in flat]
    is_unique = len(set(names)) == len(runs) and len(named) <= 2
    if not differing or not is_unique or max(map(len, names)) > _LONGEST_NAME:
        return [run.folder.name if len(runs) > 1 else "" for run in runs]
    return names


def _setting(path: str, value: object) -> str:
    """Format a setting with the last part of its path; omit "kind"."""
    name = path.removesuffix(".kind").rsplit(".", 1)[-1].replace("_", " ")
    return f"{name} {value}"
