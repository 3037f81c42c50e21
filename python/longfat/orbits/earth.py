"""The turning Earth: ground stations as vectors in the frame of the satellites.

TEME is turned into the frame of the Earth by Greenwich mean sidereal time of 1982 alone, as Vallado
et al. 2006 (AIAA 2006-6753, appendix C) define it for SGP4. Polar motion is left out: it moves a
station by some 10 m at most, which is 0.03 us.
"""

import numpy as np

from longfat.orbits.description import Description, Station
from longfat.orbits.types import Array

LIGHT_KM_PER_S = 299792.458
"""Speed of light in vacuum, which radio links and lasers between satellites have."""

EQUATOR_KM = 6378.137
FLATTENING = 1 / 298.257223563
"""Ellipsoid of WGS 84: equatorial radius and flattening."""

_SECONDS_OF_DAY = 86400.0
_J2000 = 2451545.0
_DAYS_OF_CENTURY = 36525.0
_METERS = 1000.0


def sidereal_angle(day: float, share: Array) -> Array:
    """Return the Earth's angle from the mean equinox in radians (GMST 1982; Aoki et al. 1982).

    The Julian date in UT1 is the sum of `day` and `share`; only `share` needs to be exact.
    """
    centuries = (day - _J2000 + share) / _DAYS_OF_CENTURY
    seconds = 67310.54841 + centuries * (
        8640184.812866 + centuries * (0.093104 - 6.2e-6 * centuries)
    )
    turns = day % 1.0 + share + seconds / _SECONDS_OF_DAY % 1.0
    return np.asarray(turns % 1.0 * (2 * np.pi))


def earth_angles(description: Description, times_s: Array) -> Array:
    """Return the Earth's angle at times after the epoch, in radians."""
    day, share = description.epoch_days
    ahead_s = description.settings["ut1_minus_utc_s"]
    return sidereal_angle(day, share + (times_s + ahead_s) / _SECONDS_OF_DAY)


def fixed(station: Station) -> tuple[Array, Array]:
    """Return a station in the Earth's frame: its place in km, and the unit vector to its zenith."""
    latitude, longitude = np.radians([station.latitude_deg, station.longitude_deg])
    up = np.array(
        [
            np.cos(latitude) * np.cos(longitude),
            np.cos(latitude) * np.sin(longitude),
            np.sin(latitude),
        ]
    )
    eccentricity_2 = FLATTENING * (2 - FLATTENING)
    normal_km = EQUATOR_KM / np.sqrt(1 - eccentricity_2 * np.sin(latitude) ** 2)
    altitude_km = station.altitude_m / _METERS
    scale = np.array([1.0, 1.0, 1.0 - eccentricity_2])
    return (normal_km * scale + altitude_km) * up, up


def turned(vector: Array, angles: Array) -> Array:
    """Return a vector of the Earth's frame in that of the satellites: (angles, 3)."""
    cosine, sine = np.cos(angles), np.sin(angles)
    x, y, z = vector
    return np.stack([x * cosine - y * sine, x * sine + y * cosine, np.full_like(cosine, z)], axis=1)


def ground_track(positions: Array, angles: Array) -> tuple[Array, Array]:
    """Return latitude (of the sphere) and longitude below positions, in degrees.

    `positions` are (satellites, times, 3), in the frame of the satellites.
    """
    x, y, z = np.moveaxis(positions, -1, 0)
    longitudes = np.degrees(np.arctan2(y, x) - angles)
    latitudes = np.degrees(np.arctan2(z, np.hypot(x, y)))
    return latitudes, (longitudes + 180.0) % 360.0 - 180.0
