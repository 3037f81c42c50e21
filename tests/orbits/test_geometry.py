"""Laws of motion and geometry, and numbers worked out by hand."""

import math
from pathlib import Path

import numpy as np
import pytest

from longfat.orbits.earth import ground_track, sidereal_angle
from longfat.orbits.shells import Constellation, constellation
from tests.orbits.descriptions import LONDON, PARIS, description, path_between

KEPLER = "motion = 'kepler'"
CIRCLES = f"kind = 'walker', walker = '60: 24/4/1', altitude_km = 1200, {KEPLER}"


def circling(shells: str = CIRCLES) -> Constellation:
    return constellation(description(LONDON, PARIS, shells=shells))


def test_a_circle_has_the_period_of_keplers_third_law() -> None:
    """7578.135 km around 398600.8 km3/s2: 2 pi sqrt(a^3 / mu) = 6565.30 s."""
    period_s = 2 * math.pi * math.sqrt(7578.135**3 / 398600.8)
    assert period_s == pytest.approx(6565.30, abs=0.01)
    begin, end = np.moveaxis(circling().positions(np.array([0.0, period_s])), 1, 0)
    assert end == pytest.approx(begin, abs=1e-6)
    assert np.linalg.norm(begin, axis=1) == pytest.approx(np.full(24, 7578.135))


def test_satellites_of_a_plane_are_evenly_spaced() -> None:
    places = circling().positions(np.array([0.0, 1000.0])).reshape(4, 6, 2, 3) / 7578.135
    along = np.einsum("psti,psti->pst", places, np.roll(places, -1, axis=1))
    assert along == pytest.approx(np.full((4, 6, 2), math.cos(math.radians(60))))
    # All are in one plane through the center of the Earth, inclined by 60 degrees.
    axes = np.cross(places[:, 0], places[:, 1]) / math.sin(math.radians(60))
    assert axes[..., 2] == pytest.approx(np.full((4, 2), math.cos(math.radians(60))))
    assert np.einsum("psti,pti->pst", places, axes) == pytest.approx(np.zeros((4, 6, 2)), abs=1e-12)


def test_planes_of_a_delta_are_spread_around_and_shifted_by_the_phasing() -> None:
    """f x 360/t = 15 degrees: the first satellite of plane p is 15 p degrees past its node."""
    places = circling().positions(np.array([0.0]))[:, 0] / 7578.135
    latitudes = np.degrees(np.arcsin(places[::6, 2]))
    expected = [
        math.degrees(math.asin(math.sin(math.radians(60)) * math.sin(math.radians(15 * plane))))
        for plane in range(4)
    ]
    assert latitudes == pytest.approx(expected, abs=1e-9)
    axes = np.cross(places[::6], places[1::6])
    nodes = np.degrees(np.arctan2(axes[:, 0], -axes[:, 1])) % 360
    assert nodes == pytest.approx([0, 90, 180, 270], abs=1e-9)


def test_a_delta_looks_the_same_when_it_is_turned_by_a_plane() -> None:
    """Walker's symmetry: turned by 360/p, and every satellite moved on by f x 360/t."""
    period_s = 2 * math.pi * math.sqrt(7578.135**3 / 398600.8)
    later = circling().positions(np.array([period_s * 15 / 360]))[:, 0]
    x, y, z = later.T
    turned = np.stack([-y, x, z], axis=1)
    before = circling().positions(np.array([0.0]))[:, 0]
    distances = np.linalg.norm(turned[:, None] - before[None], axis=2)
    assert distances.min(axis=1) == pytest.approx(np.zeros(24), abs=1e-6)
    assert sorted(distances.argmin(axis=1)) == list(range(24))


def test_planes_of_a_star_are_spread_over_half_of_the_equator() -> None:
    star = circling(
        f"kind = 'walker', pattern = 'star', walker = '86.4: 66/6/2', altitude_km = 781, {KEPLER}"
    )
    places = star.positions(np.array([0.0]))[:, 0]
    axes = np.cross(places[::11], places[1::11])
    nodes = np.degrees(np.arctan2(axes[:, 0], -axes[:, 1])) % 360
    assert nodes == pytest.approx([0, 30, 60, 90, 120, 150], abs=1e-9)


def test_every_satellite_of_a_grid_has_four_neighbors_and_none_across_a_seam() -> None:
    def degrees(shells: str) -> list[int]:
        neighbors = circling(shells).neighbors
        assert neighbors is not None
        return [int(count) for count in np.bincount(neighbors.ravel())]

    assert degrees(CIRCLES) == [4] * 24
    star = "kind = 'walker', pattern = 'star', walker = '86.4: 66/6/2', altitude_km = 781"
    assert degrees(star) == [3] * 11 + [4] * 44 + [3] * 11
    assert degrees("kind = 'walker', walker = '53: 2/2/0', altitude_km = 550") == [1, 1]
    assert degrees("kind = 'walker', walker = '53: 6/3/1', altitude_km = 550") == [3] * 6


def test_links_from_the_last_plane_to_the_first_are_as_long_as_others() -> None:
    """Walker's symmetry again: each link between planes 0 and 1 has its like between 3 and 0."""
    satellites = circling()
    places = satellites.positions(np.array([0.0]))[:, 0]
    neighbors = satellites.neighbors
    assert neighbors is not None
    lengths = np.linalg.norm(places[neighbors[:, 0]] - places[neighbors[:, 1]], axis=1)
    planes = neighbors // 6
    between = {
        pair: np.sort(lengths[(planes == pair).all(axis=1)]) for pair in [(0, 1), (2, 3), (0, 3)]
    }
    # The shift of 15 degrees moves satellites along, so only the sums over a plane are alike.
    whole = [found.sum() for found in between.values()]
    assert len(between[0, 3]) == 6
    assert whole == pytest.approx([whole[0]] * 3, rel=0.02)


