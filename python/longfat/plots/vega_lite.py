"""Conversion of pictures to Vega-Lite specifications with data, for screens and notebooks.

Each panel is complete by itself: on a narrow screen, a page may reduce `columns` and the `width`
of panels without loss of information.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from longfat.plots.names import degrees
from longfat.plots.palette import DARK, DASHES, EDGE, INK
from longfat.plots.picture import (
    BAR_THICKNESS,
    PAGE_WIDTH_INCHES,
    Axis,
    Guide,
    Mark,
    Panel,
    Picture,
)
from longfat.plots.ranges import Range, log_ticks, ranges
from longfat.plots.thinning import for_screen
from longfat.plots.vega_lite_legend import SHAPES, keys_of, legend

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

Spec = dict[str, Any]

_PAGE_PIXELS = 720.0
_AXIS_PIXELS = 70.0
_NAMES_PIXELS, _LETTER_PIXELS = 24.0, 5.6
_SYMBOL_PIXELS, _LEGEND_LETTER_PIXELS = 50.0, 6.2
_PIXELS_PER_INCH = 75.0
_LEAST_PIXELS = 110.0
NARROWEST_PANEL_PIXELS = 168
_MOST_ROWS = 8
_STEPS = 1e4
"""Resolution of coordinates, in steps along an axis: more than a screen has pixels."""

_CONFIG: Spec = {
    "font": "system-ui, sans-serif",
    "background": "white",
    "view": {"stroke": None},
    "axis": {"gridColor": "#cccccc", "gridWidth": 0.5, "domainColor": EDGE, "tickColor": EDGE,
             "labelColor": INK, "titleColor": INK, "titleFontWeight": "normal", "labelFontSize": 11,
             "titleFontSize": 12, "labelLimit": 400, "maxExtent": 500},
    "title": {"anchor": "start", "color": INK, "fontSize": 12, "offset": 6},
    "legend": {"labelColor": INK, "titleColor": INK, "symbolStrokeWidth": 2, "labelFontSize": 12,
               "labelLimit": 300},
    "text": {"color": INK},
    "point": {"opacity": 1, "strokeWidth": 1.2},
}  # fmt: skip


def vega_lite(picture: Picture, summary: str, usermeta: Mapping[str, Any] | None = None) -> Spec:
    """Return the specification of a picture; its caption is the title below it.

    `usermeta` is added to the metadata for page layouts: the colours for dark screens, whether
    panels are square or grow with their width, and in pixels the smallest width of a panel, that of
    its axis and that of an entry of the legend.
    """
    columns = len(picture.panels[0])
    beside = _pixels_beside(picture)
    room = _PAGE_PIXELS * picture.width_inches / PAGE_WIDTH_INCHES / columns - beside
    width = max(_LEAST_PIXELS, room)
    heights = _heights(picture)
    extents = ranges(picture)
    keys = keys_of(picture)
    views = [
        _panel(_standing_alone(picture, row, column), extent, keys[row][column], width, height)
        for row, height in enumerate(heights)
        for column, extent in enumerate(extents[row])
        if extent is not None
    ]
    own = {
        "dark": DARK,
        "narrowest_panel": NARROWEST_PANEL_PIXELS,
        "beside_panel": beside,
        "caption": picture.caption,
        "square": picture.is_square,
        "grows": not any(mark.kind == "horizontal-bars" for mark in picture.marks()),
        "legend_entry": _pixels_of_entry(keys),
    }
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


def _pixels_beside(picture: Picture) -> float:
    """Return the width to the left of a panel in pixels, for numbers and label, or for names."""
    panels = (panel for row in picture.panels for panel in row if panel is not None)
    longest = max((len(name) for panel in panels for name in panel.y.names), default=0)
    return max(_AXIS_PIXELS, _NAMES_PIXELS + _LETTER_PIXELS * longest)


def _pixels_of_entry(keys: Sequence[Sequence[Sequence[Mark]]]) -> float:
    """Return the width of an entry of the legends in pixels: symbol, label and a gap."""
    longest = max((len(mark.label) for row in keys for key in row for mark in key), default=0)
    return _SYMBOL_PIXELS + _LEGEND_LETTER_PIXELS * longest


def _resolution(keys: Sequence[Sequence[Sequence[Mark]]]) -> str:
    """Return "shared" for one legend, "independent" if several panels have their own."""
    with_key = sum(1 for row in keys for key in row if key)
    return "shared" if with_key <= 1 else "independent"


def _heights(picture: Picture) -> list[float]:
    rows = len(picture.panels)
    shares = list(picture.heights) or [1.0] * rows
    drawn = picture.height_inches - 0.45 * rows
    return [
        max(_LEAST_PIXELS, round(drawn * share / sum(shares) * _PIXELS_PER_INCH))
        for share in shares
    ]


def _standing_alone(picture: Picture, row: int, column: int) -> Panel:
    """Return a panel with the axis label and the title that its neighbours in the grid show.

    Its marks are downsampled for a screen.
    """
    panel = picture.panels[row][column]
    first, top = picture.panels[row][0], picture.panels[0][column]
    assert panel is not None
    marks = for_screen(panel.marks, sum(1 for _ in picture.marks()))
    if panel.heading:
        return replace(panel, y=replace(panel.y, label=""), title=panel.heading, marks=marks)
    y = panel.y.label or (first.y.label if first else "")
    title = panel.title or (top.title if top and picture.share_x != "all" else "")
    return replace(panel, y=replace(panel.y, label=y), title=title, marks=marks)


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
        layers += _guide(guide, axes, is_keyed=guide in panel.keyed_guides)
    if panel.note:
        layers.append(_note(panel.note, axes))
    _say_axes_once(layers)
    if key:
        layers.append(legend(key))
    lines = panel.title.split("\n")
    title = (
        {"text": lines if len(lines) > 1 else panel.title, "color": panel.title_color}
        if panel.title
        else ""
    )
    view: Spec = {"width": round(width), "height": height, "layer": layers}
    return view | ({"title": title} if title else {})


def _say_axes_once(layers: Sequence[Spec]) -> None:
    """Keep scale and axis in the first layer that has them: all layers share them."""
    for which in ("x", "y"):
        saying = [layer for layer in layers if "scale" in layer["encoding"].get(which, {})]
        for layer in saying[1:]:
            channel = layer["encoding"][which]
            short = {key: channel[key] for key in channel if key not in ("scale", "axis")}
            layer["encoding"] = layer["encoding"] | {which: short}


def _axes(panel: Panel, extent: tuple[Range, Range]) -> Spec:
    """Return the encoding of both axes that all layers share, without the field."""
    return {
        which: {
            "type": "quantitative",
            "scale": _scale(axis, ends),
            "axis": _axis(axis, which, ends),
        }
        for which, axis, ends in (("x", panel.x, extent[0]), ("y", panel.y, extent[1]))
    }


def _scale(axis: Axis, ends: Range) -> Spec:
    kind = {"type": "log"} if axis.log else {"zero": False}
    return kind | {"domain": list(ends), "nice": False}


def _ticks(ticks: Sequence[float]) -> Spec:
    return {"values": list(ticks), "format": ",.6~r", "tickCount": len(ticks) + 1}


def _axis(axis: Axis, which: str, ends: Range) -> Spec:
    found: Spec = {"title": axis.label.split("\n") if axis.label else None}
    # Vega omits every other value as long as there are more than `tickCount`.
    if axis.names:
        names = ", ".join(_quoted(name) for name in axis.names)
        found |= {
            "values": list(range(len(axis.names))),
            "labelExpr": f"[{names}][datum.value]",
            "grid": False,
            "labelOverlap": False,
            "tickCount": len(axis.names) + 1,
        }
        if which == "x":
            # A page may draw the panel at its smallest width, where Vega omits overlapping labels.
            angle = degrees(axis.names, NARROWEST_PANEL_PIXELS / _LETTER_PIXELS)
            found |= {"labelAngle": -angle, "labelOverlap": "greedy" if angle == 90 else False}
    elif axis.ticks:
        found |= _ticks(axis.ticks)
    elif axis.log:
        found |= _ticks(log_ticks(*ends))
    else:
        found |= {"tickCount": 5}
    return found


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _layers(mark: Mark, axes: Spec, height: float) -> list[Spec]:
    """Return the layers of a mark, with its intervals below it."""
    layers = [_DRAWN[mark.kind](mark, axes, height)]
    if mark.kind in ("line", "points", "bars") and mark.low is not None and mark.high is not None:
        layers.insert(0, _intervals(mark, axes))
    for layer in layers:
        layer["encoding"]["color"] = {"value": mark.color}
        layer["mark"]["clip"] = mark.kind != "rug"
        if mark.strength != 1.0:
            layer["mark"]["opacity"] = mark.strength
    return layers


def _spec(mark: Spec, axes: Spec, data: Mapping[str, Sequence[Any]], **channels: Any) -> Spec:
    """Return a layer with columns of data; columns `x` and `y` are encoded along the axes."""
    along = {which: {"field": which, **axes[which]} for which in ("x", "y") if which in data}
    return {"mark": mark, **_data(data, axes), "encoding": along | channels}


def _data(columns: Mapping[str, Sequence[Any]], axes: Spec) -> Spec:
    """Return the data as rows, or as columns for Vega to flatten, a third of the size, if many."""
    rounded = {
        name: [_rounded(value, axes["x" if name.startswith("x") else "y"]) for value in values]
        for name, values in columns.items()
    }
    if len(next(iter(rounded.values()))) > _MOST_ROWS:
        return {"data": {"values": [rounded]}, "transform": [{"flatten": list(rounded)}]}
    rows = [dict(zip(rounded, row, strict=True)) for row in zip(*rounded.values(), strict=True)]
    return {"data": {"values": rows}}


def _drawn_line(mark: Mark, axes: Spec, _height: float) -> Spec:
    # In the order of the data: outlines are not monotonic in x.
    style: Spec = {"type": "line", "order": None, "strokeWidth": round(1.4 * mark.width, 2)}
    if mark.style != "-":
        style["strokeDash"] = list(DASHES[mark.style])
    if mark.kind == "steps":
        style["interpolate"] = "step-after"
    elif mark.low is not None:
        style["point"] = {"shape": SHAPES.get(mark.marker, "circle"), "size": 6 * mark.size}
    return _spec(style, axes, {"x": mark.x, "y": mark.y})


def _drawn_points(mark: Mark, axes: Spec, _height: float) -> Spec:
    style = {
        "type": "point",
        "shape": SHAPES.get(mark.marker, "circle"),
        "filled": mark.filled,
        "size": round(3.2 * mark.size**2, 1),
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
    """Return a layer of vertical bars from zero, or horizontal ones from `low`."""
    across, along = ("y", "x") if mark.kind == "horizontal-bars" else ("x", "y")
    starts = mark.low if mark.kind == "horizontal-bars" and mark.low else [0.0] * len(mark.x)
    shown = [place for place in range(len(mark.x)) if starts[place] != mark.y[place]]
    data: dict[str, Sequence[Any]] = {
        across: [mark.x[place] - BAR_THICKNESS / 2 for place in shown],
        f"{across}2": [mark.x[place] + BAR_THICKNESS / 2 for place in shown],
        along: [starts[place] for place in shown],
        f"{along}2": [mark.y[place] for place in shown],
    }
    if mark.names:
        data["name"] = [mark.names[place] for place in shown]
    ends = {key: {"field": key} for key in ("x2", "y2")}
    style = {"type": "rect", "stroke": EDGE, "strokeWidth": 0.3}
    length = [
        {
            "field": f"{along}2",
            "type": "quantitative",
            "format": ".4~g",
            "title": _named(axes, along),
        }
    ]
    return _spec(style, axes, data, **ends, tooltip=_names(data) + length)


def _drawn_rug(mark: Mark, axes: Spec, _height: float) -> Spec:
    # At the bottom, whatever height a page gives the panel.
    style = {"type": "rule", "strokeWidth": 1, "y2Offset": -8}
    ends = {which: {"value": "height"} for which in ("y", "y2")}
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


def _guide(guide: Guide, axes: Spec, *, is_keyed: bool) -> Iterable[Spec]:
    """Yield a line across the panel, and its name at its end unless the legend has it."""
    along = {guide.along: {"datum": guide.at, **axes[guide.along]}}
    color = {"color": {"value": guide.color}}
    line = {"type": "rule", "strokeDash": list(DASHES[guide.style]), "clip": True}
    once: Spec = {"data": {"values": [{}]}}
    yield {"mark": line, "encoding": along | color} | once
    if is_keyed or not guide.label:
        return
    text: Spec = {"type": "text", "text": guide.label, "fontSize": 10, "clip": False}
    if guide.along == "y":
        place = {"x": {"value": "width"}}
        text |= {"align": "right", "baseline": "bottom", "dx": -3, "dy": -2}
    else:
        place = {"y": {"value": "height"}}
        text |= {"angle": 270, "align": "left", "baseline": "bottom", "dx": 4, "dy": -2}
    yield {"mark": text, "encoding": along | place | color} | once


def _note(text: str, axes: Spec) -> Spec:
    """Return a layer with a text in the middle of the panel."""
    middle = {
        which: {"datum": sum(axis["scale"]["domain"]) / 2, **axis} for which, axis in axes.items()
    }
    return {"mark": {"type": "text", "text": text}, "data": {"values": [{}]}, "encoding": middle}


def _rounded(value: Any, axis: Spec) -> Any:
    """Round a coordinate to the resolution; None, which breaks a line, if it is not finite."""
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return None
    low, high = axis["scale"]["domain"]
    # On a logarithmic axis, the resolution is relative to the value.
    span = abs(value) if axis["scale"].get("type") == "log" else abs(high - low)
    return round(value, math.ceil(math.log10(_STEPS / span))) if span else value
