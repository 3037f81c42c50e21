"""Plot of all tables of a study, for any metric, against one of their factors."""

import itertools
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from longfat.plots.names import shortened
from longfat.plots.palette import DASHES, INK, MARKERS, Look, level_looks
from longfat.plots.panels import level_of, levels_of, means_and_ranges, named, said_in_full
from longfat.plots.picture import Axis, Mark, Panel, Picture, Shared
from longfat.plots.ranges import is_flattening
from longfat.results.comparison import TableComparison

if TYPE_CHECKING:
    from longfat.plots.options import Options, Row

SUMMARY = "every metric that a study tabulates, against one of its factors, a row a table"
SOURCE = "study"
OPTIONS = ("columns", "colors", "markers")

_PANEL_WIDTH_INCHES, _PANEL_HEIGHT_INCHES, _LOW_PANEL_INCHES = 2.6, 2.2, 1.9
_TITLE_LETTERS, _TITLE_LINE_INCHES = 34, 0.13
_UNITS = {"_s": (" in s", 1.0), "_bps": (" in Mbit/s", 1e-6)}
_MOST_ROWS, _LEAST_COLUMNS = 4, 3
"""Largest number of tables with a row each; more share rows of at least so many columns."""
_APART, _ROOM = 0.05, 0.2
"""Horizontal offset between lines, to separate their ranges, and its limit for all lines
together; 1 is the distance between levels."""
_COLORS = 8
"""Number of colours for levels without a fixed one."""
_NUMBERS = {"table", "metric", "ours", "low", "high", "replications", "reference", "doubtful"}
_Part = Literal["colors", "columns", "markers", "dashes"]
_FAINT = 0.35
"""Opacity of a paper's doubtful value."""


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
            "reference": entry.reference,
            "doubtful": entry.doubtful,
        }
        for entry in table.entries
        if entry.ours is not None
    ]


def picture(
    rows: Sequence["Row"], options: "Options", tables: Sequence[TableComparison]
) -> Picture:
    """Return a row of panels for each table and metric, with lines by colour, marker and dash.

    Combinations of further factors have lines of their own, which look alike. The paper's values
    are hollow.
    """
    parts = [(table, own) for table in tables if (own := _of_table(table))]
    before: dict[str, _Part] = {}
    grids = [_Grid(table, own, options, before) for table, own in parts]
    looks = _Looks.of(grids, options)
    most = max(len(grid.across) for grid in grids)
    many = len(grids) > _MOST_ROWS
    columns = max(most, _LEAST_COLUMNS) if many else most
    # Panels of several tables in a row share no vertical axis: each has the range of its table.
    alone = many or any(grid.is_flattening for grid in grids)
    of_tables = [grid.panels(looks, titled=len(grids) > 1, alone=alone) for grid in grids]
    panels = _packed(of_tables, columns) if many else _filled(of_tables, columns)
    others = list(dict.fromkeys(name for grid in grids for name in grid.others))
    width = max(4.0, 1.2 + _PANEL_WIDTH_INCHES * columns)
    lines = sum(max(panel.title.count("\n") for panel in row if panel) for row in panels)
    height = 0.4 + (_LOW_PANEL_INCHES if many else _PANEL_HEIGHT_INCHES) * len(panels)
    share: Shared = "none" if alone else "row"
    caption = means_and_ranges(rows, others)
    if not many and alone:
        caption += ";\npanels beside each other may have different axes"
    if unfit := [grid.table for grid in grids if grid.is_log and not grid.can_be_log]:
        caption += f";\nnot logarithmic, for there are values of 0: table {', '.join(unfit)}"
    return Picture(
        panels,
        caption,
        height + _TITLE_LINE_INCHES * lines,
        width,
        share_y=share,
        key=[*looks.key(), *_key_of_paper(rows)],
    )


