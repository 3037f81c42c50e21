"""Ranges of the axes of a picture, for Vega-Lite, which draws each panel separately.

matplotlib computes them itself.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from longfat.plots.picture import BAR_THICKNESS, Axis, Mark, Panel, Picture, Shared

_MARGIN = 0.05
"""Margin beyond the data, as a share of their span."""


class Range(NamedTuple):
    """Ends of an axis."""

    low: float
    high: float


def ranges(picture: Picture) -> list[list[tuple[Range, Range] | None]]:
    """Return the ranges of both axes of every panel; panels that share an axis share the range."""
    return [
        [
            None
            if panel is None
            else (
                _ends(panel, "x", _peers(picture, row, picture.share_x, panel)),
                _ends(panel, "y", _peers(picture, row, picture.share_y, panel)),
            )
            for panel in panels
        ]
        for row, panels in enumerate(picture.panels)
    ]


def _peers(picture: Picture, row: int, shared: Shared, own: Panel) -> list[Panel]:
    """Return the panels that share an axis with the panel `own`, including itself."""
    if shared == "none":
        return [own]
    rows = picture.panels if shared == "all" else picture.panels[row : row + 1]
    return [panel for panels in rows for panel in panels if panel is not None]


def _ends(panel: Panel, which: str, peers: Sequence[Panel]) -> Range:
    """Return the declared ends of an axis, or the range over all panels that share it.

    Ranges have a margin. Declared ends may be descending.
    """
    axis: Axis = getattr(panel, which)
    values = [value for peer in peers for value in _values(peer, which) if math.isfinite(value)]
    least, most = min(values, default=0.0), max(values, default=1.0)
    low, high = _with_margin(least, most, log=axis.log)
    if which == _measured(panel) and least >= 0:
        low = 0.0
    return Range(low if axis.low is None else axis.low, high if axis.high is None else axis.high)


def _measured(panel: Panel) -> str | None:
    """Return the axis along which the bars of a panel extend; None without bars."""
    kinds = {mark.kind for mark in panel.marks}
    return "x" if "horizontal-bars" in kinds else "y" if "bars" in kinds else None


def _values(panel: Panel, which: str) -> Iterator[float]:
    """Yield all values of a panel along an axis."""
    for mark in panel.marks:
        yield from _values_of_mark(mark, which)
    yield from (guide.at for guide in panel.guides if guide.along == which)


def _values_of_mark(mark: Mark, which: str) -> Iterator[float]:
    lying = mark.kind == "horizontal-bars"
    if (which == "x") != lying:
        half = BAR_THICKNESS / 2 if mark.kind in ("bars", "horizontal-bars") else 0.0
        yield from (place + side for place in mark.x for side in (-half, half))
    elif mark.kind != "rug":
        yield from mark.y
        yield from mark.low or ()
        yield from mark.high or ()


def _with_margin(low: float, high: float, *, log: bool) -> tuple[float, float]:
    if log:
        factor = (high / low) ** _MARGIN if high > low else 2.0
        return low / factor, high * factor
    margin = _MARGIN * (high - low) or 0.5
    return low - margin, high + margin
