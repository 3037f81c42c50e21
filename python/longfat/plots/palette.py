"""Colours of levels: a policy has the same in every plot, colour-blind readers tell them apart.

The colours are those of Okabe and Ito, "Color Universal Design" (2008).
"""

from collections.abc import Sequence

INK = "#333333"
NEUTRAL = "#999999"
FAINT = "#cccccc"

_POLICIES = {
    "ubr": "#D55E00",
    "epd": "#CC79A7",
    "selective-drop": "#0072B2",
    "fba": "#009E73",
}
_OTHERS = ("#E69F00", "#56B4E9", "#000000", "#F0E442")


def level_colors(levels: Sequence[str]) -> dict[str, str]:
    """The colour of each level; levels without one of their own take turns with the rest."""
    others = [level for level in levels if level not in _POLICIES]
    return {
        level: _POLICIES.get(level) or _OTHERS[others.index(level) % len(_OTHERS)]
        for level in levels
    }
