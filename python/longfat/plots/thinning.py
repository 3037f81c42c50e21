"""Downsampling of series for display, preserving extremes and gaps."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

from longfat.plots.picture import Mark

POINTS_ON_PAPER = 4000
"""Number of points of a series that are distinguishable on a page."""

POINTS_ON_SCREEN = 6000
"""Number of points of all series of a picture together; each has at least `_LEAST`."""

_LEAST = 240
_PER_PORTION = 4
_REST = 8
"""A gap is preserved if it is longer than this many times the mean distance of points."""
_STROKES_SHOWN = 1000
"""Number of distinct positions of a rug, about the pixels of a screen."""


def thinned(
    x: Sequence[float], y: Sequence[float], most: int = POINTS_ON_PAPER
) -> tuple[list[float], list[float]]:
    """Downsample to about `most` points: first, smallest, largest and last of each portion.

    This preserves peaks. Both ends of long gaps are kept as well, so that a step line holds the
    right value.
    """
    if len(x) <= most:
        return list(x), list(y)
    portion = -(-len(x) * _PER_PORTION // most)
    long = (x[-1] - x[0]) * _REST / most
    gaps = [place for place in range(len(x) - 1) if x[place + 1] - x[place] > long]
    kept = {end for gap in gaps for end in (gap, gap + 1)}
    for start in range(0, len(x), portion):
        places = range(start, min(start + portion, len(x)))
        low, high = min(places, key=y.__getitem__), max(places, key=y.__getitem__)
        kept |= {start, low, high, places[-1]}
    return [x[place] for place in sorted(kept)], [y[place] for place in sorted(kept)]


def for_screen(marks: Sequence[Mark], of_picture: int) -> list[Mark]:
    """Downsample the marks of a panel for a screen; the picture has `of_picture` marks."""
    most = max(_LEAST, POINTS_ON_SCREEN // max(1, of_picture))
    return [_thinned_mark(mark, most) for mark in marks]


def _thinned_mark(mark: Mark, most: int) -> Mark:
    if mark.kind == "rug" and len(mark.x) > _STROKES_SHOWN:
        reach = (max(mark.x) - min(mark.x)) / _STROKES_SHOWN or 1.0
        return replace(mark, x=list({round(place / reach): place for place in mark.x}.values()))
    # Outlines are not monotonic in x and have gaps: all of their points are kept.
    is_plain = mark.low is None and not mark.names
    if mark.kind in ("line", "steps", "points") and is_plain and _is_ordered(mark.x):
        x, y = thinned(mark.x, mark.y, most)
        return replace(mark, x=x, y=y)
    return mark


def _is_ordered(values: Sequence[float]) -> bool:
    return all(first <= second for first, second in itertools.pairwise(values))
