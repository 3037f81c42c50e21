"""Rendering of pictures with matplotlib, for papers."""

import math
from typing import TYPE_CHECKING, Any

from longfat.plots.names import degrees, depth, plain, thinned_out
from longfat.plots.palette import EDGE, FAINT, INK
from longfat.plots.picture import BAR_THICKNESS, Axis, Guide, Mark, Panel, Picture
from longfat.plots.ranges import log_ticks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LETTER_INCHES = 0.063
_PANEL_SHARE = 0.8
"""Share of a panel in the width of panel and axis."""
_LEGEND_SHARE = 0.4
"""Largest width of a legend beside a panel, as a share of the panel's width."""
_HANDLE = 5
"""Width of the handle before a label in a legend, in letters."""
_KEY_HANDLE = 7
"""Width of a handle in the key above all panels, with the gap between entries, in letters."""
_ONE_KEY_ROW, _KEY_COLUMNS, _USUAL_KEY_ROWS = 5, 4, 2
_KEY_ROW_INCHES = 0.17
_TITLE_INCHES = 0.18


def paint(figure: "Figure", picture: Picture) -> None:
    """Draw a picture into an empty figure of matplotlib."""
    letters = _PANEL_SHARE * picture.width_inches / len(picture.panels[0]) / _LETTER_INCHES
    height = picture.height_inches + _inches_of_names(picture, letters)
    figure.set_size_inches(picture.width_inches, height)
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
            if picture.is_square:
                axes.set_box_aspect(1)
            bottom = row + 1 == len(picture.panels)
            names_x = bottom or picture.share_x == "none"
            _paint_panel(axes, panel, letters, names_x=names_x, has_legend=not picture.key)
            if panel.legend and not picture.key:
                _paint_legend(axes, panel, letters)
            _set_log_ticks(axes, panel)
    if picture.key:
        _paint_key(figure, picture.key, _key_columns(picture))
    figure.supxlabel(picture.caption, fontsize=7, color=INK)


def _inches_of_names(picture: Picture, letters: float) -> float:
    """Return the height in inches of rotated names, legends above panels and long keys."""
    rows = (
        max(_inches_around(panel, letters, has_key=bool(picture.key)) for panel in row if panel)
        for row in picture.panels
        if any(row)
    )
    key_rows = math.ceil(len(picture.key) / _key_columns(picture))
    return sum(rows) + _KEY_ROW_INCHES * max(0, key_rows - _USUAL_KEY_ROWS)


def _inches_around(panel: Panel, letters: float, *, has_key: bool) -> float:
    below = depth(panel.x.names, letters) * _LETTER_INCHES if panel.x.names else 0.0
    labels = _labels(panel) if panel.legend and not has_key else []
    if not labels or _fits_beside(labels, letters):
        return below
    return below + _KEY_ROW_INCHES * math.ceil(len(labels) / _columns(labels, letters))


def _paint_panel(
    axes: "Axes", panel: Panel, letters: float, *, names_x: bool, has_legend: bool
) -> None:
    axes.grid(color=FAINT, linewidth=0.4)
    axes.set_axisbelow(True)
    for mark in panel.marks:
        _PAINTERS[mark.kind](axes, mark)
    for guide in panel.guides:
        _paint_guide(axes, guide, is_keyed=has_legend and guide in panel.keyed_guides)
    if panel.note:
        middle: dict[str, Any] = {"transform": axes.transAxes, "ha": "center", "va": "center"}
        axes.text(0.5, 0.5, panel.note, color=INK, **middle)
    if names_x:
        axes.set_xlabel(panel.x.label)
    axes.set_ylabel(panel.y.label)
    axes.set_title(panel.title, loc="left", weight="bold", color=panel.title_color)
    for axis, which in ((panel.x, "x"), (panel.y, "y")):
        _set_axis(axes, axis, which, letters)


def _labels(panel: Panel) -> list[str]:
    return [mark.label for mark in panel.in_legend]


def _fits_beside(labels: "Sequence[str]", letters: float) -> bool:
    """Whether a legend fits beside a panel."""
    width = _HANDLE + max(map(len, labels))
    return width * _columns_beside(labels) <= _LEGEND_SHARE * letters


def _columns_beside(labels: "Sequence[str]") -> int:
    return 1 if len(labels) <= 10 else 2


def _columns(labels: "Sequence[str]", letters: float, most: int = 0, handle: int = _HANDLE) -> int:
    """Return the number of columns in which labels fit, filled column by column."""
    for columns in range(most or len(labels), 1, -1):
        rows = math.ceil(len(labels) / columns)
        starts = range(0, len(labels), rows)
        widths = (handle + max(map(len, labels[start : start + rows])) for start in starts)
        if sum(widths) <= letters:
            return columns
    return 1


