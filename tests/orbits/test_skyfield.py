"""Delays beside those of Skyfield, an independent program, with the same elements."""

from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from skyfield.api import EarthSatellite, load, wgs84

from longfat.orbits.description import Description
from longfat.orbits.earth import LIGHT_KM_PER_S
from longfat.orbits.shells import constellation
from longfat.orbits.sightings import sightings_of
from tests.orbits.descriptions import description
from tests.orbits.test_element_sets import STATION, VANGUARD

TIMES = load.timescale(builtin=True)

PLACES = [
    (51.5072, -0.1276, 25.0),
    (0.0, 180.0, 0.0),
    (-89.0, 45.0, 2835.0),
    (27.99, 86.93, 8849.0),
]

MICROSECOND = 1e-6


def skyfield_delays_s(
    lines: list[str], place: tuple[float, float, float], given: Description
) -> tuple[np.ndarray, np.ndarray]:
    """One-way delays and sines of elevations at each step."""
    satellite = EarthSatellite(lines[-2], lines[-1], ts=TIMES)
    epoch: datetime = given.epoch
    times = TIMES.utc(
        epoch.year, epoch.month, epoch.day, epoch.hour, epoch.minute, epoch.second + given.times_s
    )
    seen = (satellite - wgs84.latlon(*place[:2], elevation_m=place[2])).at(times)
    elevation, _, distance = seen.altaz()
    return distance.km / LIGHT_KM_PER_S, np.asarray(elevation.degrees)


def ours(folder: Path, text: str, epoch: str, ut1_minus_utc_s: float) -> Description:
    (folder / "sets.tle").write_text(text)
    stations = [
        f"name = '{number}', latitude_deg = {place[0]}, longitude_deg = {place[1]}, "
        f"altitude_m = {place[2]}"
        for number, place in enumerate(PLACES)
    ]
    return description(
        *stations,
        folder=folder,
        shells="kind = 'tle', file = 'sets.tle'",
        epoch=epoch,
        more=f"duration = '3 h'\nstep = '7 s'\nmask_deg = 0\nut1_minus_utc_s = {ut1_minus_utc_s!r}",
    )


CASES = [(STATION, "2019-12-10T10:00:00Z"), (VANGUARD, "2000-06-28T00:00:00Z")]


def ut1_minus_utc_s(epoch: str) -> float:
    """UT1 - UTC as Skyfield knows it."""
    clock = TIMES.utc(*datetime.fromisoformat(epoch).timetuple()[:5])
    return round(float(clock.dut1), 6)


def errors_s(text: str, given: Description) -> np.ndarray:
    """Differences of all delays from Skyfield's; both must see the satellite at the same steps."""
    found = []
    for number, seen in enumerate(sightings_of(given, constellation(given), given.stations)):
        delays_s, elevations_deg = skyfield_delays_s(text.splitlines(), PLACES[number], given)
        steps = np.repeat(np.arange(given.steps), np.diff(seen.begins))
        at_the_horizon = np.abs(elevations_deg) < 0.01
        is_seen = np.isin(np.arange(given.steps), steps)
        assert (is_seen == (elevations_deg >= 0))[~at_the_horizon].all()
        found.append(np.abs(seen.range_km / LIGHT_KM_PER_S - delays_s[steps]))
    return np.concatenate(found)


@pytest.mark.parametrize(("text", "epoch"), CASES)
def test_delays_are_those_of_skyfield_to_a_nanosecond(
    tmp_path: Path, text: str, epoch: str
) -> None:
    """Skyfield knows UT1 - UTC of these days, and turns the Earth by the same sidereal time."""
    found = errors_s(text, ours(tmp_path, text, epoch, ut1_minus_utc_s(epoch)))
    assert len(found) > 100
    assert found.max() < 1e-9


@pytest.mark.parametrize(("text", "epoch"), CASES)
def test_without_ut1_delays_of_these_days_are_within_a_microsecond(
    tmp_path: Path, text: str, epoch: str
) -> None:
    """UT1 - UTC was less than 0.25 s on both days: 0.12 km at the equator, 0.4 us at most."""
    assert errors_s(text, ours(tmp_path, text, epoch, 0.0)).max() < MICROSECOND
