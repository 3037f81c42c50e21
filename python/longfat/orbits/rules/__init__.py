"""Registry of handover rules: a module scores the satellites in sight, and the lowest is chosen.

A new rule is a word of `Rule` in `crates/orbit/src/handover.rs`, and a module with `KEEPS`,
`BY_PATH` and `scores`, and a line in `RULES`.
"""

from importlib import import_module
from typing import Protocol, cast

from longfat.orbits.rules.candidates import Candidates, Draw
from longfat.orbits.types import Array

RULES = {
    "nearest": "longfat.orbits.rules.nearest",
    "longest-visible": "longfat.orbits.rules.longest_visible",
    "shortest": "longfat.orbits.rules.shortest",
    "drawn": "longfat.orbits.rules.drawn",
}


class Rule(Protocol):
    """Interface of a module with a rule.

    `KEEPS` is true if the satellite is kept until it sets, unless a time between choices is set.
    `BY_PATH` is true if any satellite may be chosen that makes the path short.
    """

    KEEPS: bool
    BY_PATH: bool

    def scores(self, candidates: Candidates, draw: Draw, /) -> Array:
        """Return a number for each candidate; the lowest is chosen, of several the nearest."""


def rule_called(name: str) -> Rule:
    """Return the rule of this name."""
    return cast("Rule", import_module(RULES[name]))
