"""Scatter plot of our values against the paper's: on the diagonal they are equal."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from longfat.base.numbers import significant
from longfat.plots.palette import NEUTRAL, level_colors
from longfat.plots.panels import as_many, level_of, levels_of, named
from longfat.plots.picture import Axis, Mark, Panel, Picture
from longfat.results.comparison import TableComparison

if TYPE_CHECKING:
    from longfat.plots.options import Options, Row

SUMMARY = "the paper's values against ours, a panel for each metric"
SOURCE = "study"
OPTIONS = ("rows", "columns", "colors")

_PANEL_INCHES = 3.1
_LEAST_SPAN = 0.02
"""Smallest span of an axis, as a share of its largest value."""
_REACH = 0.55
"""Half-length of an axis, as a share of the span of the values."""
_NUMBERS = {"table", "metric", "reference", "doubtful", "ours", "low", "high", "replications"}


def collect(tables: Sequence[TableComparison], _options: "Options") -> list["Row"]:
    """Return a row for each entry with a value of the paper and one of ours."""
    return [
        {
            **dict(entry.combination),
            "table": table.response.table,
            "metric": table.response.metric,
            "reference": entry.reference,
            "doubtful": entry.doubtful,
            "ours": entry.ours,
            "low": entry.minimum,
            "high": entry.maximum,
            "replications": entry.replications,
        }
        for table in tables
        for entry in table.entries
        if entry.reference is not None and entry.ours is not None
    ]


def picture(
    rows: Sequence["Row"], options: "Options", _tables: Sequence[TableComparison]
) -> Picture:
    """Return a panel for each metric, with a colour for each level of the layout's colours."""
    layout = options.layout("config", "policy")
    colors = level_colors(levels_of(rows, layout.colors), options.study)
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    panels: list[Panel | None] = [
        _panel([row for row in rows if row["metric"] == metric], metric, layout.colors, colors)
        for metric in metrics
    ]  # fmt: skip
    counts = {row["replications"] for row in rows}
    ours = "deterministic" if counts == {0} else f"the mean of {as_many(counts, 'replication')}"
    errors = ", ".join(
        f"{metric.replace('_', ' ')} {significant(_error(rows, metric), 3)}" for metric in metrics
    )
    caption = (
        f"n = {len(rows)} values, ours {ours};\n"
        f"mean absolute difference without doubtful digits (hollow): {errors}"
    )
    width = 1.2 + _PANEL_INCHES * len(panels)
    key = [
        Mark("points", (), color=color, label=named(layout.colors, level))
        for level, color in colors.items()
        if level
    ]
    return Picture([panels], caption, _PANEL_INCHES + 0.6, width, key=key, is_square=True)


def _error(rows: Sequence["Row"], metric: str) -> float:
    """Compute the mean absolute error of a metric, over trusted values if there are any."""
    chosen = [row for row in rows if row["metric"] == metric]
    trusted = [row for row in chosen if not row["doubtful"]] or chosen
    return fmean(abs(row["ours"] - row["reference"]) for row in trusted)


def _name(row: "Row") -> str:
    """Return the levels of all factors as text."""
    return ", ".join(str(value) for key, value in row.items() if key not in _NUMBERS)


def _panel(rows: Sequence["Row"], metric: str, factor: str, colors: Mapping[str, str]) -> Panel:
    values = [row[key] for row in rows for key in ("reference", "ours")]
    low, high = min(values), max(values)
    # A single value, or nearly equal ones, need a margin.
    reach = max(high - low, _LEAST_SPAN * max(abs(low), abs(high)) or 1) * _REACH
    ends = [(low + high) / 2 - reach, (low + high) / 2 + reach]
    levels = levels_of(rows, factor)
    marks = [Mark("line", ends, ends, color=NEUTRAL, style=":")]
    for level in levels:
        for doubtful in (False, True):
            chosen = [
                row
                for row in rows
                if level_of(row, factor) == level and row["doubtful"] == doubtful
            ]
            if chosen:
                marks.append(
                    Mark("points", [row["reference"] for row in chosen],
                         [row["ours"] for row in chosen], color=colors[level],
                         filled=not doubtful, strength=0.75,
                         names=[_name(row) for row in chosen])
                )  # fmt: skip
    name = metric.replace("_", " ")
    return Panel(Axis(f"{name}, paper", *ends), Axis(f"{name}, longfat", *ends), marks)
