"""Efficiency against fairness: the paper's point, ours, and how far one lies from the other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from longfat.comparison import Entry, TableComparison
from longfat.plots import PLAIN, Layout, Options, Row
from longfat.plots.palette import FAINT, INK, NEUTRAL, level_colors
from longfat.plots.panels import level_of, levels_of, named
from longfat.reference import Combination

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUMMARY = "efficiency against fairness, the paper's points and ours, in panels by two factors"
SOURCE = "study"

_METRICS = ("efficiency", "fairness")
_MARKERS = ("o", "s", "^", "D", "v", "P")
_ONE_LEGEND_ROW, _LEGEND_COLUMNS = 5, 3
_WIDTH_INCHES, _PANEL_HEIGHT_INCHES = 7.16, 1.9


def collect(tables: Sequence[TableComparison], _options: Options = PLAIN) -> list[Row]:
    """A row for each factor combination that has both metrics; the paper's may be None."""
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
    return row | {"replications": entries["efficiency"].replications}


def draw(
    figure: "Figure", rows: Sequence[Row], options: Options = PLAIN, _source: object = ()
) -> None:
    """Draw a grid of panels: a row and a column for each level of the layout's factors."""
    layout = options.layout("policy")
    across, down = levels_of(rows, layout.columns), levels_of(rows, layout.rows)
    colors = level_colors(levels_of(rows, layout.colors))
    markers = _markers(levels_of(rows, layout.markers))
    figure.set_size_inches(_WIDTH_INCHES, 0.8 + _PANEL_HEIGHT_INCHES * len(down))
    panels = figure.subplots(len(down), len(across), sharex="row", sharey="row", squeeze=False)
    for row_level, panel_row in zip(down, panels, strict=True):
        for column_level, panel in zip(across, panel_row, strict=True):
            for row in rows:
                if (level_of(row, layout.rows), level_of(row, layout.columns)) == (
                    row_level,
                    column_level,
                ):
                    color = colors[level_of(row, layout.colors)]
                    _draw_pair(panel, row, color, markers[level_of(row, layout.markers)])
            panel.grid(color=FAINT, linewidth=0.4)
            panel.locator_params(nbins=5)
        panel_row[0].set_ylabel(f"{named(layout.rows, row_level)}\nfairness index".strip())
    for level, top, bottom in zip(across, panels[0], panels[-1], strict=True):
        color = colors[level] if layout.colors == layout.columns else INK
        top.set_title(named(layout.columns, level), color=color, weight="bold")
        bottom.set_xlabel("efficiency")
    _draw_legend(figure, rows, layout, colors, markers)
    _draw_caption(figure, rows)


def _draw_pair(panel: "Axes", row: Row, color: str, marker: str) -> None:
    """The paper's point hollow, if any, ours filled with its range, a line between the two."""
    ours = (row["efficiency_mean"], row["fairness_mean"])
    shape: dict[str, Any] = {"marker": marker, "markersize": 4.5, "color": color, "linestyle": ""}
    panel.errorbar(
        *ours,
        xerr=[[ours[0] - row["efficiency_min"]], [row["efficiency_max"] - ours[0]]],
        yerr=[[ours[1] - row["fairness_min"]], [row["fairness_max"] - ours[1]]],
        color=color,
        elinewidth=0.5,
        alpha=0.35,
        zorder=1,
    )
    panel.plot(*ours, **shape, markeredgewidth=0, zorder=4)
    paper = (row["efficiency_reference"], row["fairness_reference"])
    if None in paper:
        return
    strength = 0.3 if row["efficiency_doubtful"] or row["fairness_doubtful"] else 1.0
    link = list(zip(paper, ours, strict=True))
    panel.plot(*link, color=color, linewidth=0.7, alpha=0.6 * strength, zorder=2)
    panel.plot(*paper, **shape, markerfacecolor="white", alpha=strength, zorder=3)


def _draw_legend(
    figure: "Figure",
    rows: Sequence[Row],
    layout: Layout,
    colors: dict[str, str],
    markers: dict[str, str],
) -> None:
    from matplotlib.lines import Line2D

    shape: dict[str, Any] = {"marker": "o", "color": INK, "linestyle": ""}
    told = layout.colors not in (layout.columns, layout.markers)
    handles = [
        Line2D([], [], marker="o", color=color, linestyle="", label=named(layout.colors, level))
        for level, color in colors.items()
        if level and told
    ]
    handles += [
        Line2D(
            [], [], marker=marker, color=NEUTRAL, linestyle="", label=named(layout.markers, level)
        )
        for level, marker in markers.items()
        if level
    ]
    if any(row["efficiency_reference"] is not None for row in rows):
        paper = Line2D([], [], **shape, markerfacecolor="white", label="paper (faint: doubtful)")
        handles.append(paper)
    handles += [
        Line2D([], [], **shape, label="longfat, mean"),
        Line2D([], [], color=INK, linewidth=0.8, alpha=0.5, label="range of replications"),
    ]
    columns = len(handles) if len(handles) <= _ONE_LEGEND_ROW else _LEGEND_COLUMNS
    figure.legend(handles=handles, loc="outside upper center", ncols=columns, frameon=False)


def _draw_caption(figure: "Figure", rows: Sequence[Row]) -> None:
    counts = {row["replications"] for row in rows}
    replications = f"{min(counts)}" if len(counts) == 1 else f"{min(counts)} to {max(counts)}"
    caption = f"{len(rows)} factor combinations, n = {replications} replications each"
    figure.supxlabel(caption, fontsize=7, color=INK)


def _markers(levels: Sequence[str]) -> dict[str, str]:
    return {level: _MARKERS[index % len(_MARKERS)] for index, level in enumerate(levels)}
