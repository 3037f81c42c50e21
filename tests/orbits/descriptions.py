"""Descriptions of orbits for tests."""

from pathlib import Path

import numpy as np

from longfat.orbits.description import Description, described
from longfat.orbits.links.path import OrbitPath
from longfat.orbits.paths import orbits_of
from longfat.orbits.shells.propagation import EARTH_KM3_PER_S2, EQUATOR_KM

LONDON = "name = 'London', latitude_deg = 51.5072, longitude_deg = -0.1276"
NEW_YORK = "name = 'New York', latitude_deg = 40.7128, longitude_deg = -74.0060"
PARIS = "name = 'Paris', latitude_deg = 48.85341, longitude_deg = 2.3488"
MOSCOW = "name = 'Moscow', latitude_deg = 55.754996, longitude_deg = 37.621849"

STARLINK = "kind = 'walker', walker = '53: 1584/72/17', altitude_km = 550"


def text_of(
    *stations: str, shells: str = STARLINK, epoch: str = "2026-11-27T12:00:00Z", more: str = ""
) -> str:
    """A description; `more` are lines of TOML."""
    listed = ", ".join(f"{{ {station} }}" for station in stations)
    return f"""\
schema_version = 1
epoch = "{epoch}"
{more}
stations = [{listed}]
shells = [{{ {shells} }}]
"""


def description(*stations: str, folder: Path = Path(), **settings: str) -> Description:
    """A description that the engine has read."""
    text = text_of(*stations, **settings)
    return described(text.encode(), str(folder / "orbit.toml"))


def path_between(given: Description, first: int = 0, second: int = 1) -> OrbitPath:
    """The path of one pair of stations."""
    (path,) = orbits_of(given, [(first, second)]).paths
    return path


def altitude_km(turns_a_day: float) -> float:
    """The altitude of a circular orbit, by Kepler's third law."""
    motion = turns_a_day * 2 * np.pi / 86400
    return float((EARTH_KM3_PER_S2 / motion**2) ** (1 / 3) - EQUATOR_KM)