def _paint_legend(axes: "Axes", panel: Panel, letters: float) -> None:
    """Draw the legend of a panel: beside it, or above it if it is long."""
    from matplotlib.transforms import ScaledTranslation

    labels = _labels(panel)
    if not labels:
        return
    style: dict[str, Any] = {"frameon": False, "fontsize": 7, "handlelength": 1.6}
    if _fits_beside(labels, letters):
        columns = _columns_beside(labels)
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), ncols=columns, **style)
        return
    title = _TITLE_INCHES if panel.title else 0.0
    above = axes.transAxes + ScaledTranslation(0, title, axes.figure.dpi_scale_trans)
    place: dict[str, Any] = {"bbox_to_anchor": (0.0, 1.0), "bbox_transform": above}
    axes.legend(
        loc="lower left", ncols=_columns(labels, letters), borderaxespad=0.2, **place, **style
    )


def _key_columns(picture: Picture) -> int:
    """Return the number of columns of a key."""
    labels = [mark.label for mark in picture.key]
    few = len(labels) <= _ONE_KEY_ROW
    letters = picture.width_inches / _LETTER_INCHES
    most = len(labels) if few else _KEY_COLUMNS
    return _columns(labels, letters, most, _KEY_HANDLE)


def _paint_key(figure: "Figure", key: "Sequence[Mark]", columns: int) -> None:
    figure.legend(
        handles=[_handle(mark) for mark in key],
        loc="outside upper center",
        ncols=columns,
        frameon=False,
    )


def _handle(mark: Mark) -> Any:
    """Return the handle of a mark in a key: a patch, a line or a point."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if mark.kind in ("bars", "horizontal-bars", "area"):
        return Patch(
            label=mark.label, facecolor=mark.color, hatch=mark.hatch or None, alpha=mark.strength,
            edgecolor=EDGE, linewidth=0.3,
        )  # fmt: skip
    style: Any = mark.style
    if mark.kind != "points":
        points = mark.marker if mark.low is not None else ""
        return Line2D(
            [], [], label=mark.label, color=mark.color, linewidth=mark.width, linestyle=style,
            marker=points, markersize=mark.size, alpha=mark.strength,
        )  # fmt: skip
    return Line2D(
        [], [], label=mark.label, color=mark.color, linestyle="", marker=mark.marker,
        alpha=mark.strength, markerfacecolor=mark.color if mark.filled else "white",
    )  # fmt: skip


def _set_axis(axes: "Axes", axis: Axis, which: str, letters: float) -> None:
    settings: dict[str, Any] = {}
    if axis.log:
        settings[f"{which}scale"] = "log"
    if axis.low is not None or axis.high is not None:
        settings[f"{which}lim"] = (axis.low, axis.high)
    if axis.names:
        names = thinned_out(axis.names, letters) if which == "x" else axis.names
        settings |= {f"{which}ticks": range(len(names)), f"{which}ticklabels": names}
    elif axis.ticks:
        settings |= {
            f"{which}ticks": axis.ticks,
            f"{which}ticklabels": [plain(tick) for tick in axis.ticks],
        }
    axes.set(**settings)
    angle = degrees(axis.names, letters) if which == "x" and axis.names else 0
    if angle:
        upright = {"va": "center"} if angle == 90 else {}
        for label in axes.get_xticklabels():
            label.set(rotation=angle, ha="right", rotation_mode="anchor", **upright)
    if axis.ticks:
        (axes.xaxis if which == "x" else axes.yaxis).minorticks_off()


def _set_log_ticks(axes: "Axes", panel: Panel) -> None:
    """Set the ticks of logarithmic axes, once all marks are drawn and the ends are known."""
    for axis, its, ends in (
        (panel.x, axes.xaxis, axes.get_xlim()),
        (panel.y, axes.yaxis, axes.get_ylim()),
    ):
        if axis.log and not axis.ticks and not axis.names:
            ticks = log_ticks(*ends)
            its.set_ticks(ticks, labels=[plain(tick) for tick in ticks])
            its.set_ticks([], minor=True)


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
    # In axes coordinates, so that the strokes are at the bottom whatever the values.
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


def _paint_guide(axes: "Axes", guide: Guide, *, is_keyed: bool) -> None:
    """Draw a line across the panel, with its name at its end unless the legend has it."""
    from matplotlib.patheffects import withStroke

    style: dict[str, Any] = {"color": guide.color, "linestyle": guide.style, "linewidth": 0.8}
    words: dict[str, Any] = {"fontsize": 6.5, "color": guide.color}
    words["path_effects"] = [withStroke(linewidth=2, foreground="white")]
    if is_keyed:
        axes.axhline(guide.at, label=guide.label or "_", **style)
    elif guide.along == "y":
        axes.axhline(guide.at, **style)
        place = axes.get_yaxis_transform()
        axes.text(0.995, guide.at, guide.label, transform=place, ha="right", va="bottom", **words)
    else:
        axes.axvline(guide.at, **style)
        if not guide.label:
            return
        place = axes.get_xaxis_transform()
        axes.text(guide.at, 0.02, guide.label, transform=place, ha="right", rotation=90, **words)
