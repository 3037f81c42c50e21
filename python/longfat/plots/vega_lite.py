"""A picture as a Vega-Lite specification with its data, for screens and notebooks.

Every panel can stand alone: where a narrow screen has no room for them side by side, a page may
set fewer `columns` and each panel's `width`, and nothing is lost.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from longfat.plots.palette import DARK, EDGE, INK
from longfat.plots.picture import (
    BAR_THICKNESS,
    PAGE_WIDTH_INCHES,
    Axis,
    Guide,
    Mark,
    Panel,
    Picture,
)
from longfat.plots.ranges import Range, ranges
from longfat.plots.vega_lite_legend import SHAPES, keys_of, legend

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

Spec = dict[str, Any]

_PAGE_PIXELS = 720.0
_AXIS_PIXELS = 70.0
_PIXELS_PER_INCH = 75.0
_LEAST_HEIGHT_PIXELS = 110.0
NARROWEST_PANEL_PIXELS = 200
_DIGITS = 9
"""Significant digits of coordinates: far below what a screen can show."""

_DASHES = {"-": [1, 0], "--": [5, 3], ":": [1.5, 2.5], "-.": [5, 2, 1.5, 2]}
_CONFIG: Spec = {
    "font": "system-ui, sans-serif",
    "background": "white",
    "view": {"stroke": None},
    "axis": {"gridColor": "#cccccc", "gridWidth": 0.5, "domainColor": EDGE, "tickColor": EDGE,
             "labelColor": INK, "titleColor": INK, "titleFontWeight": "normal", "labelLimit": 260},
    "title": {"anchor": "start", "color": INK, "fontSize": 12, "offset": 6},
    "legend": {"labelColor": INK, "titleColor": INK, "symbolStrokeWidth": 2, "labelLimit": 300},
    "text": {"color": INK},
}  # fmt: skip


def vega_lite(picture: Picture, summary: str, usermeta: Mapping[str, Any] | None = None) -> Spec:
    """The specification of a picture; its caption is the title below it.

    `usermeta` joins what a page needs to lay the picture out again: the colours for dark screens
    and the narrowest panel.
    """
    columns = len(picture.panels[0])
    width = _PAGE_PIXELS * picture.width_inches / PAGE_WIDTH_INCHES / columns - _AXIS_PIXELS
    heights = _heights(picture)
    extents = ranges(picture)
    keys = keys_of(picture)
    views = [
        _panel(_standing_alone(picture, row, column), extent, keys[row][column], width, height)
        for row, height in enumerate(heights)
        for column, extent in enumerate(extents[row])
        if extent is not None
    ]
    own = {"dark": DARK, "narrowest_panel": NARROWEST_PANEL_PIXELS, "caption": picture.caption}
    return {
        "$schema": SCHEMA,
        "description": summary,
        "usermeta": {"longfat": own | dict(usermeta or {})},
        "config": _CONFIG,
        "title": {"text": picture.caption.split("\n"), "orient": "bottom", "fontSize": 11,
                  "fontWeight": "normal", "offset": 12},
        "columns": columns,
        "spacing": 18,
        "resolve": {"scale": dict.fromkeys(("fill", "stroke", "shape"), _resolution(keys))},
        "concat": views,
    }  # fmt: skip


def _resolution(keys: Sequence[Sequence[Sequence[Mark]]]) -> str:
    """One legend for all panels, or one for each that has its own."""
    with_key = sum(1 for row in keys for key in row if key)
    return "shared" if with_key <= 1 else "independent"


def _heights(picture: Picture) -> list[float]:
    rows = len(picture.panels)
    shares = list(picture.heights) or [1.0] * rows
    drawn = picture.height_inches - 0.45 * rows
    return [
        max(_LEAST_HEIGHT_PIXELS, round(drawn * share / sum(shares) * _PIXELS_PER_INCH))
        for share in shares
    ]


def _standing_alone(picture: Picture, row: int, column: int) -> Panel:
    """A panel with what it leaves to its neighbours: the label of an axis and the title."""
    panel = picture.panels[row][column]
    first, top = picture.panels[row][0], picture.panels[0][column]
    assert panel is not None
    y = panel.y.label or panel.y.told or (first.y.label if first else "")
    x = panel.x.label or panel.x.told
    title = panel.title or (top.title if top and picture.share_x != "all" else "")
    return replace(panel, x=replace(panel.x, label=x), y=replace(panel.y, label=y), title=title)


def _panel(
    panel: Panel,
    extent: tuple[Range, Range],
    key: Sequence[Mark],
    width: float,
    height: float,
) -> Spec:
    axes = _axes(panel, extent)
    layers = [layer for mark in panel.marks for layer in _layers(mark, axes, height)]
    for guide in panel.guides:
        layers += _guide(guide, axes)
    if key:
        layers.append(legend(key))
    title = {"text": panel.title, "color": panel.title_color} if panel.title else ""
    view: Spec = {"width": round(width), "height": height, "layer": layers}
    return view | ({"title": title} if title else {})


def _axes(panel: Panel, extent: tuple[Range, Range]) -> Spec:
    """What every layer says of the two axes, but for what it shows along them."""
    return {
        which: {"type": "quantitative", "scale": _scale(axis, ends), "axis": _axis(axis, which)}
        for which, axis, ends in (("x", panel.x, extent[0]), ("y", panel.y, extent[1]))
    }


def _scale(axis: Axis, ends: Range) -> Spec:
    kind = {"type": "log"} if axis.log else {"zero": False}
    return kind | {"domain": [_rounded(end) for end in ends], "nice": False}


def _axis(axis: Axis, which: str) -> Spec:
    found: Spec = {"title": axis.label.split("\n") if axis.label else None}
    if axis.names:
        names = ", ".join(_quoted(name) for name in axis.names)
        found |= {
            "values": list(range(len(axis.names))),
            "labelExpr": f"[{names}][datum.value]",
            "grid": False,
        }
        if which == "x" and len(axis.names) * max(map(len, axis.names)) > 24:
            found["labelAngle"] = -30
    elif axis.ticks:
        found |= {"values": list(axis.ticks), "format": "~g"}
    else:
        found |= {"tickCount": 5} | ({"format": "~g"} if axis.log else {})
    return found


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _layers(mark: Mark, axes: Spec, height: float) -> list[Spec]:
    """The layers of a mark: its intervals below it."""
    layers = [_DRAWN[mark.kind](mark, axes, height)]
    if mark.kind in ("line", "points", "bars") and mark.low is not None and mark.high is not None:
        layers.insert(0, _intervals(mark, axes))
    for layer in layers:
        layer["encoding"]["color"] = {"value": mark.color}
        layer["mark"] |= {"clip": mark.kind != "rug", "opacity": mark.strength}
    return layers


def _spec(mark: Spec, axes: Spec, data: Mapping[str, Sequence[Any]], **channels: Any) -> Spec:
    """A layer: columns of data as rows, `x` and `y` along their axes where they are columns."""
    rows = [
        dict(zip(data, map(_rounded, values), strict=True))
        for values in zip(*data.values(), strict=True)
    ]
    along = {which: {"field": which, **axes[which]} for which in ("x", "y") if which in data}
    return {"mark": mark, "data": {"values": rows}, "encoding": along | channels}


def _drawn_line(mark: Mark, axes: Spec, _height: float) -> Spec:
    style = {"type": "line", "strokeWidth": 1.4 * mark.width, "strokeDash": _DASHES[mark.style]}
    if mark.kind == "steps":
        style["interpolate"] = "step-after"
    elif mark.low is not None:
        style["point"] = {"shape": SHAPES.get(mark.marker, "circle"), "size": 6 * mark.size}
    spec = _spec(style, axes, {"x": mark.x, "y": mark.y})
    # In the order of the data: an outline goes back along x.
    spec["encoding"]["x"]["sort"] = None
    return spec


def _drawn_points(mark: Mark, axes: Spec, _height: float) -> Spec:
    style = {
        "type": "point",
        "shape": SHAPES.get(mark.marker, "circle"),
        "filled": mark.filled,
        "size": 3.2 * mark.size**2,
        "strokeWidth": 1.2,
    }
    data: dict[str, Sequence[Any]] = {"x": mark.x, "y": mark.y}
    if mark.names:
        data["name"] = mark.names
    return _spec(style, axes, data, tooltip=_tooltip(data, axes))


def _drawn_letters(mark: Mark, axes: Spec, _height: float) -> Spec:
    style = {"type": "text", "text": mark.marker, "fontSize": 2 * mark.size, "dy": -5}
    return _spec(style, axes, {"x": mark.x, "y": mark.y})


def _drawn_area(mark: Mark, axes: Spec, _height: float) -> Spec:
    low = [0.0] * len(mark.x) if mark.low is None else mark.low
    style = {"type": "area", "interpolate": "step-after", "line": False}
    data = {"x": mark.x, "y": mark.y, "low": low}
    return _spec(style, axes, data, y2={"field": "low"})


def _drawn_strokes(mark: Mark, axes: Spec, _height: float) -> Spec:
    data = {"x": mark.x, "y": mark.low or (), "high": mark.high or ()}
    style = {"type": "rule", "strokeWidth": 1.2 * mark.width}
    return _spec(style, axes, data, y2={"field": "high"})


def _drawn_bars(mark: Mark, axes: Spec, _height: float) -> Spec:
    """Upright bars from zero, or horizontal ones from `low`, each around its place."""
    across, along = ("y", "x") if mark.kind == "horizontal-bars" else ("x", "y")
    starts = mark.low if mark.kind == "horizontal-bars" and mark.low else [0.0] * len(mark.x)
    data: dict[str, Sequence[Any]] = {
        across: [place - BAR_THICKNESS / 2 for place in mark.x],
        f"{across}2": [place + BAR_THICKNESS / 2 for place in mark.x],
        along: starts,
        f"{along}2": mark.y,
    }
    if mark.names:
        data["name"] = mark.names
    ends = {key: {"field": key} for key in ("x2", "y2")}
    style = {"type": "rect", "stroke": EDGE, "strokeWidth": 0.3}
    shown = [
        {
            "field": f"{along}2",
            "type": "quantitative",
            "format": ".4~g",
            "title": _named(axes, along),
        }
    ]
    return _spec(style, axes, data, **ends, tooltip=_names(data) + shown)


def _drawn_rug(mark: Mark, axes: Spec, height: float) -> Spec:
    style = {"type": "rule", "strokeWidth": 1}
    ends = {"y": {"value": height}, "y2": {"value": height - 8}}
    return _spec(style, axes, {"x": mark.x}, **ends)


_DRAWN = {
    "line": _drawn_line,
    "steps": _drawn_line,
    "points": _drawn_points,
    "letters": _drawn_letters,
    "area": _drawn_area,
    "strokes": _drawn_strokes,
    "bars": _drawn_bars,
    "horizontal-bars": _drawn_bars,
    "rug": _drawn_rug,
}


def _intervals(mark: Mark, axes: Spec) -> Spec:
    data = {"x": mark.x, "y": mark.low or (), "high": mark.high or ()}
    return _spec({"type": "rule", "strokeWidth": 1}, axes, data, y2={"field": "high"})


def _tooltip(data: Mapping[str, Any], axes: Spec) -> list[Spec]:
    numbers = [
        {"field": which, "type": "quantitative", "format": ".4~g", "title": _named(axes, which)}
        for which in ("x", "y")
        if "labelExpr" not in axes[which]["axis"]
    ]
    return [*_names(data), *numbers]


def _names(data: Mapping[str, Any]) -> list[Spec]:
    return [{"field": "name", "type": "nominal", "title": "of"}] if "name" in data else []


def _named(axes: Spec, which: str) -> str:
    return " ".join(axes[which]["axis"]["title"] or [which])


def _guide(guide: Guide, axes: Spec) -> Iterable[Spec]:
    """A line across the panel, and its name at its end."""
    along = {guide.along: {"datum": guide.at, **axes[guide.along]}}
    color = {"color": {"value": guide.color}}
    line = {"type": "rule", "strokeDash": _DASHES[guide.style], "clip": True}
    once: Spec = {"data": {"values": [{}]}}
    yield {"mark": line, "encoding": along | color} | once
    if not guide.label:
        return
    text: Spec = {"type": "text", "text": guide.label, "fontSize": 10, "clip": False}
    if guide.along == "y":
        place = {"x": {"value": "width"}}
        text |= {"align": "right", "baseline": "bottom", "dx": -3, "dy": -2}
    else:
        place = {"y": {"value": "height"}}
        text |= {"angle": 270, "align": "left", "baseline": "bottom", "dx": 4, "dy": -2}
    yield {"mark": text, "encoding": along | place | color} | once


def _rounded(value: Any) -> Any:
    """A number with digits enough to draw; None, which breaks a line, for what is not finite."""
    if not isinstance(value, float):
        return value
    return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None
