"""Colours of levels: a policy or a flavor has the same in every plot, whatever its neighbours.

Colour-blind readers tell them apart: the colours are those of Okabe and Ito, "Color Universal
Design" (2008), but for their yellow, of which a line on white paper is hardly seen (contrast 1.3).
Olive is in its place, of the muted scheme of Tol, "Colour Schemes" (SRON/EPS/TN/09-002, 2021).
"""

from collections.abc import Sequence
from dataclasses import dataclass

INK = "#333333"
NEUTRAL = "#999999"
FAINT = "#cccccc"
EDGE = "#777777"

BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
SKY, PURPLE, BLACK, OLIVE = "#56B4E9", "#CC79A7", "#000000", "#999933"

DROP, TIMEOUT = "#662200", "#6600cc"
"""Moments, in plots of flows: no flow has these colours, and colour-blind readers tell them from
those that flows have."""

DARK = {
    INK: "#dddddd",
    BLACK: "#ffffff",
    NEUTRAL: "#a0a0a0",
    FAINT: "#4d4d4d",
    DROP: "#eecc88",
    TIMEOUT: "#aa66ff",
    OLIVE: "#F0E442",
}
"""What colours that are dark or have no hue become on a dark screen."""

_OWN = {
    # Drop policies.
    "ubr": VERMILION,
    "tail-drop": VERMILION,
    "epd": PURPLE,
    "selective-drop": BLUE,
    "fba": GREEN,
    "partial-packet-discard": OLIVE,
    "weighted-fba": SKY,
    "dfba": ORANGE,
    "double-threshold": BLACK,
    # Queue disciplines: no plot shows them beside drop policies in colour, but for tail drop.
    "red": OLIVE,
    "codel": ORANGE,
    "fq-codel": SKY,
    "cake": PURPLE,
    "ack-filter": BLACK,
    "pie": GREEN,
    "dualpi2": BLUE,
    # Recoveries: nor these beside either. Window laws need no colour here: they take turns with the
    # rest.
    "vanilla": BLACK,
    "tahoe": OLIVE,
    "reno": ORANGE,
    "newreno": SKY,
    "newreno-rfc6582": SKY,
    "sack": BLUE,
    "sack-rfc6675": BLUE,
    "rack-tlp": VERMILION,
}

CLASSES = {"ubr": BLUE, "vbr": NEUTRAL}
"""Service classes, from the bottom of a stack to its top."""

MARKERS = ("o", "s", "^", "D", "v", "P", "<", ">", "X", "*", "p", "h")
_DASHES = ("-", "--", ":", "-.")

_OTHERS = (ORANGE, SKY, BLACK, GREEN, PURPLE, OLIVE)

_FLOWS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK)
FLOW_COLORS = len(_FLOWS)
"""Flows beyond so many take turns with the colours."""


def level_colors(levels: Sequence[str]) -> dict[str, str]:
    """The colour of each level; levels without one of their own take turns with the rest.

    No level at all, which is empty, is grey.
    """
    own = {level: _OWN[level.lower()] for level in levels if level.lower() in _OWN}
    own |= {level: NEUTRAL for level in levels if not level}
    free = [color for color in _OTHERS if color not in own.values()] or list(_OTHERS)
    others = [level for level in levels if level not in own]
    return {level: own.get(level) or free[others.index(level) % len(free)] for level in levels}


@dataclass(frozen=True)
class Look:
    """What tells a level from others: the style is that of its lines."""

    color: str
    style: str
    marker: str


def level_looks(levels: Sequence[str]) -> dict[str, Look]:
    """The look of each level: a colour that comes again has another dash and another marker."""
    colors = level_colors(levels)
    looks: dict[str, Look] = {}
    for level, color in colors.items():
        turn = sum(look.color == color for look in looks.values())
        looks[level] = Look(color, _DASHES[turn % len(_DASHES)], MARKERS[turn % len(MARKERS)])
    return looks


def flow_color(flow: int) -> str:
    """The colour of a flow by its number, from 1 on; every seventh flow has the same."""
    return _FLOWS[(flow - 1) % len(_FLOWS)]
