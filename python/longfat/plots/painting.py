"""A picture painted with matplotlib, for papers."""

from typing import TYPE_CHECKING, Any

from longfat.plots.palette import EDGE, FAINT, INK
from longfat.plots.picture import BAR_THICKNESS, Axis, Guide, Mark, Panel, Picture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LONG_NAME, _FEW_NAMES = 9, 3
"""More names than a few, some of them long, are set aslant."""
_ONE_KEY_ROW, _KEY_COLUMNS = 5, 4


def paint(figure: "Figure", picture: Picture) -> None:
    """Draw a picture into an empty figure of matplotlib."""
    figure.set_size_inches(picture.width_inches, picture.height_inches)
    grid = figure.subplots(
        len(picture.panels),
        len(picture.panels[0]),
        squeeze=False,
        sharex=picture.share_x,
        sharey=picture.share_y,
        height_ratios=list(picture.heights) or None,
    )
    for row, (axes_row, panels) in enumerate(zip(grid, picture.panels, strict=True)):
        for axes, panel in zip(axes_row, panels, strict=True):
            if panel is None:
                axes.set_axis_off()
                continue
            bottom = row + 1 == len(picture.panels)
            _paint_panel(axes, panel, names_x=bottom or picture.share_x == "none")
            if panel.legend and not picture.key:
                _paint_legend(axes, panel)
    if picture.key:
        _paint_key(figure, picture.key)
    figure.supxlabel(picture.caption, fontsize=7, color=INK)


def _paint_panel(axes: "Axes", panel: Panel, *, names_x: bool) -> None:
    axes.grid(color=FAINT, linewidth=0.4)
    axes.set_axisbelow(True)
    for mark in panel.marks:
        _PAINTERS[mark.kind](axes, mark)
    for guide in panel.guides:
        _paint_guide(axes, guide)
    if panel.note:
        middle: dict[str, Any] = {"transform": axes.transAxes, "ha": "center", "va": "center"}
        axes.text(0.5, 0.5, panel.note, color=INK, **middle)
    if names_x:
        axes.set_xlabel(panel.x.label)
    axes.set_ylabel(panel.y.label)
    axes.set_title(panel.title, loc="left", weight="bold", color=panel.title_color)
    for axis, which in ((panel.x, "x"), (panel.y, "y")):
        _set_axis(axes, axis, which)


def _paint_legend(axes: "Axes", panel: Panel) -> None:
    labels = sum(1 for mark in panel.marks if mark.label)
    if labels:
        axes.legend(
            loc="upper left",
            bbox_to_anchor=(1.0, 1.0),
            frameon=False,
            fontsize=7,
            handlelength=1.6,
            ncols=1 if labels <= 10 else 2,
        )


def _paint_key(figure: "Figure", key: "Sequence[Mark]") -> None:
    columns = len(key) if len(key) <= _ONE_KEY_ROW else _KEY_COLUMNS
    figure.legend(
        handles=[_handle(mark) for mark in key],
        loc="outside upper center",
        ncols=columns,
        frameon=False,
    )


