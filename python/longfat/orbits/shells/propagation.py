"""Motion of satellites: SGP4, and circles by Kepler's laws."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sgp4.api import Satrec, SatrecArray

from longfat.orbits.types import Array

EARTH_KM3_PER_S2 = 398600.8
EQUATOR_KM = 6378.135
"""Gravity and equatorial radius of WGS 72, which SGP4's element sets assume."""

_SECONDS_OF_DAY = 86400.0


class Perturbed:
    """Satellites that move by SGP4 (Vallado et al. 2006), from a Julian date in two parts on."""

    def __init__(self, records: Sequence[Satrec], day: float, share: float) -> None:
        self._records = SatrecArray(list(records))
        self._day = day
        self._share = share

    def positions(self, times_s: Array) -> Array:
        """Return places in km: (satellites, times, 3); NaN where SGP4 gives an error."""
        days = np.full(len(times_s), self._day)
        errors, places, _ = self._records.sgp4(days, self._share + times_s / _SECONDS_OF_DAY)
        found = np.asarray(places)
        found[np.asarray(errors) != 0] = np.nan
        return found


@dataclass(frozen=True)
class Circling:
    """Satellites on circles of one radius around a spherical Earth; angles are in radians."""

    radius_km: float
    inclination: float
    nodes: Array
    arguments: Array

    def positions(self, times_s: Array) -> Array:
        """Return places in km: (satellites, times, 3)."""
        along = self.arguments[:, None] + mean_motion(self.radius_km) * times_s
        cosine, sine = np.cos(along), np.sin(along)
        flat, tall = np.cos(self.inclination), np.sin(self.inclination)
        east, north = np.cos(self.nodes)[:, None], np.sin(self.nodes)[:, None]
        x = east * cosine - north * flat * sine
        y = north * cosine + east * flat * sine
        return self.radius_km * np.stack([x, y, tall * sine], axis=2)


def mean_motion(radius_km: float) -> float:
    """Return the radians a second of a circular orbit, by Kepler's third law."""
    return float(np.sqrt(EARTH_KM3_PER_S2 / radius_km**3))
