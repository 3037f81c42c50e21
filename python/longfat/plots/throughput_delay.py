"""Plot of throughput against delay, with an ellipse of the replications, as Pantheon draws it.

Yan et al., "Pantheon: the training ground for Internet congestion-control research" (2018):
less delay is to the right, so the better of two is above and to the right of the other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from longfat.analysis.words import listed
from longfat.base.numbers import counted
from longfat.plots.ellipses import Spread, outline
from longfat.plots.names import shortened
from longfat.plots.options import PLAIN, Options, Row
from longfat.plots.palette import INK, MARKERS, Look, level_looks
from longfat.plots.panels import as_many, level_of, levels_of, named, said_in_full
from longfat.plots.picture import Axis, Mark, Panel, Picture
from longfat.plots.ranges import sharing
from longfat.results.comparison import Results

SUMMARY = "goodput against delay of each combination, the better above and to the right"
SOURCE = "results"
OPTIONS = ("rows", "columns", "colors", "markers")

_GOODPUT, _MEGA, _MILLI = "goodput_bps", 1e-6, 1e3
_DELAYS = {
    "queueing_delay_p95_s": "queueing delay, 95th percentile",
    "mean_queueing_delay_s": "mean queueing delay",
    "mean_round_trip_s": "mean round trip",
}
"""Metrics of delay in words; the first one that all combinations have is drawn."""
_COLORED = ("control", "flavor", "policy", "queue")
"""Factors that have colours if the study has them, the first one first."""
_NUMBERS = {
    _GOODPUT, *_DELAYS, *(f"{metric}_deviation" for metric in (_GOODPUT, *_DELAYS)), "covariance",
    "replications",
}  # fmt: skip
_LOGARITHMIC = 20
"""Ratio of the largest to the smallest delay from which its axis is logarithmic."""
_MOST_COLUMNS = 4
_PANEL_INCHES, _WIDTH_INCHES = 2.2, 2.6


def collect(results: Results, _options: Options = PLAIN) -> list[Row]:
    """Return a row for each combination: means of goodput (bit/s) and delay (s), and their spread.

    As in comparisons, replication 0 counts only if there is no other.
    """
    found = {combination: _counting(runs) for combination, runs in results.items()}
    whole = {combination: runs for combination, runs in found.items() if runs}
    delay = next(
        (
            metric
            for metric in _DELAYS
            if whole and all(metric in run for runs in whole.values() for run in runs.values())
        ),
        None,
    )
    if delay is None:
        return []
    rows: list[Row] = []
    for combination, runs in whole.items():
        x, y = (
            {number: run[metric] for number, run in runs.items()} for metric in (delay, _GOODPUT)
        )
        spread = Spread.of(x, y)
        rows.append({
            **dict(combination),
            _GOODPUT: spread.y,
            delay: spread.x,
            f"{_GOODPUT}_deviation": spread.y_deviation,
            f"{delay}_deviation": spread.x_deviation,
            "covariance": spread.covariance,
            "replications": spread.replications if 0 not in runs else 0,
        })  # fmt: skip
    return rows


def _counting(runs: Mapping[int, Mapping[str, float]]) -> Mapping[int, Mapping[str, float]]:
    """Return the runs that count: replications from 1 on, or else replication 0."""
    return {number: run for number, run in runs.items() if number > 0} or runs


def picture(rows: Sequence[Row], options: Options = PLAIN, _source: object = ()) -> Picture:
    """Return a grid of panels by two factors, with a look for each level of two others."""
    parts = _Parts(rows, options)
    delay = next(metric for metric in _DELAYS if metric in rows[0])
    axis = _delay_axis(rows, delay)
    down, across = levels_of(rows, parts.rows), levels_of(rows, parts.columns)
    panels: list[list[Panel | None]] = [
        [
            _panel(
                [
                    row
                    for row in rows
                    if (level_of(row, parts.rows), level_of(row, parts.columns)) == (level, column)
                ],
                parts,
                delay,
                (axis, Axis("goodput in Mbit/s" if column == across[0] else "")),
                ", ".join(
                    named(factor, name)
                    for factor, name in ((parts.columns, column), (parts.rows, level))
                    if name
                ),
            )
            for column in across
        ]
        for level in down
    ]
    share = sharing(panels, "row")
    width = max(4.6, 1.0 + _WIDTH_INCHES * len(across))
    height = 0.9 + _PANEL_INCHES * len(down)
    return Picture(panels, _caption(rows, parts), height, width, share_y=share, key=parts.key())


class _Parts:
    """Factors assigned to rows and columns of panels, to colours and to markers."""

    def __init__(self, rows: Sequence[Row], options: Options) -> None:
        names = [name for name in rows[0] if name not in _NUMBERS]
        varying = [name for name in names if len(levels_of(rows, name)) > 1]
        said = {options.rows, options.columns, options.colors, options.markers}
        free = [name for name in (*_COLORED, *varying) if name in varying and name not in said]
        free = list(dict.fromkeys(free))
        self.colors = options.colors or (free.pop(0) if free else "")
        self.looks = level_looks(levels_of(rows, self.colors), options.study)
        # Repeated colours are told apart by markers.
        few = len({look.color for look in self.looks.values()}) == len(self.looks)
        columns = [name for name in free if len(levels_of(rows, name)) <= _MOST_COLUMNS]
        self.columns = options.columns or next(iter(columns), "")
        free = [name for name in free if name != self.columns]
        self.markers = options.markers or (free.pop(0) if free and few else "")
        self.rows = options.rows or (free.pop(0) if free else "")
        self.others = free
        levels = levels_of(rows, self.markers) if self.markers else []
        self.shapes = {level: MARKERS[place % len(MARKERS)] for place, level in enumerate(levels)}

    def look(self, row: Row) -> Look:
        """Return the look of a combination."""
        look = self.looks[level_of(row, self.colors)]
        return replace(look, marker=self.shapes.get(level_of(row, self.markers), look.marker))

    def key(self) -> list[Mark]:
        """Return the legend; with two factors, each entry names its own."""
        name = said_in_full if self.shapes else named
        key = [
            Mark("points", (), (), look.color, name(self.colors, short),
                 marker=MARKERS[0] if self.shapes else look.marker)
            for look, short in zip(self.looks.values(), shortened(list(self.looks)), strict=True)
            if short
        ]  # fmt: skip
        shapes = zip(self.shapes.values(), shortened(list(self.shapes)), strict=True)
        return key + [
            Mark("points", (), (), INK, name(self.markers, short), marker=marker)
            for marker, short in shapes
        ]


def _delay_axis(rows: Sequence[Row], delay: str) -> Axis:
    """Return the axis of delays in ms, from the largest to the smallest."""
    ends = [
        _MILLI * (row[delay] + side * (row[f"{delay}_deviation"] or 0.0))
        for row in rows
        for side in (-1, 0, 1)
    ]
    low, high = min(ends), max(ends)
    means = [_MILLI * row[delay] for row in rows]
    words = f"{_DELAYS[delay]} in ms"
    if min(means) > 0 and max(means) > _LOGARITHMIC * min(means):
        return Axis(words, high * 1.15, min(means) / 1.3, log=True)
    room = 0.06 * (high - low) or 0.05 * high or 0.5
    return Axis(words, high + room, low - room if low > high / 2 else min(0.0, low))


def _panel(
    rows: Sequence[Row], parts: _Parts, delay: str, axes: tuple[Axis, Axis], title: str
) -> Panel | None:
    if not rows:
        return None
    marks: list[Mark] = []
    for row in rows:
        look = parts.look(row)
        x, y = _MILLI * row[delay], _MEGA * row[_GOODPUT]
        if row["covariance"] is not None:
            marks.append(Mark("line", *_ellipse(row, delay, axes[0]), look.color, width=0.7))
        marks.append(Mark("points", [x], [y], look.color, marker=look.marker, size=5.0,
                          names=[_name(row)]))  # fmt: skip
    return Panel(*axes, marks, title=title)


def _ellipse(row: Row, delay: str, axis: Axis) -> tuple[list[float], list[float]]:
    """Return the ellipse of the replications, which ends with a logarithmic axis."""
    numbers: list[Any] = [
        _MILLI * row[delay],
        _MEGA * row[_GOODPUT],
        _MILLI * row[f"{delay}_deviation"],
        _MEGA * row[f"{_GOODPUT}_deviation"],
        _MILLI * _MEGA * row["covariance"],
    ]
    x, y = outline(*numbers)
    return [max(value, axis.high or 0.0) for value in x] if axis.log else x, y


def _name(row: Row) -> str:
    """Return the levels of all factors as text."""
    return ", ".join(str(level) for name, level in row.items() if name not in _NUMBERS)


def _caption(rows: Sequence[Row], parts: _Parts) -> str:
    counts = {row["replications"] for row in rows}
    words = f"{counted(len(rows), 'factor combination')}, "
    if counts == {0}:
        words += "deterministic runs, n = 1 each"
    else:
        words += f"means of n = {as_many(counts, 'replication')} each"
    if any(row["covariance"] is not None for row in rows):
        words += ";\nellipses: one standard deviation of the replications"
    if parts.others:
        others = listed([name.replace("_", " ") for name in parts.others])
        words += f"; points that look alike differ in {others}"
    return words
