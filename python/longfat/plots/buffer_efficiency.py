"""Plot of efficiency against buffer size, with guides at 0.5 and 1 round trip."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from longfat.plots.names import plain, shortened
from longfat.plots.palette import DASHES, NEUTRAL, Look, level_looks
from longfat.plots.panels import level_of, levels_of, means_and_ranges, named, said_in_full
from longfat.plots.picture import Axis, Guide, Mark, Panel, Picture
from longfat.plots.ranges import sharing
from longfat.results.comparison import TableComparison

if TYPE_CHECKING:
    from longfat.plots.options import Layout, Options, Row

SUMMARY = "efficiency against the buffer, with guides at 0.5 and 1 RTT where it is in round trips"
SOURCE = "study"
OPTIONS = ("rows", "columns", "colors")

_SIZE = re.compile(r"^([0-9.]+) (RTT|BDP|cells|packets)$")
_ROUND_TRIPS = "round trips"
_UNITS = {"RTT": _ROUND_TRIPS, "BDP": _ROUND_TRIPS}
_RESULTS = {"efficiency", "low", "high", "replications"}
_NUMBERS = {"buffer", "buffer_size", "buffer_unit", *_RESULTS}
_PANEL_WIDTH_INCHES, _HEIGHT_INCHES = 2.4, 2.4
_LETTERS, _GAP = 32, 1.5
"""Letters that fit along the axis of a panel, and the room between two ticks."""
_GUIDES, _APART = (0.5, 1.0), 1.5
"""Positions of the guides in round trips, and the least ratio of a tick to a guide."""


def collect(tables: Sequence[TableComparison], _options: "Options") -> list["Row"]:
    """Return a row for each factor combination with a buffer size in the most frequent unit.

    A line has the combinations that differ in buffer size only; lines with at most half of the
    largest number of sizes are omitted. Combinations in several tables have one row.
    """
    found = {
        tuple((name, level) for name, level in row.items() if name not in _RESULTS): row
        for table in tables
        if table.response.metric == "efficiency"
        for row in _of_table(table)
    }
    units = [row["buffer_unit"] for row in found.values()]
    usual = max(units, key=units.count, default=None)
    return _of_whole_lines([row for row in found.values() if row["buffer_unit"] == usual])


def _of_table(table: TableComparison) -> list["Row"]:
    rows: list[Row] = []
    for entry in table.entries:
        levels = dict(entry.combination)
        size = _SIZE.match(levels.get("buffer", ""))
        if size is None or entry.ours is None:
            continue
        rows.append({
            **levels,
            "buffer_size": float(size[1]),
            "buffer_unit": _UNITS.get(size[2], size[2]),
            "efficiency": entry.ours,
            "low": entry.minimum,
            "high": entry.maximum,
            "replications": entry.replications,
        })  # fmt: skip
    return rows


def picture(
    rows: Sequence["Row"], options: "Options", tables: Sequence[TableComparison]
) -> Picture:
    """Return a grid of panels by the layout's rows and columns, with a line for each colour.

    Combinations of further factors have lines of their own in the same colour: the levels of the
    first have dashes, the others look alike.
    """
    factors = list(dict.fromkeys(name for row in rows for name in row if name not in _NUMBERS))
    by_policy = replace(options, rows=options.rows or "policy")
    layout = by_policy.layout("config", "sources", factors, ("colors", "columns"))
    across, down = levels_of(rows, layout.columns), levels_of(rows, layout.rows)
    looks = level_looks(levels_of(rows, layout.colors), options.study)
    apart = {layout.columns, layout.rows, layout.colors}
    others = [name for name in factors if name not in apart and len(levels_of(rows, name)) > 1]
    dashed = _dashed(rows, looks, others)
    dashes = dict(zip(levels_of(rows, dashed) if dashed else (), DASHES, strict=False))
    panels = [
        [
            _panel(
                [
                    row
                    for row in rows
                    if level_of(row, layout.columns) == column
                    and level_of(row, layout.rows) == level
                ],
                lambda row: replace(
                    look := looks[level_of(row, layout.colors)],
                    style=dashes.get(level_of(row, dashed), look.style),
                ),
                _title(layout, column, level if len(down) > 1 else ""),
                first=column == across[0],
            )
            for column in across
        ]
        for level in down
    ]
    width = max(4.0, 1.2 + _PANEL_WIDTH_INCHES * len(across))
    height = 0.4 + _HEIGHT_INCHES * len(down)
    others = [name for name in others if name != dashed]
    note = means_and_ranges(rows, others)
    if absent := _in_other_units(rows, tables):
        note += f"; not drawn, for they are in another unit: {', '.join(absent)}"
    return Picture(
        panels,
        note,
        height,
        width,
        share_y=sharing(panels, "all"),
        key=_key(layout.colors, looks, dashed, dashes),
    )


def _dashed(rows: Sequence["Row"], looks: Mapping[str, Look], others: Sequence[str]) -> str:
    """Return the factor of `others` that has dashes; empty if colours need them, or too few."""
    if len({look.color for look in looks.values()}) < len(looks):
        return ""
    fitting = (name for name in others if len(levels_of(rows, name)) <= len(DASHES))
    return next(fitting, "")


def _key(
    factor: str, looks: Mapping[str, Look], dashed: str, dashes: Mapping[str, str]
) -> list[Mark]:
    """Return the legend: a line for each colour and for each dash."""
    name = said_in_full if dashes and looks.keys() != {""} else named
    key = [
        Mark("line", (), (), look.color, name(factor, short), style=look.style,
             marker=look.marker, low=())
        for look, short in zip(looks.values(), shortened(list(looks)), strict=True)
        if short
    ]  # fmt: skip
    dashed_levels = zip(dashes.values(), shortened(list(dashes)), strict=True)
    return key + [
        Mark("line", (), label=name(dashed, short), style=style) for style, short in dashed_levels
    ]


def _in_other_units(rows: Sequence["Row"], tables: Sequence[TableComparison]) -> list[str]:
    """Return the buffer sizes of the tables that are not in the unit of the axis."""
    unit = rows[0]["buffer_unit"] if rows else None
    buffers = dict.fromkeys(
        dict(entry.combination).get("buffer", "")
        for table in tables
        if table.response.metric == "efficiency"
        for entry in table.entries
    )
    found = {buffer: _SIZE.match(buffer) for buffer in buffers}
    return [
        buffer
        for buffer, size in found.items()
        if size is not None and _UNITS.get(size[2], size[2]) != unit
    ]


def _of_whole_lines(rows: Sequence["Row"]) -> list["Row"]:
    """Return the rows of lines with more than half of the largest number of sizes."""
    lines = _lines(rows)
    most = max((len(line) for line in lines), default=0)
    return [row for line in lines if 2 * len(line) > most for row in line]


def _lines(rows: Sequence["Row"]) -> list[list["Row"]]:
    """Group the rows that differ in buffer size only, sorted by it."""
    lines: dict[Any, list[Row]] = {}
    for row in rows:
        others = tuple((name, level) for name, level in row.items() if name not in _NUMBERS)
        lines.setdefault(others, []).append(row)
    return [sorted(line, key=lambda row: float(row["buffer_size"])) for line in lines.values()]


def _title(layout: "Layout", column: str, row: str) -> str:
    return ", ".join(filter(None, (named(layout.columns, column), named(layout.rows, row))))


def _panel(
    rows: Sequence["Row"],
    look: Callable[["Row"], Look],
    title: str,
    *,
    first: bool,
) -> Panel | None:
    if not rows:
        return None
    marks = [_line(line, look(line[0])) for line in _lines(rows)]
    unit: str = rows[0]["buffer_unit"]
    is_guided = unit == _ROUND_TRIPS
    sizes = sorted({row["buffer_size"] for row in rows})
    ticks = _that_fit(sizes)
    return Panel(
        Axis(f"buffer in {unit}", log=True, ticks=_guided(ticks) if is_guided else ticks),
        Axis("efficiency" if first else ""),
        marks,
        [Guide(at, along="x", color=NEUTRAL) for at in _GUIDES] if is_guided else (),
        title,
    )


def _that_fit(sizes: Sequence[float]) -> list[float]:
    """Return every size, or every other and so on, so that their labels fit along the axis."""
    for every in range(1, len(sizes) + 1):
        ticks = list(sizes[::every])
        if sum(len(plain(tick)) + _GAP for tick in ticks) <= _LETTERS:
            return ticks
    return list(sizes[:1])


def _guided(ticks: Sequence[float]) -> list[float]:
    """Add ticks at the guides, as their labels; remove ticks that are too near."""
    far = [
        tick for tick in ticks if all(tick >= at * _APART or tick * _APART <= at for at in _GUIDES)
    ]
    return sorted([*far, *_GUIDES])


def _line(rows: Sequence["Row"], look: Look) -> Mark:
    known = all(row["low"] is not None for row in rows)
    values = [row["efficiency"] for row in rows]
    return Mark(
        "line", [row["buffer_size"] for row in rows], values, look.color,
        style=look.style, marker=look.marker,
        low=[row["low"] for row in rows] if known else values,
        high=[row["high"] for row in rows] if known else values, size=3.0,
    )  # fmt: skip
