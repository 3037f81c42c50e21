"""Efficiency against the size of the buffer, with guides at round trips."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from longfat.comparison import TableComparison
from longfat.plots.palette import NEUTRAL, level_colors
from longfat.plots.panels import as_many
from longfat.plots.picture import Axis, Guide, Mark, Panel, Picture

if TYPE_CHECKING:
    from longfat.plots import Options, Row

SUMMARY = "efficiency against the buffer in round trips, with guides at 0.5 and 1 RTT"
SOURCE = "study"

_ROUND_TRIPS = re.compile(r"^([0-9.]+) (?:RTT|BDP)$")
_PANEL_WIDTH_INCHES, _HEIGHT_INCHES = 2.4, 2.8


def collect(tables: Sequence[TableComparison], _options: "Options") -> list["Row"]:
    """A row for each factor combination whose buffer is given in round trips."""
    rows: list[Row] = []
    for table in tables:
        if table.response.metric != "efficiency":
            continue
        for entry in table.entries:
            levels = dict(entry.combination)
            size = _ROUND_TRIPS.match(levels.get("buffer", ""))
            if size is None or entry.ours is None:
                continue
            rows.append({
                **levels,
                "buffer_rtt": float(size[1]),
                "efficiency": entry.ours,
                "low": entry.minimum,
                "high": entry.maximum,
                "replications": entry.replications,
            })  # fmt: skip
    return rows


def picture(
    rows: Sequence["Row"], options: "Options", _tables: Sequence[TableComparison]
) -> Picture:
    """A panel for each level of the layout's columns, a line for each of its colours."""
    layout = options.layout("config", "sources")
    panels_of = list(dict.fromkeys(row.get(layout.columns, "") for row in rows))
    lines = list(dict.fromkeys(row.get(layout.colors, "") for row in rows))
    colors = level_colors(lines)
    sizes = sorted({row["buffer_rtt"] for row in rows})
    panels: list[Panel | None] = []
    for place, level in enumerate(panels_of):
        marks = []
        for line in lines:
            chosen = sorted(
                (row for row in rows
                 if (row.get(layout.columns, ""), row.get(layout.colors, "")) == (level, line)),
                key=lambda row: float(row["buffer_rtt"]),
            )  # fmt: skip
            label = f"{layout.colors.replace('_', ' ')} {line}" if line else ""
            marks.append(_line(chosen, colors[line], label if level == panels_of[-1] else ""))
        guides = [
            Guide(0.5, "0.5 RTT", along="x", color=NEUTRAL),
            Guide(1.0, "1 RTT", along="x", color=NEUTRAL),
        ]
        size = Axis("buffer in round trips", log=True, ticks=sizes[::2])
        panels.append(Panel(size, Axis("efficiency" if place == 0 else ""), marks, guides, level))
    width = max(4.0, 1.2 + _PANEL_WIDTH_INCHES * len(panels))
    counts = {row["replications"] for row in rows}
    caption = (
        "deterministic runs, n = 1 each"
        if counts == {0}
        else f"means of n = {as_many(counts)} replications, with their range"
    )
    return Picture([panels], caption, _HEIGHT_INCHES, width, share_y="all")


def _line(rows: Sequence["Row"], color: str, label: str) -> Mark:
    known = all(row["low"] is not None for row in rows)
    values = [row["efficiency"] for row in rows]
    return Mark(
        "line", [row["buffer_rtt"] for row in rows], values, color=color, label=label,
        low=[row["low"] for row in rows] if known else values,
        high=[row["high"] for row in rows] if known else values, size=3.0,
    )  # fmt: skip
