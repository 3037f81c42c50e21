"""Plot of efficiency against fairness: the paper's point, ours, and a line between them."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from longfat.base.numbers import counted
from longfat.plots.ellipses import Spread, outline
from longfat.plots.names import shortened
from longfat.plots.options import PLAIN, Layout, Options, Row
from longfat.plots.palette import INK, MARKERS, NEUTRAL, level_looks
from longfat.plots.panels import as_many, level_label, level_of, levels_of, said_in_full
from longfat.plots.picture import Axis, Mark, Panel, Picture
from longfat.results.comparison import Entry, TableComparison
from longfat.studies.reference import Combination

SUMMARY = "efficiency against fairness of each combination, in panels by two factors"
SOURCE = "study"
OPTIONS = ("rows", "columns", "colors", "markers")

_METRICS = ("efficiency", "fairness")
_OF_METRICS = ("reference", "doubtful", "mean", "min", "max", "deviation")
_NUMBERS = {f"{metric}_{name}" for metric in _METRICS for name in _OF_METRICS} | {
    "covariance",
    "replications",
}
_PANEL_HEIGHT_INCHES = 1.9
_LEAST_SPAN = 0.02
"""Smallest span of an axis, so that negligible differences are not magnified."""


def collect(tables: Sequence[TableComparison], _options: Options = PLAIN) -> list[Row]:
    """Return a row for each factor combination with both metrics; the paper's may be None."""
    entries: dict[Combination, dict[str, Entry]] = {}
    for table in tables:
        for entry in table.entries:
            if entry.mean is not None:
                entries.setdefault(entry.combination, {})[table.response.metric] = entry
    return [
        _row(combination, found)
        for combination, found in entries.items()
        if all(metric in found for metric in _METRICS)
    ]


def _row(combination: Combination, entries: dict[str, Entry]) -> Row:
    row: dict[str, Any] = dict(combination)
    for metric in _METRICS:
        entry = entries[metric]
        row |= {
            f"{metric}_reference": entry.reference,
            f"{metric}_doubtful": entry.doubtful,
            f"{metric}_mean": entry.mean,
            f"{metric}_min": entry.minimum,
            f"{metric}_max": entry.maximum,
        }
    spread = Spread.of(*(entries[metric].repeated for metric in _METRICS))
    return row | {
        "efficiency_deviation": spread.x_deviation,
        "fairness_deviation": spread.y_deviation,
        "covariance": spread.covariance,
        "replications": spread.replications,
    }


def picture(rows: Sequence[Row], options: Options = PLAIN, _source: object = ()) -> Picture:
    """Return a grid of panels: a row and a column for each level of the layout's factors."""
    factors = list(dict.fromkeys(name for row in rows for name in row if name not in _NUMBERS))
    layout = options.layout("policy", factors=factors, parts=("rows", "columns", "markers"))
    across, down = levels_of(rows, layout.columns), levels_of(rows, layout.rows)
    looks = level_looks(levels_of(rows, layout.colors), options.study)
    colors = {level: look.color for level, look in looks.items()}
    markers = _markers(levels_of(rows, layout.markers))
    is_free = len(markers) == 1 or layout.markers == layout.colors
    if is_free and len(set(colors.values())) < len(colors):
        # A repeated colour needs another marker.
        layout = replace(layout, markers=layout.colors)
        markers = {level: look.marker for level, look in looks.items()}
    panels = [
        [
            _panel(
                [
                    row
                    for row in rows
                    if level_of(row, layout.rows) == row_level
                    and level_of(row, layout.columns) == column_level
                ],
                layout,
                colors,
                markers,
                _frame(
                    layout,
                    (down, row_level),
                    (across, column_level),
                    colors,
                    [row for row in rows if level_of(row, layout.rows) == row_level],
                ),
            )
            for column_level in across
        ]
        for row_level in down
    ]
    return Picture(
        panels,
        _caption(rows),
        0.9 + _PANEL_HEIGHT_INCHES * len(down),
        share_x="row",
        share_y="row",
        key=_key(rows, layout, colors, markers),
    )


def _frame(
    layout: Layout,
    row: tuple[Sequence[str], str],
    column: tuple[Sequence[str], str],
    colors: Mapping[str, str],
    shown: Sequence[Row],
) -> Panel:
    """Return a panel without marks.

    `row` and `column` have all levels and the panel's own; `shown` are the data of its row.
    """
    (down, row_level), (across, column_level) = row, column
    words = level_label(layout.rows, row_level, down)
    return Panel(
        Axis("efficiency", *_least_span(shown, "efficiency")),
        Axis(
            f"{words}\nfairness index".strip() if column_level == across[0] else "",
            *_least_span(shown, "fairness"),
        ),
        (),
        title=level_label(layout.columns, column_level, across) if row_level == down[0] else "",
        title_color=colors[column_level] if layout.colors == layout.columns else INK,
    )


def _least_span(rows: Sequence[Row], metric: str) -> tuple[float | None, float | None]:
    """Return the ends of an axis with nearly equal values; (None, None) to use the values' own."""
    names = [f"{metric}_{name}" for name in ("reference", "min", "max")]
    values = [row[name] for row in rows for name in names if row.get(name) is not None]
    low, high = min(values), max(values)
    if high - low >= _LEAST_SPAN:
        return None, None
    middle = (low + high) / 2
    return middle - _LEAST_SPAN / 2, middle + _LEAST_SPAN / 2