class _Looks:
    """Looks of lines: colour, marker and dash, by the levels of factors, and their legend."""

    def __init__(
        self,
        colors: Mapping[tuple[str, str], Look],
        markers: Mapping[tuple[str, str], str],
        dashes: Mapping[tuple[str, str], str],
    ) -> None:
        self._colors = colors
        self._markers = markers
        self._dashes = dashes

    @classmethod
    def of(cls, grids: Sequence["_Grid"], options: "Options") -> "_Looks":
        """Assign looks to all levels that the tables have, each in turn for markers and dashes."""
        colored, marked, dashed = (
            dict.fromkeys(
                (getattr(grid, part), level)
                for grid in grids
                if getattr(grid, part)
                for level in levels_of(grid.rows, getattr(grid, part))
            )
            for part in ("colors", "markers", "dashes")
        )
        levels = list(dict.fromkeys(level for _, level in colored))
        looks = level_looks(levels, options.study)
        return cls(
            {place: looks[place[1]] for place in colored},
            dict(zip(marked, itertools.cycle(MARKERS))),
            dict(zip(dashed, itertools.cycle(DASHES))),
        )

    def line(self, row: "Row", grid: "_Grid") -> Look:
        """Return the look of the line of a row."""
        colored, marked, dashed = (
            (factor, level_of(row, factor)) for factor in (grid.colors, grid.markers, grid.dashes)
        )
        look = self._colors.get(colored, Look(INK))
        if grid.dashes or grid.markers:
            look = replace(look, style="-", marker=MARKERS[0])
        style = self._dashes.get(dashed, look.style)
        return replace(look, marker=self._markers.get(marked, look.marker), style=style)

    def key(self) -> list[Mark]:
        """Return the legend; with several factors, each entry names its own."""
        entries: list[tuple[tuple[str, str], Mark]] = []
        for place, look in self._colors.items():
            mark = Mark("line", (), color=look.color, style=look.style, marker=look.marker, low=())
            if self._markers or self._dashes:
                mark = replace(mark, low=None, style="-")
            entries.append((place, mark))
        for place, marker in self._markers.items():
            entries.append((place, Mark("points", (), marker=marker)))
        for place, style in self._dashes.items():
            entries.append((place, Mark("line", (), style=style)))
        shown = [(place, mark) for place, mark in entries if place[1]]
        levels = [level for (_, level), _ in shown]
        many = len({factor for (factor, _), _ in shown}) > 1
        name = said_in_full if many else named
        return [
            replace(mark, label=name(factor, level))
            for ((factor, _), mark), level in zip(shown, shortened(levels), strict=True)
        ]


def _key_of_paper(rows: Sequence["Row"]) -> list[Mark]:
    """Return the legend of the paper's values; empty if it prints none."""
    if all(row["reference"] is None for row in rows):
        return []
    doubtful = any(row["doubtful"] for row in rows)
    label = "paper (faint: doubtful)" if doubtful else "paper"
    return [Mark("points", (), filled=False, size=6.0, label=label)]


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


