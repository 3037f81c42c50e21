"""Plot of all tables of a study, for any metric, against one of their factors."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from longfat.plots.names import shortened
from longfat.plots.palette import INK, MARKERS, Look, level_looks
from longfat.plots.panels import level_of, levels_of, means_and_ranges, named
from longfat.plots.picture import Axis, Mark, Panel, Picture, Shared
from longfat.results.comparison import TableComparison

if TYPE_CHECKING:
    from longfat.plots.options import Options, Row

SUMMARY = "every metric that a study tabulates, against one of its factors, a row a table"
SOURCE = "study"
OPTIONS = ("columns", "colors", "markers")

_PANEL_WIDTH_INCHES, _PANEL_HEIGHT_INCHES, _LOW_PANEL_INCHES = 2.6, 2.2, 1.9
_UNITS = {"_s": (" in s", 1.0), "_bps": (" in Mbit/s", 1e-6)}
_MOST_ROWS, _LEAST_COLUMNS = 4, 3
"""Largest number of tables with a row each; more share rows of at least so many columns."""
_APART, _ROOM = 0.06, 0.4
"""Horizontal offset between lines, to separate their ranges, and its limit for all lines
together; 1 is the distance between levels."""
_COLORS = 6
"""Number of colours for levels without a fixed one."""
_NUMBERS = {"table", "metric", "ours", "low", "high", "replications"}


def collect(tables: Sequence[TableComparison], _options: "Options") -> list["Row"]:
    """Return a row for each entry of a table that has runs."""
    return [row for table in tables for row in _of_table(table)]


def _of_table(table: TableComparison) -> list["Row"]:
    return [
        {
            **dict(entry.combination),
            "table": table.response.table,
            "metric": table.response.metric,
            "ours": entry.ours,
            "low": entry.minimum,
            "high": entry.maximum,
            "replications": entry.replications,
        }
        for entry in table.entries
        if entry.ours is not None
    ]


def picture(
    rows: Sequence["Row"], options: "Options", tables: Sequence[TableComparison]
) -> Picture:
    """Return a row of panels for each table and metric, with lines by colours and markers.

    Combinations of further factors have lines of their own, which look alike.
    """
    parts = [(table, own) for table in tables if (own := _of_table(table))]
    grids = [_Grid(table, own, options) for table, own in parts]
    colored = dict.fromkeys(
        (grid.colors, level) for grid in grids for level in levels_of(grid.rows, grid.colors)
    )
    marked = dict.fromkeys(
        (grid.markers, level) for grid in grids for level in levels_of(grid.rows, grid.markers)
    )
    looks = level_looks(list(dict.fromkeys(level for _, level in colored)))
    markers = dict(zip(dict.fromkeys(level for _, level in marked), itertools.cycle(MARKERS)))
    most = max(len(grid.across) for grid in grids)
    many = len(grids) > _MOST_ROWS
    columns = max(most, _LEAST_COLUMNS) if many else most
    # Panels of several tables in a row share no vertical axis: each has the range of its table.
    of_tables = [grid.panels(looks, markers, titled=len(grids) > 1, alone=many) for grid in grids]
    panels = _packed(of_tables, columns) if many else _filled(of_tables, columns)
    shapes = {level: Look(INK, "-", marker) for level, marker in markers.items()}
    key = _without_duplicates([*_key(colored, looks), *_key(marked, shapes)])
    others = list(dict.fromkeys(name for grid in grids for name in grid.others))
    width = max(4.0, 1.2 + _PANEL_WIDTH_INCHES * columns)
    height = 0.4 + (_LOW_PANEL_INCHES if many else _PANEL_HEIGHT_INCHES) * len(panels)
    share: Shared = "none" if many else "row"
    return Picture(
        panels, means_and_ranges(rows, others), height, width, share_y=share, key=key
    )  # fmt: skip


def _filled(of_tables: Sequence[Sequence[Panel]], columns: int) -> list[list[Panel | None]]:
    """Arrange the panels of each table in a row, padded to `columns`."""
    return [[*panels, *[None] * (columns - len(panels))] for panels in of_tables]


def _packed(of_tables: Sequence[Sequence[Panel]], columns: int) -> list[list[Panel | None]]:
    """Arrange the panels of as many tables per row as fit, in order."""
    rows: list[list[Panel]] = []
    for panels in of_tables:
        if rows and len(rows[-1]) + len(panels) <= columns:
            rows[-1] += panels
        else:
            rows.append(list(panels))
    return _filled(rows, columns)


def _key(levels: Iterable[tuple[str, str]], looks: Mapping[str, Look]) -> list[Mark]:
    """Return the legend entries of the levels of factors."""
    shown = [(factor, level) for factor, level in levels if level]
    names = shortened([named(factor, level) for factor, level in shown])
    return [
        Mark("points", (), color=looks[level].color, marker=looks[level].marker, label=name)
        for (_, level), name in zip(shown, names, strict=True)
    ]


def _without_duplicates(key: Sequence[Mark]) -> list[Mark]:
    """Remove duplicate legend entries: levels of several factors with equal name and look."""
    return list({(mark.label, mark.color, mark.marker): mark for mark in key}.values())


class _Grid:
    """Panels of a table, with the assignment of factors to axis, columns, colours and markers."""

    def __init__(self, table: TableComparison, rows: Sequence["Row"], options: "Options") -> None:
        self.rows = rows
        self.metric = table.response.metric
        self.carried = table.carried
        self.table = table.response.table
        varying = [name for name in table.factors if len(levels_of(rows, name)) > 1]
        said = {options.columns, options.colors, options.markers}
        most_levels = sorted(table.factors, key=lambda name: -len(levels_of(rows, name)))
        wanted = [*filter(None, [table.response.across]), *most_levels]
        # A study without factors has a single point and no factor along the axis.
        unsaid = (name for name in wanted if name not in said)
        self.along = next(unsaid, wanted[0] if wanted else "")
        free = [name for name in varying if name not in {self.along, *said}]
        self.colors = options.colors or (free.pop(0) if free else "")
        self.columns = options.columns or (free.pop(0) if free else "")
        # Repeated colours are distinguished by markers.
        few = len(levels_of(rows, self.colors)) <= _COLORS
        self.markers = options.markers or (free.pop(0) if free and few else "")
        self.others = free
        self.across = levels_of(rows, self.columns)

    def panels(
        self, looks: Mapping[str, Look], markers: Mapping[str, str], *, titled: bool, alone: bool
    ) -> list[Panel]:
        """Return a panel for each level of the columns; with the name of the table if `titled`.

        If `alone`, vertical axes have the range of the table's panels explicitly.
        """
        table = f"table {self.table}" if titled else ""
        low, high = self._range() if alone else (None, None)
        return [
            self._panel(
                [row for row in self.rows if level_of(row, self.columns) == level],
                looks,
                markers,
                ", ".join(filter(None, (table, level and named(self.columns, level)))),
                upright=Axis(self.words if level == self.across[0] else "", low, high),
            )
            for level in self.across
        ]

    @property
    def words(self) -> str:
        """Label of the metric's axis, with its unit."""
        words, (unit, _) = _with_unit(self.metric)
        if self.carried != "cells":
            return f"{words.removesuffix(' cells')} in {self.carried}"
        return words + unit

    @property
    def scale(self) -> float:
        """Factor from the metric's unit to that of the axis."""
        _, (_, scale) = _with_unit(self.metric)
        return scale

    def _range(self) -> tuple[float, float]:
        """Return the range of values on the axis, with a margin."""
        ends = [row[name] for row in self.rows for name in ("ours", "low", "high")]
        values = [end * self.scale for end in ends if end is not None]
        room = 0.05 * (max(values) - min(values) or abs(max(values)) or 1.0)
        return min(values) - room, max(values) + room

    def _panel(
        self,
        rows: Sequence["Row"],
        looks: Mapping[str, Look],
        markers: Mapping[str, str],
        title: str,
        *,
        upright: Axis,
    ) -> Panel:
        names = levels_of(self.rows, self.along)
        lines: dict[Any, list[Row]] = {}
        for row in rows:
            others = [(name, level) for name, level in row.items() if name not in _NUMBERS]
            lines.setdefault(
                tuple(each for each in others if each[0] != self.along), []
            ).append(row)  # fmt: skip
        return Panel(
            Axis(self.along.replace("_", " "), -0.3, len(names) - 0.7, names=shortened(names)),
            upright,
            [
                _line(line, [names.index(level_of(row, self.along)) + beside for row in line],
                      self._look(line[0], looks, markers), self.scale)
                for line, beside in zip(lines.values(), _beside(len(lines)), strict=True)
            ],
            title=title,
        )  # fmt: skip

    def _look(self, row: "Row", looks: Mapping[str, Look], markers: Mapping[str, str]) -> Look:
        """Return the look of a line: that of its colour, with the marker of its level, if any."""
        look = looks[level_of(row, self.colors)]
        own = markers[level_of(row, self.markers)]
        return replace(look, marker=own) if self.markers else look


def _beside(lines: int) -> list[float]:
    """Return the horizontal offset of each line from its level."""
    apart = min(_APART, _ROOM / lines)
    return [(place - (lines - 1) / 2) * apart for place in range(lines)]


def _with_unit(metric: str) -> tuple[str, tuple[str, float]]:
    """Return a metric in words, the unit of its axis as text, and the factor to it."""
    for ending, unit in _UNITS.items():
        if metric.endswith(ending):
            return metric.removesuffix(ending).replace("_", " "), unit
    return metric.replace("_", " "), ("", 1.0)


def _line(rows: Sequence["Row"], places: Sequence[float], look: Look, scale: float) -> Mark:
    known = all(row["low"] is not None for row in rows)
    names = ("ours", "low", "high") if known else ("ours", "ours", "ours")
    values, low, high = ([row[name] * scale for row in rows] for name in names)
    return Mark(
        "line", places, values, look.color, style=look.style, marker=look.marker,
        low=low, high=high, size=3.5,
    )  # fmt: skip