def _panel(
    rows: Sequence[Row],
    layout: Layout,
    colors: Mapping[str, str],
    markers: Mapping[str, str],
    frame: Panel,
) -> Panel:
    """Return a panel with the paper's points (hollow), ours (filled, with ellipses), and lines."""
    looks: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        look = colors[level_of(row, layout.colors)], markers[level_of(row, layout.markers)]
        looks.setdefault(look, []).append(row)
    marks: list[Mark] = []
    for (color, marker), chosen in looks.items():
        marks += _ellipses(chosen, color)
        for doubtful in (False, True):
            printed = [row for row in chosen if _printed(row) and _doubtful(row) == doubtful]
            marks += _printed_points(printed, color, marker, 0.3 if doubtful else 1.0)
        marks.append(
            Mark(
                "points",
                [row["efficiency_mean"] for row in chosen],
                [row["fairness_mean"] for row in chosen],
                color=color,
                marker=marker,
                names=[_name(row) for row in chosen],
            )
        )
    return replace(frame, marks=marks)


def _printed(row: Row) -> bool:
    return row["efficiency_reference"] is not None and row["fairness_reference"] is not None


def _doubtful(row: Row) -> bool:
    return bool(row["efficiency_doubtful"] or row["fairness_doubtful"])


def _printed_points(
    rows: Sequence[Row], color: str, marker: str, strength: float
) -> Iterator[Mark]:
    """Yield the paper's points, and a line from each to ours."""
    if not rows:
        return
    x = [row["efficiency_reference"] for row in rows]
    y = [row["fairness_reference"] for row in rows]
    gap = float("nan")
    joined = [
        ((left, row["efficiency_mean"], gap), (low, row["fairness_mean"], gap))
        for left, low, row in zip(x, y, rows, strict=True)
    ]
    yield Mark(
        "line",
        [value for ends, _ in joined for value in ends],
        [value for _, ends in joined for value in ends],
        color=color,
        width=0.7,
        strength=0.6 * strength,
    )
    yield Mark(
        "points", x, y, color=color, marker=marker, filled=False, strength=strength,
        names=[f"paper: {_name(row)}" for row in rows],
    )  # fmt: skip


def _ellipses(rows: Sequence[Row], color: str) -> Iterator[Mark]:
    """Yield covariance ellipses of the replications, at one standard deviation from the means."""
    x: list[float] = []
    y: list[float] = []
    for row in rows:
        if row["covariance"] is not None:
            names = (*(f"{metric}_mean" for metric in _METRICS),
                     *(f"{metric}_deviation" for metric in _METRICS), "covariance")  # fmt: skip
            ellipse = outline(*(row[name] for name in names))
            for points, values in zip((x, y), ellipse, strict=True):
                points += [*values, float("nan")]
    if x:
        yield Mark("line", x, y, color=color, width=0.6, strength=0.7)


def _key(
    rows: Sequence[Row], layout: Layout, colors: Mapping[str, str], markers: Mapping[str, str]
) -> list[Mark]:
    is_one = layout.colors == layout.markers
    key: list[Mark] = []
    name: Callable[[str, str, Collection[str]], str] = level_label
    if layout.colors not in (layout.columns, layout.markers):
        if markers.keys() != {""}:  # levels of two factors
            name = _in_full
        key += _key_of(layout.colors, colors, {}, name)
    key += _key_of(layout.markers, colors if is_one else {}, markers, name)
    if any(_printed(row) for row in rows):
        key.append(Mark("points", (), filled=False, label="paper (faint: doubtful)"))
        key.append(Mark("line", (), width=0.8, label="same combination"))
    return [*key, Mark("points", (), label="longfat, mean")]


def _in_full(factor: str, level: str, levels: Collection[str]) -> str:
    return said_in_full(factor, level) if level else level_label(factor, level, levels)


def _key_of(
    factor: str,
    colors: Mapping[str, str],
    markers: Mapping[str, str],
    name: Callable[[str, str, Collection[str]], str],
) -> Iterator[Mark]:
    """Yield a mark for each level of a factor, with its colour or marker or both."""
    levels = list(markers or colors)
    names = shortened([name(factor, level, levels) for level in levels])
    for level, label in zip(levels, names, strict=True):
        if levels != [""]:
            color, marker = colors.get(level, NEUTRAL), markers.get(level, "o")
            yield Mark("points", (), color=color, marker=marker, label=label)


def _caption(rows: Sequence[Row]) -> str:
    counts = {row["replications"] for row in rows}
    words = f"{counted(len(rows), 'factor combination')}, "
    if counts == {0}:
        return words + "deterministic runs, n = 1 each"
    words += f"n = {as_many(counts, 'replication')} each"
    if any(row["covariance"] is not None for row in rows):
        words += "; ellipses: one standard deviation of the replications"
    return words


def _name(row: Row) -> str:
    """Return the levels of all factors as text."""
    levels = (value for key, value in row.items() if key not in _NUMBERS)
    return ", ".join(str(level) for level in levels)


def _markers(levels: Sequence[str]) -> dict[str, str]:
    return {level: MARKERS[index % len(MARKERS)] for index, level in enumerate(levels)}
