"""How far the axes of a picture reach, where it must be said: on a screen panels are drawn apart.

matplotlib finds this out by itself.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from longfat.plots.picture import BAR_THICKNESS, Axis, Mark, Panel, Picture, Shared

_MARGIN = 0.05
"""Beyond the data, as a share of what they span."""


class Range(NamedTuple):
    """The ends of an axis."""

    low: float
    high: float


def ranges(picture: Picture) -> list[list[tuple[Range, Range] | None]]:
    """The ends of the axes of every panel, those that share an axis with the same ends."""
    grid = [
        [None if panel is None else (_needed(panel, "x"), _needed(panel, "y")) for panel in row]
        for row in picture.panels
    ]
    return [
        [
            None
            if cell is None
            else (
                _joined(cell[0], [peer[0] for peer in _peers(grid, row, picture.share_x)]),
                _joined(cell[1], [peer[1] for peer in _peers(grid, row, picture.share_y)]),
            )
            for cell in cells
        ]
        for row, cells in enumerate(grid)
    ]


def _peers(
    grid: Sequence[Sequence[tuple[Range, Range] | None]], row: int, shared: Shared
) -> list[tuple[Range, Range]]:
    """The panels that share an axis with those of a row; none of them where none is shared."""
    rows = {"all": grid, "row": grid[row : row + 1], "none": grid[:0]}[shared]
    return [cell for cells in rows for cell in cells if cell is not None]


def _joined(own: Range, peers: Sequence[Range]) -> Range:
    """The ends that reach everything; an axis may run downwards."""
    least, most = (min, max) if own.low <= own.high else (max, min)
    ranges = [own, *peers]
    return Range(least(peer.low for peer in ranges), most(peer.high for peer in ranges))


def _needed(panel: Panel, which: str) -> Range:
    """What a panel needs: its axis as said, or what its marks and guides span, with a margin."""
    axis: Axis = getattr(panel, which)
    values = [value for mark in panel.marks for value in _values(mark, which)]
    values += [guide.at for guide in panel.guides if guide.along == which]
    finite = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = _with_margin(min(finite), max(finite), log=axis.log)
    if which == _measured(panel) and min(finite) >= 0:
        low = 0.0
    return Range(low if axis.low is None else axis.low, high if axis.high is None else axis.high)


def _measured(panel: Panel) -> str | None:
    """The axis along which the bars of a panel measure; None if it has none."""
    kinds = {mark.kind for mark in panel.marks}
    return "x" if "horizontal-bars" in kinds else "y" if "bars" in kinds else None


def _values(mark: Mark, which: str) -> Iterator[float]:
    """Everything of a mark that an axis has to reach."""
    lying = mark.kind == "horizontal-bars"
    if (which == "x") != lying:
        half = BAR_THICKNESS / 2 if mark.kind in ("bars", "horizontal-bars") else 0.0
        yield from (place + side for place in mark.x for side in (-half, half))
        return
    if mark.kind != "rug":
        yield from mark.y
        yield from mark.low or ()
        yield from mark.high or ()


def _with_margin(low: float, high: float, *, log: bool) -> tuple[float, float]:
    if log:
        factor = (high / low) ** _MARGIN if high > low else 2.0
        return low / factor, high * factor
    margin = _MARGIN * (high - low) or 0.5
    return low - margin, high + margin
