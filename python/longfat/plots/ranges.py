"""Ranges of the axes of a picture, for Vega-Lite, which draws each panel separately.

matplotlib computes them itself.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from longfat.plots.picture import BAR_THICKNESS, Axis, Mark, Panel, Picture, Shared

_MARGIN = 0.05
"""Margin beyond the data, as a share of their span."""
_FLAT, _LARGE = 0.15, 0.1
"""Values are flattened by an axis of which they fill less than the first share, if they differ by
more than the second share of their largest."""
_FEW_TICKS, _MOST_DECADES = 3, 6
"""Numbers of ticks along a logarithmic axis: fewest, and largest at whole decades."""


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


def sharing(panels: Sequence[Sequence[Panel | None]], wanted: Shared) -> Shared:
    """Return how panels share vertical axes: as `wanted`, unless that flattens any of them."""
    groups = list(panels) if wanted == "row" else [[panel for row in panels for panel in row]]
    spans = ([_span(panel) for panel in group if panel is not None] for group in groups)
    return "none" if wanted != "none" and any(map(is_flattening, spans)) else wanted


def is_flattening(spans: Sequence[tuple[float, float]]) -> bool:
    """Whether a common axis makes differences invisible that are large within a panel.

    `spans` are the least and the largest value of each panel.
    """
    whole = max(high for _, high in spans) - min(low for low, _ in spans)
    return any(
        high - low < _FLAT * whole and high - low > _LARGE * max(abs(low), abs(high))
        for low, high in spans
    )


def _span(panel: Panel) -> tuple[float, float]:
    values = [value for value in _values(panel, "y") if math.isfinite(value)]
    return min(values, default=0.0), max(values, default=0.0)


def beginning(values: Iterable[float]) -> float | None:
    """Return where an axis from 0 on begins: None, at the values, if they are far above it."""
    found = list(values)
    return None if found and min(found) > max(found) / 2 else 0.0


def log_ticks(low: float, high: float) -> list[float]:
    """Return round numbers between the ends of a logarithmic axis, two at least."""
    low, high = sorted((low, high))
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    sparse = decades[:: math.ceil(len(decades) / _MOST_DECADES)]
    for whole, of_decade in ((sparse, (1,)), (decades, (1, 2, 5)), (decades, range(1, 10))):
        ticks = [digit * 10.0**power for power in whole for digit in of_decade]
        within = [tick for tick in ticks if low <= tick <= high]
        if len(within) >= _FEW_TICKS:
            return within
    step = 10.0 ** math.floor(math.log10((high - low) / 2))
    inside = range(math.ceil(low / step), math.floor(high / step) + 1)
    every = math.ceil(len(inside) / _MOST_DECADES)
    return [step * number for number in inside if number % every == 0]


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
