"""Legends of Vega-Lite specifications, from invisible points with an entry each.

So a legend shows the colours, shapes and lines of its marks, independently of the layers.
"""

from collections.abc import Sequence
from typing import Any

from longfat.plots.palette import EDGE
from longfat.plots.picture import Mark, Picture

SHAPES = {"o": "circle", "s": "square", "^": "triangle-up", "D": "diamond", "v": "triangle-down",
          "P": "cross", "x": "cross", "|": "stroke", "<": "triangle-left", ">": "triangle-right",
          "X": "M-1,-.6L-.6,-1L0,-.4L.6,-1L1,-.6L.4,0L1,.6L.6,1L0,.4L-.6,1L-1,.6L-.4,0Z",
          "*": "M0,-1L.2,-.3L.95,-.3L.4,.1L.6,.8L0,.4L-.6,.8L-.4,.1L-.95,-.3L-.2,-.3Z",
          "p": "M0,-1L.95,-.31L.59,.81L-.59,.81L-.95,-.31Z",
          "h": "M0,-1L.87,-.5L.87,.5L0,1L-.87,.5L-.87,-.5Z"}  # fmt: skip
"""Vega's shape of each marker: its name, or an SVG path if Vega has none."""

_OUTLINES = {
    "o": "M1,0A1,1,0,1,1,-1,0A1,1,0,1,1,1,0Z", "s": "M-.9,-.9L.9,-.9L.9,.9L-.9,.9Z",
    "^": "M0,-1L1,.8L-1,.8Z", "v": "M0,1L1,-.8L-1,-.8Z", "D": "M0,-1.1L.9,0L0,1.1L-.9,0Z",
    "<": "M-1,0L.8,-1L.8,1Z", ">": "M1,0L-.8,-1L-.8,1Z",
    "P": "M-1,-.4L-.4,-.4L-.4,-1L.4,-1L.4,-.4L1,-.4L1,.4L.4,.4L.4,1L-.4,1L-.4,.4L-1,.4Z",
} | {marker: SHAPES[marker] for marker in "X*ph"}  # fmt: skip
"""Outline of each marker as an SVG path, within 1 of its middle."""

_STROKES = {
    "-": [(-2.6, 2.6)],
    "--": [(-2.6, -1.2), (-0.7, 0.7), (1.2, 2.6)],
    ":": [(-2.6, -2.2), (-1.4, -1.0), (-0.2, 0.2), (1.0, 1.4), (2.2, 2.6)],
    "-.": [(-2.6, -1.2), (-0.75, -0.35), (0.1, 1.5), (2.0, 2.4)],
}
"""Strokes of each line style: Vega would dash the outline of a marker as well."""
_STROKES_BESIDE = {
    "-": [(-2.6, -1.0), (1.0, 2.6)],
    "--": [(-2.6, -1.9), (-1.5, -1.0), (1.0, 1.5), (1.9, 2.6)],
    ":": [(-2.5, -2.2), (-1.6, -1.3), (1.3, 1.6), (2.2, 2.5)],
    "-.": [(-2.6, -1.8), (-1.5, -1.2), (1.2, 1.5), (1.8, 2.6)],
}
"""Strokes of each line style on both sides of a marker."""
_LINE_OFFSET, _USUAL_OFFSET = 13, 4
"""Distance of labels from the middle of their symbols in pixels, with and without lines."""

_BARS = ("bars", "horizontal-bars", "area")
_DEFAULT_COLUMNS = 5


def keys_of(picture: Picture) -> list[list[Sequence[Mark]]]:
    """Return the marks in the legend of each panel.

    One legend at the first panel serves all panels, unless a label looks different in two panels,
    or two labels of different panels look alike.
    """
    rows = picture.panels
    own: list[list[Sequence[Mark]]] = [
        [_labelled(panel.in_legend if panel else ()) for panel in row] for row in rows
    ]
    together = _labelled(picture.key or [mark for row in own for key in row for mark in key])
    if not picture.key and _are_confused([key for row in own for key in row if key]):
        return own
    empty: list[list[Sequence[Mark]]] = [[() for _ in row] for row in rows]
    empty[0][0] = together
    return empty


def legend(key: Sequence[Mark]) -> dict[str, Any]:
    """Return an invisible layer with a legend entry for each mark."""
    return {
        "mark": {"type": "point", "opacity": 0, "size": 0, "tooltip": None},
        "data": {"values": [{"label": mark.label} for mark in key]},
        "encoding": {
            "shape": _channel(key, [_shape(mark) for mark in key]),
            "fill": _channel(key, [mark.color if _filled(mark) else "transparent" for mark in key]),
            "stroke": _channel(key, [EDGE if mark.kind in _BARS else mark.color for mark in key]),
        },
    }


def _are_confused(keys: Sequence[Sequence[Mark]]) -> bool:
    """Whether one legend for these panels would be ambiguous."""
    looks = [{mark.label: (mark.color, _shape(mark), _filled(mark)) for mark in key}
             for key in keys]  # fmt: skip
    return any(
        (label == other) != (look == other_look)
        for place, first in enumerate(looks)
        for second in looks[:place]
        for label, look in first.items()
        for other, other_look in second.items()
    )


def _labelled(marks: Sequence[Mark]) -> list[Mark]:
    """Return the first mark of each label."""
    first: dict[str, Mark] = {}
    for mark in marks:
        if mark.label:
            first.setdefault(mark.label, mark)
    return list(first.values())


def _channel(key: Sequence[Mark], values: Sequence[str]) -> dict[str, Any]:
    shown = {
        "title": None,
        "orient": "top",
        "direction": "horizontal",
        "columns": min(_DEFAULT_COLUMNS, len(key)),
        "symbolOpacity": 1,
        "symbolSize": 70,
        "labelOffset": _LINE_OFFSET if any(map(_is_line, key)) else _USUAL_OFFSET,
    }
    scale = {"domain": [mark.label for mark in key], "range": list(values)}
    return {"field": "label", "type": "nominal", "scale": scale, "legend": shown}


def _shape(mark: Mark) -> str:
    if mark.kind in _BARS:
        return "square"
    if _is_line(mark):
        return _line(mark)
    return SHAPES.get(mark.marker, "circle") if mark.kind == "points" else "stroke"


def _is_line(mark: Mark) -> bool:
    return mark.kind in ("line", "steps")


def _line(mark: Mark) -> str:
    """Return the path of a line in its style, with its marker if it has points."""
    outline = "" if mark.low is None else _OUTLINES.get(mark.marker, _OUTLINES["o"])
    strokes = (_STROKES_BESIDE if outline else _STROKES)[mark.style]
    return "".join(f"M{start},0L{end},0" for start, end in strokes) + outline


def _filled(mark: Mark) -> bool:
    return mark.filled or mark.kind != "points"
