"""Plot of capacity ledgers: a bar for each factor combination, divided by cause."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from longfat.analysis.words import listed
from longfat.base.numbers import counted
from longfat.plots.names import shortened
from longfat.plots.options import PLAIN, Layout, Options, Row
from longfat.plots.panels import as_many, level_of, levels_of, named, not_varied
from longfat.plots.picture import Axis, Mark, Panel, Picture
from longfat.records.tables import cause_words
from longfat.results.ledger import IDLE_PREFIX, METRIC_PREFIX, SHOWN_FROM, LedgerRow

SUMMARY = "where the capacity went: a bar for each combination, in panels by two factors"
SOURCE = "ledgers"
OPTIONS = ("rows", "columns")

# Causes of sending are coloured (Okabe and Ito), causes of an idle line are grey and hatched: the
# two differ without colours, and neighbours of one kind differ in lightness.
_SENT = ("#0072B2", "#E69F00", "#F0E442", "#D55E00", "#009E73", "#CC79A7", "#88CCB8", "#56B4E9")
_IDLE = (
    ("#e6e6e6", "...."),
    ("#d0d0d0", "////"),
    ("#a8a8a8", "xxxx"),
    ("#8c8c8c", ""),
    ("#f2f2f2", "||||"),
    ("#3d3d3d", ""),
    ("#ffffff", "\\\\\\\\"),
)
_LONGEST_LABEL, _LONGEST_BARE = 32, 48
"""Largest number of letters of a bar's label, with the names of factors and without."""
_MOST_BARS = 40
"""Largest number of bars of a panel: what fits a page."""
_BAR_INCHES, _PANEL_INCHES, _FRAME_INCHES = 0.19, 0.25, 1.15


def collect(ledgers: Sequence[LedgerRow], _options: Options = PLAIN) -> list[Row]:
    """Return a row for each combination: its levels, mean shares by cause, and runs."""
    return [
        {
            **dict(row.levels),
            **{f"{METRIC_PREFIX}{cause}": share for cause, share in row.shares.items()},
            "runs": row.runs,
        }
        for row in ledgers
    ]


def picture(rows: Sequence[Row], options: Options = PLAIN, _source: object = ()) -> Picture:
    """Return a grid of panels, each with a bar for every combination of the other factors.

    If the bars differ between columns, all panels are in one column.
    """
    rows = _in_order(rows)
    layout = options.layout("policy", factors=_factors(rows))
    styles = _styles(rows)
    labels = _Labels.of(rows, layout)
    if not labels.factors:  # in place of rows of panels with a bar each
        layout = replace(layout, rows="")
        labels = _Labels.of(rows, layout)
    cells: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        place = level_of(row, layout.rows), level_of(row, layout.columns)
        cells.setdefault(place, []).append(row)
    panels = _grid(
        {
            place: _panel(chosen, styles, labels.labels(chosen), _lone_title(layout, *place))
            for place, chosen in cells.items()
        },
        layout,
    )
    panels = [part for row in panels for part in _divided(row)]
    heights = [max(len(panel.y.names) for panel in row) for row in panels]
    return Picture(
        panels,
        _caption(rows, labels),
        _FRAME_INCHES + sum(_PANEL_INCHES + _BAR_INCHES * bars for bars in heights),
        share_x="all",
        share_y="row",
        heights=heights,
        key=[
            Mark("horizontal-bars", (), label=cause_words(cause), color=color, hatch=hatch)
            for cause, (color, hatch) in styles.items()
        ],
    )


@dataclass(frozen=True)
class _Labels:
    """Labels of bars: the levels of `factors`, without factor names if `are_bare`.

    `common` are the levels that all bars share.
    """

    factors: Sequence[str]
    are_bare: bool = False
    common: Sequence[str] = ()

    @classmethod
    def of(cls, rows: Sequence[Row], layout: Layout) -> "_Labels":
        """Choose the labels of these rows; levels common to all of them go into the caption."""
        others = [name for name in _factors(rows) if name not in (layout.rows, layout.columns)]
        common = [name for name in others if len(levels_of(rows, name)) == 1]
        factors = [name for name in others if name not in common]
        longest = max(len(cls(factors).label(row)) for row in rows)
        # With a single factor, a bare number would be meaningless.
        are_bare = len(factors) > 1 and longest > _LONGEST_LABEL
        return cls(factors, are_bare, [f"{_words(name)} {rows[0][name]}" for name in common])

    def labels(self, rows: Sequence[Row]) -> list[str]:
        """Return the labels of the bars of a panel, shortened."""
        return shortened([self.label(row) for row in rows], _LONGEST_BARE)

    def label(self, row: Row) -> str:
        """Return the label of a bar in full."""
        levels = {factor: level_of(row, factor) for factor in self.factors}
        if self.are_bare:
            return ", ".join(level or "-" for level in levels.values())
        said = ", ".join(named(factor, level) for factor, level in levels.items() if level)
        return said or (not_varied(self.factors) if self.factors else "")


