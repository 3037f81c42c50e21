"""The satellite of the shortest path."""

from longfat.orbits.rules.candidates import Candidates, Draw
from longfat.orbits.types import Array

KEEPS = False
BY_PATH = True


def scores(candidates: Candidates, _draw: Draw) -> Array:
    """Return lengths of paths in km."""
    return candidates.length_km
