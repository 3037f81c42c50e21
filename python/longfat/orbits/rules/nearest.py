"""The nearest satellite."""

from longfat.orbits.rules.candidates import Candidates, Draw
from longfat.orbits.types import Array

KEEPS = False
BY_PATH = False


def scores(candidates: Candidates, _draw: Draw) -> Array:
    """Return slant ranges in km."""
    return candidates.range_km
