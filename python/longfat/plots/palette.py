"""Colours of levels: a policy or a flavor has a fixed colour in all plots, other levels in a study.

The colours are safe for colour-blind readers: those of Okabe and Ito, "Color Universal Design"
(2008), except yellow, which has too little contrast on white paper (1.3). It is replaced by olive
of the muted scheme of Tol, "Colour Schemes" (SRON/EPS/TN/09-002, 2021), which has wine as well.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

PAPER, DARK_PAPER = "#ffffff", "#181818"
INK = "#333333"
NEUTRAL = "#999999"
FAINT = "#cccccc"
EDGE = "#777777"

BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
SKY, PURPLE, BLACK, OLIVE = "#56B4E9", "#CC79A7", "#000000", "#999933"
WINE = "#882255"

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
    BLUE: "#3d96d9",
    SKY: "#a9dcff",
    WINE: "#ff8899",
}
"""Replacements of colours on a dark screen, where dark ones are hard to see."""

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
    "per-vc-double-threshold": WINE,
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
DASHES = {"-": (1, 0), "--": (5, 3), ":": (1.5, 2.5), "-.": (5, 2, 1.5, 2)}
"""Line styles, with the lengths in pixels that are drawn and left out in turn."""

_FLOWS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, OLIVE)
_OTHERS = (*_FLOWS, BLACK)
FLOW_COLORS = len(_FLOWS)
"""Number of distinct colours of flows; further flows reuse them in order, with another dash."""


@dataclass(frozen=True)
class Look:
    """Look of a level or a flow: colour, line style and marker."""

    color: str
    style: str = "-"
    marker: str = "o"


def level_looks(levels: Sequence[str], study: Iterable[Sequence[str]] = ()) -> dict[str, Look]:
    """Return the look of each level; those of a factor differ in colour, or in dash and marker.

    `study` has the levels of each factor of the study, from which colours are taken in turn, so
    that a level looks the same in all its figures. Levels with a fixed colour keep it, and the
    empty level is grey.
    """
    looks = {"": Look(NEUTRAL)}
    turn = 0
    for factor in (*study, levels):
        taken = [looks[level].color for level in factor if level in looks]
        own = [level for level in factor if level.lower() in _OWN]
        for level in (*own, *factor):
            if level in looks:
                continue
            color = _OWN.get(level.lower())
            if color is None:
                color, turn = _least_taken(taken, turn)
            looks[level] = _nth_look(color, taken.count(color))
            taken.append(color)
    return {level: looks[level] for level in levels}


def level_colors(levels: Sequence[str], study: Iterable[Sequence[str]] = ()) -> dict[str, str]:
    """Return the colour of each level, as `level_looks` does."""
    return {level: look.color for level, look in level_looks(levels, study).items()}


def flow_look(flow: int) -> Look:
    """Return the look of a flow by its number, from 1 on: 28 differ in colour or dash."""
    return _nth_look(_FLOWS[(flow - 1) % FLOW_COLORS], (flow - 1) // FLOW_COLORS)


def _least_taken(taken: Sequence[str], turn: int) -> tuple[str, int]:
    """Return the least used colour, the nearest from `turn` on, and the turn after it."""
    places = [(turn + place) % len(_OTHERS) for place in range(len(_OTHERS))]
    chosen = min(places, key=lambda place: taken.count(_OTHERS[place]))
    return _OTHERS[chosen], chosen + 1


def _nth_look(color: str, number: int) -> Look:
    """Return the look of the n-th level or flow of a colour, from 0 on."""
    styles = tuple(DASHES)
    return Look(color, styles[number % len(styles)], MARKERS[number % len(MARKERS)])