def _handle(mark: Mark) -> Any:
    """What stands for a mark in a key: a bar's patch, a line, or a point."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if mark.kind in ("bars", "horizontal-bars", "area"):
        return Patch(
            label=mark.label, facecolor=mark.color, hatch=mark.hatch or None, alpha=mark.strength,
            edgecolor=EDGE, linewidth=0.3,
        )  # fmt: skip
    style: Any = mark.style
    if mark.kind != "points":
        return Line2D(
            [], [], label=mark.label, color=mark.color, linewidth=mark.width, linestyle=style,
            alpha=mark.strength,
        )  # fmt: skip
    return Line2D(
        [], [], label=mark.label, color=mark.color, linestyle="", marker=mark.marker,
        alpha=mark.strength, markerfacecolor=mark.color if mark.filled else "white",
    )  # fmt: skip


def _set_axis(axes: "Axes", axis: Axis, which: str) -> None:
    settings: dict[str, Any] = {}
    if axis.log:
        settings[f"{which}scale"] = "log"
    if axis.low is not None or axis.high is not None:
        settings[f"{which}lim"] = (axis.low, axis.high)
    if axis.names:
        settings |= {f"{which}ticks": range(len(axis.names)), f"{which}ticklabels": axis.names}
    elif axis.ticks:
        settings |= {
            f"{which}ticks": axis.ticks,
            f"{which}ticklabels": [f"{tick:g}" for tick in axis.ticks],
        }
    axes.set(**settings)
    if which == "x" and len(axis.names) > _FEW_NAMES and max(map(len, axis.names)) > _LONG_NAME:
        for label in axes.get_xticklabels():
            label.set(rotation=25, ha="right", rotation_mode="anchor")
    if axis.ticks:
        (axes.xaxis if which == "x" else axes.yaxis).minorticks_off()


def _paint_line(axes: "Axes", mark: Mark) -> None:
    points: dict[str, Any] = {}
    if mark.low is not None:
        points = {"marker": mark.marker, "markersize": mark.size}
    axes.plot(
        mark.x, mark.y, color=mark.color, label=mark.label or "_", linewidth=mark.width,
        linestyle=mark.style, alpha=mark.strength, **points,
    )  # fmt: skip
    _paint_intervals(axes, mark)


def _paint_steps(axes: "Axes", mark: Mark) -> None:
    axes.step(
        mark.x, mark.y, where="post", color=mark.color, label=mark.label or "_",
        linewidth=mark.width, linestyle=mark.style, alpha=mark.strength,
    )  # fmt: skip


def _paint_points(axes: "Axes", mark: Mark) -> None:
    axes.plot(
        mark.x, mark.y, linestyle="", marker=mark.marker, markersize=mark.size, color=mark.color,
        markerfacecolor=mark.color if mark.filled else "white", label=mark.label or "_",
        markeredgewidth=0.0 if mark.filled and mark.marker not in "x|_1234" else 0.8,
        alpha=mark.strength,
    )  # fmt: skip
    _paint_intervals(axes, mark)


def _paint_area(axes: "Axes", mark: Mark) -> None:
    low = [0.0] * len(mark.x) if mark.low is None else mark.low
    axes.fill_between(
        mark.x, low, mark.y, step="post", color=mark.color, alpha=mark.strength,
        label=mark.label or "_", linewidth=0,
    )  # fmt: skip


def _paint_letters(axes: "Axes", mark: Mark) -> None:
    shape: dict[str, Any] = {
        "marker": f"${mark.marker}$",
        "markersize": mark.size,
        "markeredgewidth": 0.0,
    }
    axes.plot(mark.x, mark.y, linestyle="", color=mark.color, label=mark.label or "_", **shape)


def _paint_strokes(axes: "Axes", mark: Mark) -> None:
    axes.vlines(
        mark.x, mark.low or (), mark.high or (), color=mark.color, linewidth=mark.width,
        label=mark.label or "_", alpha=mark.strength,
    )  # fmt: skip


def _paint_bars(axes: "Axes", mark: Mark) -> None:
    axes.bar(
        mark.x, mark.y, width=BAR_THICKNESS, color=mark.color, alpha=mark.strength,
        label=mark.label,
    )  # fmt: skip
    _paint_intervals(axes, mark)


def _paint_horizontal_bars(axes: "Axes", mark: Mark) -> None:
    starts = mark.low or [0.0] * len(mark.x)
    widths = [end - start for start, end in zip(starts, mark.y, strict=True)]
    edge: dict[str, Any] = {"edgecolor": EDGE, "linewidth": 0.2} if mark.low or mark.hatch else {}
    axes.barh(
        mark.x, widths, left=starts, height=BAR_THICKNESS, color=mark.color,
        label=mark.label or "_", hatch=mark.hatch or None, **edge,
    )  # fmt: skip


def _paint_rug(axes: "Axes", mark: Mark) -> None:
    # In the panel's own height, so that the strokes stay at the bottom whatever the values.
    axes.plot(
        mark.x, [0.02] * len(mark.x), linestyle="", marker="|", markersize=7, color=mark.color,
        markeredgewidth=0.8, transform=axes.get_xaxis_transform(), label=mark.label or "_",
        clip_on=False, alpha=mark.strength,
    )  # fmt: skip


def _paint_intervals(axes: "Axes", mark: Mark) -> None:
    if mark.low is None or mark.high is None:
        return
    down = [y - low for y, low in zip(mark.y, mark.low, strict=True)]
    up = [high - y for y, high in zip(mark.y, mark.high, strict=True)]
    axes.errorbar(
        mark.x, mark.y, yerr=[down, up], fmt="none", ecolor=mark.color, elinewidth=0.9, capsize=2.5
    )


_PAINTERS = {
    "line": _paint_line,
    "steps": _paint_steps,
    "points": _paint_points,
    "letters": _paint_letters,
    "strokes": _paint_strokes,
    "area": _paint_area,
    "bars": _paint_bars,
    "horizontal-bars": _paint_horizontal_bars,
    "rug": _paint_rug,
}


def _paint_guide(axes: "Axes", guide: Guide) -> None:
    """A line across the panel, and its name at its end, to be read whatever is drawn there."""
    from matplotlib.patheffects import withStroke

    style: dict[str, Any] = {"color": guide.color, "linestyle": guide.style, "linewidth": 0.8}
    words: dict[str, Any] = {"fontsize": 6.5, "color": guide.color}
    words["path_effects"] = [withStroke(linewidth=2, foreground="white")]
    if guide.along == "y":
        axes.axhline(guide.at, **style)
        place = axes.get_yaxis_transform()
        axes.text(0.995, guide.at, guide.label, transform=place, ha="right", va="bottom", **words)
    else:
        axes.axvline(guide.at, **style)
        place = axes.get_xaxis_transform()
        axes.text(guide.at, 0.02, guide.label, transform=place, ha="right", rotation=90, **words)
