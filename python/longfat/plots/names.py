"""Names of levels: their order, and how they fit into little room."""

import itertools
import math
import re
from collections.abc import Sequence
from decimal import Decimal

LONGEST = 24
"""Largest number of letters of a name along an axis or in a legend."""

_LINE = 1.8
"""Height of a line, in widths of a letter."""
_ASLANT = 30


_NUMBER = re.compile(r"^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)\s*(.*)$")


def in_order(levels: Sequence[str]) -> list[str]:
    """Return levels in the order of their numbers if all are numbers of one unit, else as given."""
    numbers = [_NUMBER.match(level) for level in levels]
    found = [number for number in numbers if number is not None]
    if len(found) < len(levels) or len({number[2] for number in found}) > 1:
        return list(levels)
    try:
        return sorted(levels, key=lambda level: float(_NUMBER.sub(r"\1", level)))
    except ValueError:  # such as 1.2.3
        return list(levels)


def plain(number: float) -> str:
    """Return a number of an axis without an exponent, such as 0.002 or 1,000,000."""
    return f"{Decimal(f'{number:.12g}'):,f}"


def shortened(names: Sequence[str], most: int = LONGEST) -> list[str]:
    """Shorten names to `most` letters, or to the fewest at which they remain distinct.

    Letters are removed from the middle, at the nearest position at which names remain distinct.
    """
    for length in itertools.count(most):
        for head in sorted(range(1, length - 1), key=lambda place: abs(2 * place - length)):
            cut = [_without_middle(name, head, length) for name in names]
            if len(set(cut)) == len(set(names)):
                return cut
    raise AssertionError("names in full differ if they do at all")


def _without_middle(name: str, head: int, length: int) -> str:
    if len(name) <= length:
        return name
    tail = name[len(name) - (length - 1 - head) :]
    return f"{name[:head].rstrip()}…{tail.lstrip()}"


def degrees(names: Sequence[str], room: float) -> int:
    """Return the rotation of names along a horizontal axis of `room` letters: 0, 30 or 90 degrees.

    At 30 degrees, names extend to the left, so they must not be long.
    """
    longest, each = max(map(len, names)), room / len(names)
    if longest < each:
        return 0
    fits = each * math.sin(math.radians(_ASLANT)) >= _LINE and longest <= room / 2
    return _ASLANT if fits else 90


def depth(names: Sequence[str], room: float) -> float:
    """Return the height of rotated names below their axis, in letters."""
    return max(map(len, names)) * math.sin(math.radians(degrees(names, room)))


def thinned_out(names: Sequence[str], room: float) -> list[str]:
    """Blank all but every n-th name if even vertical names do not fit."""
    every = math.ceil(_LINE * len(names) / room) if degrees(names, room) == 90 else 1
    return [name if place % every == 0 else "" for place, name in enumerate(names)]
