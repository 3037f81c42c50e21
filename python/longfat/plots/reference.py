"""The paper's values against ours: on the diagonal they are equal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longfat.comparison import TableComparison
from longfat.plots.palette import NEUTRAL, level_colors
from longfat.plots.picture import Axis, Mark, Panel, Picture

if TYPE_CHECKING:
    from longfat.plots import Options, Row

SUMMARY = "the paper's values against ours, a panel for each metric"
SOURCE = "study"

_PANEL_INCHES = 3.1


def collect(tables: Sequence[TableComparison], _options: "Options") -> list["Row"]:
    """A row for each value that the paper prints and a run of ours has."""
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
    """A panel for each metric, a colour for each level of the layout's colours."""
    layout = options.layout("config", "policy")
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    panels: list[Panel | None] = [
        _panel([row for row in rows if row["metric"] == metric], metric, layout.colors,
               legend=metric == metrics[-1])
        for metric in metrics
    ]  # fmt: skip
    counts = {row["replications"] for row in rows}
    trusted = [row for row in rows if not row["doubtful"]] or rows
    error = sum(abs(row["ours"] - row["reference"]) for row in trusted) / len(trusted)
    caption = (
        f"n = {len(rows)} values, ours the mean of {min(counts)} to {max(counts)} "
        f"replications; mean absolute difference {error:.3f} without doubtful digits (hollow)"
    )
    width = 1.2 + _PANEL_INCHES * len(panels)
    return Picture([panels], caption, _PANEL_INCHES + 0.4, width)


def _panel(rows: Sequence["Row"], metric: str, factor: str, *, legend: bool) -> Panel:
    values = [row[key] for row in rows for key in ("reference", "ours")]
    low, high = min(values), max(values)
    margin = 0.05 * (high - low or 1)
    ends = [low - margin, high + margin]
    levels = list(dict.fromkeys(row.get(factor, "") for row in rows))
    colors = level_colors(levels)
    marks = [Mark("line", ends, ends, color=NEUTRAL, style=":")]
    for level in levels:
        for doubtful in (False, True):
            chosen = [
                row for row in rows if row.get(factor, "") == level and row["doubtful"] == doubtful
            ]
            if chosen:
                marks.append(
                    Mark("points", [row["reference"] for row in chosen],
                         [row["ours"] for row in chosen], color=colors[level],
                         label=level if legend and not doubtful else "", filled=not doubtful,
                         strength=0.75)
                )  # fmt: skip
    name = metric.replace("_", " ")
    return Panel(Axis(f"{name}, paper", *ends), Axis(f"{name}, longfat", *ends), marks)
