"""Delays that others have published: Hypatia's (Kassing et al., IMC 2020).

Its constellations have every second plane shifted by half of the spacing, a mean motion in turns a
day, and stations that use satellites up to a distance. Its graph is the +Grid, and the shortest
path counts. Round trips and routes are those of its repository (github.com/snkas/hypatia): of
`satgenpy/tests/data_to_match/kuiper_630`, ten a second, of which these are whole seconds, and of
Paris to Moscow in the analysis of failures.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest

from longfat.orbits.links.path import OrbitPath
from tests.orbits.descriptions import MOSCOW, PARIS, altitude_km, description, path_between

MANILA = "name = 'Manila', latitude_deg = 14.6042, longitude_deg = 120.9822"
DALIAN = "name = 'Dalian', latitude_deg = 38.913811, longitude_deg = 121.602322"
PETERSBURG = "name = 'Petersburg', latitude_deg = 59.929858, longitude_deg = 30.326228"

ALTERNATING = "kind = 'walker', phasing = 'alternating'"
KUIPER = f"{ALTERNATING}, walker = '51.9: 1156/34/0', altitude_km = {altitude_km(14.80)!r}"
KUIPER_KM = math.hypot(630 / math.tan(math.radians(30)), 630)
STARLINK = f"{ALTERNATING}, walker = '53: 1584/72/0', altitude_km = {altitude_km(15.19)!r}"
STARLINK_KM = math.hypot(940.7, 550)

MICROSECOND_NS = 1000


@dataclass(frozen=True)
class Example:
    """Round trips in ns by second, and routes, each from the first second that has it."""

    stations: tuple[str, str]
    shells: str
    longest_km: float
    seconds: int
    round_trips: Mapping[int, float]
    routes: Sequence[tuple[int, str]]

    def path(self) -> OrbitPath:
        """The path as it is computed here."""
        more = (
            f"mask_deg = 0\nlongest_km = {self.longest_km!r}\nduration = '{self.seconds} s'\n"
            "links = 'isl'\nhandover = { rule = 'shortest' }"
        )
        epoch = "2000-01-01T00:00:00Z"
        return path_between(description(*self.stations, shells=self.shells, epoch=epoch, more=more))

    def round_trips_of(self, path: OrbitPath) -> dict[int, float]:
        """The round trips of a path at the same seconds."""
        return {step: 2e9 * float(path.delay_s[step]) for step in self.round_trips}


def written(path: OrbitPath) -> list[tuple[int, str]]:
    """Routes as Hypatia writes them."""
    return [(step, "-".join(map(str, route))) for step, route in path.routes]


EXAMPLES = {
    "Manila to Dalian, Kuiper": Example(
        (MANILA, DALIAN),
        KUIPER,
        KUIPER_KM,
        200,
        {
            0: 29423137.758,
            1: 29394645.629,
            10: 29153930.223,
            18: 25346492.504,
            100: 42776626.276,
            150: 42234037.943,
            199: 41286538.496,
        },
        [
            (0, "184-183-217"),
            (18, "218-217"),
            (28, "648-649-650-616"),
            (75, "218-217-216-250"),
            (126, "647-648-649-650-616"),
            (129, "647-648-649-615"),
        ],
    ),
    "Manila to Saint Petersburg, Kuiper": Example(
        (MANILA, PETERSBURG),
        KUIPER,
        KUIPER_KM,
        200,
        {
            0: 76846048.722,
            1: 76789792.915,
            10: 75621876.793,
            18: 75215067.576,
            100: 72738059.071,
            150: 74043671.167,
            199: 75073552.078,
        },
        [
            (0, "184-183-182-181-180-179-178-144"),
            (4, "184-183-182-181-180-179-178-177"),
            (140, "184-183-182-181-180-179-178-144"),
            (151, "183-182-181-180-179-178-144"),
            (156, ""),
            (166, "183-182-181-180-179-178-177-143"),
            (179, "183-182-181-180-179-178-177-176"),
        ],
    ),
    "Saint Petersburg to Dalian, Kuiper": Example(
        (PETERSBURG, DALIAN),
        KUIPER,
        KUIPER_KM,
        130,
        {
            0: 63203866.535,
            1: 63142855.232,
            10: 61936110.488,
            18: 61462949.311,
            100: 58821023.120,
        },
        [
            (0, "144-178-212-246-280-281-282-283"),
            (4, "177-178-212-246-280-281-282-283"),
            (11, "177-178-212-246-247-248-249"),
            (129, "177-211-245-246-247-248-249"),
        ],
    ),
    "Paris to Moscow, Starlink": Example(
        (PARIS, MOSCOW),
        STARLINK,
        STARLINK_KM,
        30,
        {0: 20721653.050, 10: 20627099.414, 20: 20573859.230, 29: 20559903.823},
        [(0, "137-159")],
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_delays_and_routes_are_those_that_hypatia_published(name: str) -> None:
    """All round trips within a microsecond, and every route, also ten seconds without one."""
    example = EXAMPLES[name]
    path = example.path()
    expected = pytest.approx(dict(example.round_trips), abs=MICROSECOND_NS)
    assert example.round_trips_of(path) == expected
    assert written(path) == example.routes
