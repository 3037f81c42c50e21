"""Colours of levels: a policy or a flavor has a fixed colour in all plots.

The colours are safe for colour-blind readers: those of Okabe and Ito, "Color Universal Design"
(2008), except yellow, which has too little contrast on white paper (1.3). It is replaced by olive
of the muted scheme of Tol, "Colour Schemes" (SRON/EPS/TN/09-002, 2021).
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
"""Colours of events in plots of flows: distinct from those of flows, also when colour-blind."""

DARK = {
    INK: "#dddddd",
    BLACK: "#ffffff",
    NEUTRAL: "#a0a0a0",
    FAINT: "#4d4d4d",
    DROP: "#eecc88",
    TIMEOUT: "#aa66ff",
    OLIVE: "#F0E442",
}
"""Replacements of dark and grey colours on a dark screen."""

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
    # Queue disciplines: except tail drop, no plot shows them together with drop policies.
    "red": OLIVE,
    "codel": ORANGE,
    "fq-codel": SKY,
    "cake": PURPLE,
    "ack-filter": BLACK,
    "pie": GREEN,
    "dualpi2": BLUE,
    # Recoveries: no plot shows them together with either. Window laws take the rest in turn.
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
"""Number of distinct colours of flows; further flows reuse them in order."""


def level_colors(levels: Sequence[str]) -> dict[str, str]:
    """Return the colour of each level; levels without a fixed one use the others in turn.

    The empty level is grey.
    """
    own = {level: _OWN[level.lower()] for level in levels if level.lower() in _OWN}
    own |= {level: NEUTRAL for level in levels if not level}
    free = [color for color in _OTHERS if color not in own.values()] or list(_OTHERS)
    others = [level for level in levels if level not in own]
    return {level: own.get(level) or free[others.index(level) % len(free)] for level in levels}


@dataclass(frozen=True)
class Look:
    """Look of a level: colour, line style and marker."""

    color: str
    style: str
    marker: str


def level_looks(levels: Sequence[str]) -> dict[str, Look]:
    """Return the look of each level; repeated colours get other line styles and markers."""
    colors = level_colors(levels)
    looks: dict[str, Look] = {}
    for level, color in colors.items():
        turn = sum(look.color == color for look in looks.values())
        looks[level] = Look(color, _DASHES[turn % len(_DASHES)], MARKERS[turn % len(MARKERS)])
    return looks


def flow_color(flow: int) -> str:
    """Return the colour of a flow by its number, from 1 on, modulo `FLOW_COLORS`."""
    return _FLOWS[(flow - 1) % len(_FLOWS)]
