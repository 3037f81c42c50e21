"""A picture as data: panels of marks on axes with units. What is drawn, apart from who draws it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from longfat.plots.palette import FAINT, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Kind = Literal["line", "steps", "points", "area", "bars", "horizontal-bars", "rug"]
"""`steps` hold a value until the next; `rug` are short strokes at the bottom of the panel."""

PAGE_WIDTH_INCHES = 7.16
"""Two columns of a paper."""


_LONG_NAME, _FEW_NAMES = 9, 3
"""More names than a few, some of them long, are set aslant."""


@dataclass(frozen=True)
class Mark:
    """Points of one series. `low` and `high` are the ends of intervals, or of an area.

    A series with a `label` has its line in the panel's legend.
    """

    kind: Kind
    x: Sequence[float]
    y: Sequence[float] = ()
    color: str = INK
    label: str = ""
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    width: float = 1.0
    style: str = "-"
    marker: str = "o"
    size: float = 4.0
    filled: bool = True
    strength: float = 1.0


@dataclass(frozen=True)
class Guide:
    """A line across a panel at one value, with its name beside it."""

    at: float
    label: str = ""
    along: Literal["x", "y"] = "y"
    color: str = INK
    style: str = ":"


@dataclass(frozen=True)
class Axis:
    """What an axis shows, with the unit; `names` are the levels at 0, 1, 2 and so on."""

    label: str
    low: float | None = None
    high: float | None = None
    log: bool = False
    names: Sequence[str] = ()
    ticks: Sequence[float] = ()


@dataclass(frozen=True)
class Panel:
    """Marks over a pair of axes."""

    x: Axis
    y: Axis
    marks: Sequence[Mark]
    guides: Sequence[Guide] = ()
    title: str = ""
    legend: bool = True


@dataclass(frozen=True)
class Picture:
    """Rows of panels, and what is to be said below them: how many runs, which intervals."""

    panels: Sequence[Sequence[Panel | None]]
    caption: str
    height_inches: float
    width_inches: float = PAGE_WIDTH_INCHES
    share_x: bool = False
    share_y: bool = False
    heights: Sequence[float] = field(default_factory=tuple)


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
            _paint_panel(axes, panel, names_x=bottom or not picture.share_x)
    figure.supxlabel(picture.caption, fontsize=7, color=INK)


def _paint_panel(axes: "Axes", panel: Panel, *, names_x: bool) -> None:
    axes.grid(color=FAINT, linewidth=0.4)
    axes.set_axisbelow(True)
    for mark in panel.marks:
        _PAINTERS[mark.kind](axes, mark)
    for guide in panel.guides:
        _paint_guide(axes, guide)
    if names_x:
        axes.set_xlabel(panel.x.label)
    axes.set_ylabel(panel.y.label)
    axes.set_title(panel.title, loc="left", weight="bold")
    for axis, which in ((panel.x, "x"), (panel.y, "y")):
        _set_axis(axes, axis, which)
    if panel.legend and any(mark.label for mark in panel.marks):
        labels = sum(1 for mark in panel.marks if mark.label)
        axes.legend(
            loc="upper left",
            bbox_to_anchor=(1.0, 1.0),
            frameon=False,
            fontsize=7,
            handlelength=1.6,
            ncols=1 if labels <= 10 else 2,
        )


def _set_axis(axes: "Axes", axis: Axis, which: str) -> None:
    settings: dict[str, Any] = {}
    if axis.log:
        settings[f"{which}scale"] = "log"
    if axis.low is not None or axis.high is not None:
        settings[f"{which}lim"] = (axis.low, axis.high)
    if axis.names:
        settings |= {f"{which}ticks": range(len(axis.names)), f"{which}ticklabels": axis.names}
        crowded = max(map(len, axis.names)) > _LONG_NAME and len(axis.names) > _FEW_NAMES
        if which == "x" and crowded:
            axes.tick_params(axis="x", labelrotation=25)
    elif axis.ticks:
        settings |= {
            f"{which}ticks": axis.ticks,
            f"{which}ticklabels": [f"{tick:g}" for tick in axis.ticks],
        }
    axes.set(**settings)
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


def _paint_bars(axes: "Axes", mark: Mark) -> None:
    axes.bar(mark.x, mark.y, width=0.7, color=mark.color, alpha=mark.strength, label=mark.label)
    _paint_intervals(axes, mark)


def _paint_horizontal_bars(axes: "Axes", mark: Mark) -> None:
    axes.barh(mark.x, mark.y, height=0.7, color=mark.color, label=mark.label or "_")


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
    "area": _paint_area,
    "bars": _paint_bars,
    "horizontal-bars": _paint_horizontal_bars,
    "rug": _paint_rug,
}


def _paint_guide(axes: "Axes", guide: Guide) -> None:
    style: dict[str, Any] = {"color": guide.color, "linestyle": guide.style, "linewidth": 0.8}
    words: dict[str, Any] = {"fontsize": 6.5, "color": guide.color}
    if guide.along == "y":
        axes.axhline(guide.at, **style)
        place = axes.get_yaxis_transform()
        axes.text(0.995, guide.at, guide.label, transform=place, ha="right", va="bottom", **words)
    else:
        axes.axvline(guide.at, **style)
        place = axes.get_xaxis_transform()
        axes.text(guide.at, 0.02, guide.label, transform=place, ha="right", rotation=90, **words)