def _grid(panels: Mapping[tuple[str, str], Panel], layout: Layout) -> list[list[Panel]]:
    """Arrange panels by the layout's factors, or all in one column if their bars differ."""
    down, across = (list(dict.fromkeys(levels)) for levels in zip(*panels, strict=True))
    bars = {place: panel.y.names for place, panel in panels.items()}
    if not all(
        bars.get((row_level, column_level), []) == bars.get((row_level, across[0]))
        for row_level in down
        for column_level in across
    ):
        return [[replace(panel, title=panel.heading)] for panel in panels.values()]
    return [
        [
            _titled(
                panels[row_level, column_level],
                named(layout.rows, row_level) if column_level == across[0] else "",
                named(layout.columns, column_level) if row_level == down[0] else "",
            )
            for column_level in across
        ]
        for row_level in down
    ]


def _divided(row: Sequence[Panel]) -> list[list[Panel]]:
    """Divide a row of panels with more bars than fit a page into rows below each other."""
    bars = len(row[0].y.names)
    parts = math.ceil(bars / _MOST_BARS)
    each = math.ceil(bars / parts)
    starts = range(0, bars, each)
    return [[_cut(panel, slice(start, start + each)) for panel in row] for start in starts]


def _cut(panel: Panel, part: slice) -> Panel:
    """Return a panel with some of its bars."""
    names = panel.y.names[part]
    if len(names) == len(panel.y.names):
        return panel
    marks = [
        replace(mark, x=range(len(names)), y=mark.y[part], low=(mark.low or ())[part],
                names=mark.names[part])
        for mark in panel.marks
    ]  # fmt: skip
    more = f"{panel.title} (continued)" if part.start and panel.title else panel.title
    axis = replace(panel.y, low=len(names) - 0.4, names=names)
    return replace(panel, y=axis, marks=marks, title=more)


def _titled(panel: Panel, row_name: str, title: str) -> Panel:
    return replace(panel, y=replace(panel.y, label=row_name), title=title)


def fills(causes: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return colour and hatch of each cause; `causes` are a whole ledger, for consistency."""
    sent = [cause for cause in causes if not cause.startswith(IDLE_PREFIX)]
    idle = [cause for cause in causes if cause.startswith(IDLE_PREFIX)]
    styles = {cause: (_SENT[place % len(_SENT)], "") for place, cause in enumerate(sent)}
    return styles | {cause: _IDLE[place % len(_IDLE)] for place, cause in enumerate(idle)}


def _styles(rows: Sequence[Row]) -> dict[str, tuple[str, str]]:
    """Return colour and hatch of the causes with a share of at least `SHOWN_FROM`."""
    metrics = [name for name in rows[0] if name.startswith(METRIC_PREFIX)]
    styles = fills([name.removeprefix(METRIC_PREFIX) for name in metrics])
    largest = {cause: max(row[f"{METRIC_PREFIX}{cause}"] for row in rows) for cause in styles}
    return {cause: style for cause, style in styles.items() if largest[cause] >= SHOWN_FROM}


def _panel(
    rows: Sequence[Row],
    styles: Mapping[str, tuple[str, str]],
    labels: Sequence[str],
    heading: str,
) -> Panel:
    left = [0.0] * len(rows)
    marks = []
    for cause, (color, hatch) in styles.items():
        ends = [
            start + 100 * row[f"{METRIC_PREFIX}{cause}"]
            for start, row in zip(left, rows, strict=True)
        ]
        marks.append(
            Mark("horizontal-bars", range(len(rows)), ends, color=color, hatch=hatch, low=left,
                 names=[f"{cause_words(cause)}: {label or heading}" for label in labels])
        )  # fmt: skip
        left = ends
    return Panel(
        Axis("% of the duration", 0, 100),
        Axis("", len(rows) - 0.4, -0.6, names=labels),
        marks,
        heading=heading,
    )


def _lone_title(layout: Layout, row_level: str, column_level: str) -> str:
    """Return the title of a panel outside of a grid."""
    names = (named(layout.rows, row_level), named(layout.columns, column_level))
    return ", ".join(filter(None, names))


def _in_order(rows: Sequence[Row]) -> list[Row]:
    """Return rows in the order of their levels: numbers ascending, others as they appear."""
    levels = {name: levels_of(rows, name) for name in _factors(rows)}
    return sorted(
        rows, key=lambda row: [own.index(level_of(row, name)) for name, own in levels.items()]
    )


def _factors(rows: Sequence[Row]) -> list[str]:
    names = dict.fromkeys(name for row in rows for name in row)
    return [name for name in names if not name.startswith(METRIC_PREFIX) and name != "runs"]


def _caption(rows: Sequence[Row], labels: _Labels) -> str:
    counts = {row["runs"] for row in rows}
    mean = "" if counts == {1} else "mean of "
    words = f"{counted(len(rows), 'factor combination')}, {mean}n = {as_many(counts, 'run')} each"
    if labels.factors:
        words += f"; bars by {listed([_words(name) for name in labels.factors])}"
    if labels.common:
        words += f";\n{'all ' * (len(rows) > 1)}with {listed(labels.common)}"
    return words


def _words(factor: str) -> str:
    return factor.replace("_", " ")