class _Grid:
    """Panels of a table, with factors assigned to axis, columns, colours, markers and dashes.

    `before` has the parts that factors play in the tables before; they keep them where they can.
    """

    def __init__(
        self,
        table: TableComparison,
        rows: Sequence["Row"],
        options: "Options",
        before: dict[str, _Part],
    ) -> None:
        self.rows = rows
        self.metric = table.response.metric
        self.carried = table.carried
        self.table = table.response.table
        self.title = table.response.title
        self.limits = table.response.limits
        self.is_log = table.response.is_log
        varying = [name for name in table.factors if len(levels_of(rows, name)) > 1]
        said = {options.columns, options.colors, options.markers}
        most_levels = sorted(table.factors, key=lambda name: -len(levels_of(rows, name)))
        wanted = [*filter(None, [table.response.across]), *most_levels]
        # A study without factors has a single point and no factor along the axis.
        unsaid = (name for name in wanted if name not in said)
        self.along = next(unsaid, wanted[0] if wanted else "")
        free = [name for name in varying if name not in {self.along, *said}]
        chosen: dict[_Part, str] = {
            "colors": options.colors or "",
            "columns": options.columns or "",
            "markers": options.markers or "",
            "dashes": "",
        }
        for name in tuple(free):
            if (part := before.get(name)) and not chosen[part]:
                chosen[part] = name
                free.remove(name)
        # Repeated colours are distinguished by markers, and repeated dashes are not distinguished.
        few = len(levels_of(rows, chosen["colors"] or next(iter(free), ""))) <= _COLORS
        for part in ("colors", "columns", *(("markers", "dashes") if few else ())):
            fitting = [name for name in free if part != "dashes" or self._has_dashes(name)]
            if fitting and not chosen[part]:
                chosen[part] = fitting[0]
                free.remove(fitting[0])
        before |= {name: part for part, name in chosen.items() if name}
        self.colors, self.columns = chosen["colors"], chosen["columns"]
        self.markers, self.dashes = chosen["markers"], chosen["dashes"]
        self.others = free
        self.across = levels_of(rows, self.columns)

    def _has_dashes(self, factor: str) -> bool:
        """Whether there is a dash for each level of a factor."""
        return len(levels_of(self.rows, factor)) <= len(DASHES)

    @property
    def can_be_log(self) -> bool:
        """Whether all values are above 0."""
        return all(value > 0 for value in self._values(self.rows))

    @property
    def is_flattening(self) -> bool:
        """Whether a common axis would flatten the lines of a panel."""
        of_panels = [
            list(self._values(row for row in self.rows if level_of(row, self.columns) == level))
            for level in self.across
        ]
        spans = [(min(values), max(values)) for values in of_panels]
        return self.limits == (None, None) and not self.is_log and is_flattening(spans)

    def panels(self, looks: _Looks, *, titled: bool, alone: bool) -> list[Panel]:
        """Return a panel for each level of the columns; with the name of the table if `titled`.

        If `alone`, vertical axes have the range of the table's panels explicitly, unless that
        flattens any of them.
        """
        common = self._range() if alone and not self.is_flattening else (None, None)
        low, high = (limit if limit is None else limit * self.scale for limit in self.limits)
        axis = Axis(
            self.words,
            common[0] if low is None else low,
            common[1] if high is None else high,
            log=self.is_log and self.can_be_log,
        )
        return [
            self._panel(
                [row for row in self.rows if level_of(row, self.columns) == level],
                looks,
                self._title(level, titled=titled),
                upright=axis if level == self.across[0] else replace(axis, label=""),
            )
            for level in self.across
        ]

    def _title(self, level: str, *, titled: bool) -> str:
        """Return the title of a panel: table, what it shows (the first only) and the level."""
        said = self.title if level == self.across[0] else ""
        table = ": ".join(filter(None, (f"table {self.table}", said))) if titled else said
        words = ", ".join(filter(None, (table, level and named(self.columns, level))))
        return textwrap.fill(words, _TITLE_LETTERS, break_on_hyphens=False)

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

    def _values(self, rows: Iterable["Row"]) -> Iterable[float]:
        """Yield all values to draw, on the scale of the axis."""
        ends = (row[name] for row in rows for name in ("ours", "low", "high", "reference"))
        return (end * self.scale for end in ends if end is not None)

    def _range(self) -> tuple[float, float]:
        """Return the range of values on the axis, with a margin."""
        values = list(self._values(self.rows))
        if self.is_log and self.can_be_log:
            return min(values) / 1.1, max(values) * 1.1
        room = 0.05 * (max(values) - min(values) or abs(max(values)) or 1.0)
        return min(values) - room, max(values) + room

    def _panel(self, rows: Sequence["Row"], looks: _Looks, title: str, *, upright: Axis) -> Panel:
        names = levels_of(self.rows, self.along)
        lines: dict[Any, list[Row]] = {}
        for row in rows:
            others = [(name, level) for name, level in row.items() if name not in _NUMBERS]
            lines.setdefault(
                tuple(each for each in others if each[0] != self.along), []
            ).append(row)  # fmt: skip
        marks: list[Mark] = []
        for line, beside in zip(lines.values(), _beside(len(lines)), strict=True):
            line.sort(key=lambda row: names.index(level_of(row, self.along)))
            places = [names.index(level_of(row, self.along)) + beside for row in line]
            look = looks.line(line[0], self)
            marks += [
                _line(line, places, look, self.scale),
                *_paper(line, places, look, self.scale),
            ]
        return Panel(
            Axis(self.along.replace("_", " "), -0.3, len(names) - 0.7, names=shortened(names)),
            upright,
            marks,
            title=title,
        )


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


def _paper(
    rows: Sequence["Row"], places: Sequence[float], look: Look, scale: float
) -> Iterable[Mark]:
    """Yield the paper's values of a line, hollow, and faint where they are doubtful."""
    for doubtful in (False, True):
        chosen = [
            (place, row["reference"] * scale)
            for place, row in zip(places, rows, strict=True)
            if row["reference"] is not None and row["doubtful"] == doubtful
        ]
        if chosen:
            x, y = zip(*chosen, strict=True)
            yield Mark(
                "points", x, y, look.color, marker=look.marker, filled=False, size=6.0,
                strength=_FAINT if doubtful else 1.0,
            )  # fmt: skip
