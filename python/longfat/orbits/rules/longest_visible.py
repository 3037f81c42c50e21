"""The satellite that stays in sight longest."""

from longfat.orbits.rules.candidates import Candidates, Draw
from longfat.orbits.types import Array

KEEPS = True
BY_PATH = False


def scores(candidates: Candidates, _draw: Draw) -> Array:
    """Return the steps until it sets, negative."""
    return -candidates.until.astype(float)
