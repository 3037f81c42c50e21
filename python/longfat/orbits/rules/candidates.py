"""Satellites among which a rule chooses."""

from collections.abc import Callable
from dataclasses import dataclass

from longfat.orbits.types import Array, Whole


@dataclass(frozen=True)
class Candidates:
    """Satellites in sight, of which one is to be chosen.

    `range_km` is the slant range from the station that chooses, `length_km` of the whole path where
    it is known, `until` the step at which it is out of sight.
    """

    range_km: Array
    length_km: Array
    until: Whole


Draw = Callable[[int], int]
"""Function that draws a whole number below another, at random."""
