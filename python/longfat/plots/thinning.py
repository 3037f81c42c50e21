"""Fewer points that look the same: more than a page or a screen can show are only slow."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

from longfat.plots.picture import Mark

POINTS_ON_PAPER = 4000
"""More points of a series cannot be told apart on a page."""

POINTS_ON_SCREEN = 6000
"""So many for all series of a picture together, but no series has less than `_LEAST`."""

_LEAST = 240
_PER_PORTION = 4
_STROKES_SHOWN = 1000
"""Of a rug: as many places as a screen has pixels."""


def thinned(
    x: Sequence[float], y: Sequence[float], most: int = POINTS_ON_PAPER
) -> tuple[list[float], list[float]]:
    """At most about `most` points: of each portion the first, the least, the most and the last.

    So peaks stay, and a staircase holds the right value where nothing changes for long.
    """
    if len(x) <= most:
        return list(x), list(y)
    portion = -(-len(x) * _PER_PORTION // most)
    kept: list[int] = []
    for start in range(0, len(x), portion):
        places = range(start, min(start + portion, len(x)))
        low, high = min(places, key=y.__getitem__), max(places, key=y.__getitem__)
        kept += sorted({start, low, high, places[-1]})
    return [x[place] for place in kept], [y[place] for place in kept]


def for_screen(marks: Sequence[Mark], of_picture: int) -> list[Mark]:
    """The marks of a panel with what a screen can show, where the picture has `of_picture`."""
    most = max(_LEAST, POINTS_ON_SCREEN // max(1, of_picture))
    return [_thinned_mark(mark, most) for mark in marks]


def _thinned_mark(mark: Mark, most: int) -> Mark:
    if mark.kind == "rug" and len(mark.x) > _STROKES_SHOWN:
        reach = (max(mark.x) - min(mark.x)) / _STROKES_SHOWN or 1.0
        return replace(mark, x=list({round(place / reach): place for place in mark.x}.values()))
    # An outline goes back along x and has gaps: every point of it counts.
    is_plain = mark.low is None and not mark.names
    if mark.kind in ("line", "steps", "points") and is_plain and _is_ordered(mark.x):
        x, y = thinned(mark.x, mark.y, most)
        return replace(mark, x=x, y=y)
    return mark


def _is_ordered(values: Sequence[float]) -> bool:
    return all(first <= second for first, second in itertools.pairwise(values))
