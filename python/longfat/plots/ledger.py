"""Where the capacity went: a bar for each factor combination, divided by cause."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longfat.ledger import IDLE_PREFIX, METRIC_PREFIX, LedgerRow
from longfat.plots import PLAIN, Layout, Options, Row
from longfat.plots.palette import FAINT, INK
from longfat.plots.panels import level_of, levels_of, named
from longfat.report.ledger import SHOWN_FROM, cause_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUMMARY = "where the capacity went: a bar for each combination, in panels by two factors"
SOURCE = "ledgers"

Style = Mapping[str, Any]

# What the line sent is coloured (Okabe and Ito), what it did not is grey and hatched: the kinds
# differ without colours, and neighbours of one kind differ in lightness.
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
_WIDTH_INCHES, _BAR_INCHES, _PANEL_INCHES, _FRAME_INCHES = 7.16, 0.19, 0.25, 1.15
_LEGEND_COLUMNS = 4


def collect(ledgers: Sequence[LedgerRow], _options: Options = PLAIN) -> list[Row]:
    """A row for each combination: its levels, mean shares by cause, and runs."""
    return [
        {
            **dict(row.levels),
            **{f"{METRIC_PREFIX}{cause}": share for cause, share in row.shares.items()},
            "runs": row.runs,
        }
        for row in ledgers
    ]


def draw(
    figure: "Figure", rows: Sequence[Row], options: Options = PLAIN, _source: object = ()
) -> None:
    """Draw a grid of panels, and in each a bar for every combination of the other factors."""
    layout = options.layout("policy")
    across, down = levels_of(rows, layout.columns), levels_of(rows, layout.rows)
    styles = _styles(rows)
    cells = {
        (row_level, column_level): [
            row
            for row in rows
            if level_of(row, layout.rows) == row_level
            and level_of(row, layout.columns) == column_level
        ]
        for row_level in down
        for column_level in across
    }
    heights = [max(len(cells[level, column]) for column in across) for level in down]
    inches = _FRAME_INCHES + sum(_PANEL_INCHES + _BAR_INCHES * bars for bars in heights)
    figure.set_size_inches(_WIDTH_INCHES, inches)
    panels = figure.subplots(
        len(down), len(across), sharex=True, sharey="row", squeeze=False, height_ratios=heights
    )
    for row_level, panel_row in zip(down, panels, strict=True):
        for column_level, panel in zip(across, panel_row, strict=True):
            _draw_bars(panel, cells[row_level, column_level], styles, layout)
        panel_row[0].set_ylabel(named(layout.rows, row_level), weight="bold")
    for level, top in zip(across, panels[0], strict=True):
        top.set_title(named(layout.columns, level), weight="bold", color=INK)
    for bottom in panels[-1]:
        bottom.set_xlabel("% of the duration")
    _draw_legend(figure, styles)
    _draw_caption(figure, rows)


def _styles(rows: Sequence[Row]) -> dict[str, Style]:
    """How the causes that matter in any row are filled; a cause looks the same in every picture."""
    metrics = [name for name in rows[0] if name.startswith(METRIC_PREFIX)]
    causes = [name.removeprefix(METRIC_PREFIX) for name in metrics]
    sent = [cause for cause in causes if not cause.startswith(IDLE_PREFIX)]
    idle = [cause for cause in causes if cause.startswith(IDLE_PREFIX)]
    fills: dict[str, Style] = {
        cause: {"facecolor": _SENT[place % len(_SENT)]} for place, cause in enumerate(sent)
    }
    for place, cause in enumerate(idle):
        shade, hatch = _IDLE[place % len(_IDLE)]
        fills[cause] = {"facecolor": shade, "hatch": hatch}
    largest = {cause: max(row[f"{METRIC_PREFIX}{cause}"] for row in rows) for cause in fills}
    return {cause: fill for cause, fill in fills.items() if largest[cause] >= SHOWN_FROM}


def _draw_bars(
    panel: "Axes", rows: Sequence[Row], styles: Mapping[str, Style], layout: Layout
) -> None:
    labels = [_bar_label(row, layout) for row in rows]
    left = [0.0] * len(rows)
    for cause, style in styles.items():
        widths = [100 * row[f"{METRIC_PREFIX}{cause}"] for row in rows]
        panel.barh(
            range(len(rows)), widths, left=left, height=0.8, edgecolor="#777777", linewidth=0.2,
            **style,
        )  # fmt: skip
        left = [start + width for start, width in zip(left, widths, strict=True)]
    panel.set_yticks(range(len(rows)), labels)
    panel.set_ylim(len(rows) - 0.4, -0.6)
    panel.set_xlim(0, 100)
    panel.tick_params(axis="y", length=0)
    panel.set_axisbelow(True)
    panel.grid(axis="x", color=FAINT, linewidth=0.4)


def _bar_label(row: Row, layout: Layout) -> str:
    """The levels of the factors that make no panels."""
    factors = [
        name
        for name in row
        if not name.startswith(METRIC_PREFIX) and name not in ("runs", layout.rows, layout.columns)
    ]
    return ", ".join(named(factor, level_of(row, factor)) for factor in factors)


def _draw_legend(figure: "Figure", styles: Mapping[str, Style]) -> None:
    from matplotlib.patches import Patch

    handles = [
        Patch(label=cause_words(cause), edgecolor="#777777", linewidth=0.3, **style)
        for cause, style in styles.items()
    ]
    columns = min(len(handles), _LEGEND_COLUMNS)
    figure.legend(handles=handles, loc="outside upper center", ncols=columns, frameon=False)


def _draw_caption(figure: "Figure", rows: Sequence[Row]) -> None:
    counts = {row["runs"] for row in rows}
    runs = f"{min(counts)}" if len(counts) == 1 else f"{min(counts)} to {max(counts)}"
    caption = f"{len(rows)} factor combinations, mean of n = {runs} runs each"
    figure.supxlabel(caption, fontsize=7, color=INK)
