"""Names of levels where there is little room: without their middle, or turned."""

import itertools
import math
from collections.abc import Sequence

LONGEST = 24
"""Letters of a name along an axis or in a legend."""

_LINE = 1.8
"""The height of a line, in the width of a letter."""
_ASLANT = 30


def shortened(names: Sequence[str], most: int = LONGEST) -> list[str]:
    """The names with no more than `most` letters, or as many as it takes that they stay different.

    Longer ones lose their middle, all at the place nearest to it at which they do stay different.
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
    """By how much names along a level axis with room for so many letters are turned: 0, 30 or 90.

    Those that are aslant lean out to the left, so they must not be long either.
    """
    longest, each = max(map(len, names)), room / len(names)
    if longest < each:
        return 0
    fits = each * math.sin(math.radians(_ASLANT)) >= _LINE and longest <= room / 2
    return _ASLANT if fits else 90


def depth(names: Sequence[str], room: float) -> float:
    """How far turned names reach below their axis, in letters."""
    return max(map(len, names)) * math.sin(math.radians(degrees(names, room)))


def thinned_out(names: Sequence[str], room: float) -> list[str]:
    """The names with every second left empty, or more, where not even upright ones have room."""
    every = math.ceil(_LINE * len(names) / room) if degrees(names, room) == 90 else 1
    return [name if place % every == 0 else "" for place, name in enumerate(names)]