def test_the_planes_of_sgp4_turn_with_the_oblateness_of_the_earth() -> None:
    """J2: -3/2 J2 sqrt(mu) R^2 cos i / a^3.5 = -4.4887 degrees a day at 550 km, 53 degrees."""
    radius_km = 6378.135 + 550
    motion = math.sqrt(398600.8 / radius_km**3)
    a_day = math.degrees(
        -1.5
        * 1.082616e-3
        * motion
        * (6378.135 / radius_km) ** 2
        * math.cos(math.radians(53))
        * 86400
    )
    assert a_day == pytest.approx(-4.489, abs=0.01)
    satellites = circling("kind = 'walker', walker = '53: 2/1/0', altitude_km = 550")
    times_s = np.array([0.0, 1.0, 86400.0, 86401.0])
    first = satellites.positions(times_s)[0]
    axes = np.stack([np.cross(first[0], first[1]), np.cross(first[2], first[3])])
    nodes = np.degrees(np.arctan2(axes[:, 0], -axes[:, 1]))
    assert nodes[1] - nodes[0] == pytest.approx(a_day, abs=0.05)


def test_a_geostationary_satellite_at_the_zenith_is_119_milliseconds_away() -> None:
    """35,786 km / 299,792.458 km/s = 119.37 ms up, and as much down."""
    above = "latitude_deg = 0, longitude_deg = {}"
    greenwich_deg = math.degrees(float(sidereal_angle(2461371.5, np.array([0.5]))[0]))
    east_deg = round((0.0 - greenwich_deg + 180) % 360 - 180, 9)
    stations = [f"name = '{name}', " + above.format(east_deg) for name in ("one", "another")]
    shells = (
        "kind = 'walker', walker = '0: 1/1/0', motion = 'kepler', "
        f"altitude_km = {35786 + 6378.137 - 6378.135!r}"
    )
    path = path_between(description(*stations, shells=shells, more="duration = '1 s'"))
    assert path.delay_s * 1000 == pytest.approx([2 * 119.3692], abs=1e-3)


def test_a_satellite_on_the_mask_is_as_far_as_the_law_of_cosines_says() -> None:
    """On a sphere of 6378.137 km: 550 km up, seen at 25 degrees, it is 1123.4 km away.

    R sin e + d = sqrt(r^2 - R^2 cos^2 e), with r = 6928.137 km.
    """
    sine, cosine = math.sin(math.radians(25)), math.cos(math.radians(25))
    slant_km = math.sqrt(6928.137**2 - (6378.137 * cosine) ** 2) - 6378.137 * sine
    assert slant_km == pytest.approx(1123.4, abs=0.1)
    shells = f"kind = 'walker', walker = '0: 3600/1/0', altitude_km = 550.002, {KEPLER}"
    stations = [f"name = '{name}', latitude_deg = 0, longitude_deg = 0" for name in "ab"]
    more = "duration = '1 s'\nmask_deg = {}\nhandover = {{ rule = 'longest-visible' }}"
    given = description(*stations, shells=shells, more=more.format(25))
    from longfat.orbits.sightings import sightings_of

    (seen,) = sightings_of(given, constellation(given), given.stations[:1])
    # The last satellite above the mask: the next one is 0.1 degrees, or up to 12 km, farther.
    assert slant_km - 12 < seen.range_km.max() <= slant_km


@pytest.mark.parametrize(
    ("latitude", "longitude", "altitude", "expected_km"),
    [
        (0, 0, 0, (6378.137, 0, 0)),
        (0, 90, 1000, (0, 6379.137, 0)),
        (90, 0, 0, (0, 0, 6356.752314)),
        (-90, 0, 100, (0, 0, -6356.852314)),
        (45, 0, 0, (4517.590879, 0, 4487.348409)),
    ],
)
def test_stations_stand_on_the_ellipsoid_of_wgs_84(
    latitude: float, longitude: float, altitude: float, expected_km: tuple[float, ...]
) -> None:
    """NIMA TR8350.2: a = 6378.137 km, b = 6356.752314 km."""
    from longfat.orbits.description import Station
    from longfat.orbits.earth import fixed

    place, up = fixed(Station("x", latitude, longitude, altitude, 0))
    assert place == pytest.approx(expected_km, abs=1e-6)
    assert np.linalg.norm(up) == pytest.approx(1)


def test_the_earth_turns_as_the_example_of_vallado_says() -> None:
    """Fundamentals of Astrodynamics, example 3-5: 152.578788 degrees on 1992-08-20 12:14 UT1."""
    angle = sidereal_angle(2448854.5, np.array([(12 * 60 + 14) / 1440]))
    assert np.degrees(angle) == pytest.approx([152.578788], abs=1e-6)


def test_a_satellite_above_greenwich_is_above_greenwich() -> None:
    angles = np.array([1.0])
    places = 7000 * np.array([[[math.cos(1.0), math.sin(1.0), 0.0]], [[0.0, 0.0, 1.0]]])
    latitudes, longitudes = ground_track(places, angles)
    assert latitudes == pytest.approx(np.array([[0.0], [90.0]]))
    assert longitudes[0] == pytest.approx([0.0])


def test_the_folder_of_a_description_is_that_of_its_file() -> None:
    assert description(LONDON, PARIS, folder=Path("a/b")).folder == Path("a/b")
