"""One colour for each drop policy, in every plot, told apart by colour-blind readers as well.

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


def policy_colors(policies: Sequence[str]) -> dict[str, str]:
    """The colour of each policy; policies without one of their own take turns with the rest."""
    others = [policy for policy in policies if policy not in _POLICIES]
    return {
        policy: _POLICIES.get(policy) or _OTHERS[others.index(policy) % len(_OTHERS)]
        for policy in policies
    }
