"""Any satellite in sight, all equally likely."""

import numpy as np

from longfat.orbits.rules.candidates import Candidates, Draw
from longfat.orbits.types import Array

KEEPS = True
BY_PATH = False


def scores(candidates: Candidates, draw: Draw) -> Array:
    """Return 0 for the one that is drawn, otherwise 1."""
    found = np.ones(len(candidates.until))
    found[draw(len(found))] = 0.0
    return found
