"""Handover rules: what each of them keeps and chooses, and what it never does."""

import numpy as np
import pytest

from longfat.orbits.choosing import choice_steps
from longfat.orbits.description import Description
from longfat.orbits.links.path import OrbitPath
from longfat.orbits.rules import RULES
from longfat.orbits.shells import constellation
from longfat.orbits.sightings import Sightings, of_both, sightings_of
from tests.orbits.descriptions import LONDON, NEW_YORK, PARIS, description, path_between


def ruled(
    rule: str, more: str = "", *, links: str = "bent-pipe", seconds: int = 300
) -> Description:
    lines = f"links = '{links}'\nduration = '{seconds} s'\nhandover = {{ rule = '{rule}'{more} }}"
    return description(LONDON, PARIS, more=lines)


def seen_by_both(given: Description) -> Sightings:
    return of_both(*sightings_of(given, constellation(given), given.stations))


def satellites(path: OrbitPath, steps: int) -> list[int]:
    """The first satellite at each step, -1 without a path."""
    found = np.full(steps, -1)
    for step, route in path.routes:
        found[step:] = route[0] if route else -1
    return found.tolist()


GRID = ", every = '15 s', offset = '12 s'"


@pytest.mark.parametrize("links", ["bent-pipe", "isl"])
@pytest.mark.parametrize("more", ["", GRID])
@pytest.mark.parametrize("rule", RULES)
def test_whatever_the_rule_a_satellite_in_use_is_in_sight(rule: str, more: str, links: str) -> None:
    given = ruled(rule, more, links=links, seconds=120)
    path = path_between(given)
    first, second = sightings_of(given, constellation(given), given.stations)
    routes = dict(path.routes)
    route: tuple[int, ...] = ()
    for step in range(given.steps):
        route = routes.get(step, route)
        up = first.range_km[first.row(step, route[0])]
        down = second.range_km[second.row(step, route[-1])]
        assert first.satellite[first.row(step, route[0])] == route[0]
        assert second.satellite[second.row(step, route[-1])] == route[-1]
        if len(route) == 1:
            assert path.length_km[step] == pytest.approx(up + down)
        else:
            assert path.length_km[step] > up + down


def test_the_nearest_is_never_farther_than_another() -> None:
    given = ruled("nearest")
    both, used = seen_by_both(given), satellites(path_between(given), 300)
    for step in range(300):
        rows = both.rows(step)
        assert both.range_km[both.row(step, used[step])] == both.range_km[rows].min()


def test_the_shortest_is_never_longer_than_another() -> None:
    given = ruled("shortest")
    path, both = path_between(given), seen_by_both(given)
    shortest = [both.length_km[both.rows(step)].min() for step in range(300)]
    assert path.length_km == pytest.approx(shortest)
    # Over links between satellites there are more paths, and none of them is shorter here.
    over_links = path_between(ruled("shortest", links="isl"))
    assert (over_links.length_km <= path.length_km + 1e-9).all()


def test_the_longest_visible_is_kept_until_it_sets() -> None:
    given = ruled("longest-visible", seconds=900)
    path, both = path_between(given), seen_by_both(given)
    assert 2 <= len(path.routes) <= 6
    for (begin, (satellite,)), (end, _) in zip(path.routes, path.routes[1:], strict=False):
        row = both.row(begin, satellite)
        assert both.until[row] == end
        assert both.until[row] == both.until[both.rows(begin)].max()


def test_fewer_handovers_with_the_longest_visible_than_with_the_nearest() -> None:
    counts = {
        rule: len(path_between(ruled(rule, seconds=900)).handovers)
        for rule in ("longest-visible", "nearest")
    }
    assert counts["longest-visible"] < counts["nearest"]


@pytest.mark.parametrize("rule", RULES)
def test_on_a_grid_satellites_change_at_its_instants_only(rule: str) -> None:
    """The epoch is a full minute: choices are at 0 s, and 12 s, 27 s, 42 s and 57 s after it."""
    path = path_between(ruled(rule, GRID))
    assert path.handovers
    assert {step % 15 for step in path.handovers} == {12}


def test_choices_are_at_instants_of_the_clock_wherever_a_schedule_begins() -> None:
    more = "step = '2 s'\nduration = '1 min'\nhandover = { every = '30 s', offset = '10 s' }"
    given = description(LONDON, PARIS, epoch="2026-11-27T12:00:05Z", more=more)
    # 12:00:10 and 12:00:40: steps are at odd seconds, so the first ones after these instants.
    steps = choice_steps(given)
    assert steps is not None
    assert steps.tolist() == [0, 3, 18]


def test_what_is_drawn_depends_on_the_seed_alone() -> None:
    def drawn(seed: int) -> list[int]:
        lines = f"seed = {seed}\nhandover = {{ rule = 'drawn'{GRID} }}"
        return satellites(path_between(description(LONDON, PARIS, more=lines)), 600)

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


def test_all_in_sight_are_drawn_as_often() -> None:
    """Mean place among candidates by range: (n - 1) / 2 of n, within three standard errors."""
    lines = "duration = '2 h'\nstep = '15 s'\nhandover = { rule = 'drawn', every = '15 s' }"
    given = description(LONDON, PARIS, more=lines)
    both, used = seen_by_both(given), satellites(path_between(given), given.steps)
    places = []
    for step in range(given.steps):
        rows = both.rows(step)
        lasting = both.until[rows] > min(step, given.steps - 1)
        ranges = both.range_km[rows][lasting]
        own = both.range_km[both.row(step, used[step])]
        places.append(((ranges < own).sum() + 0.5) / len(ranges))
    assert np.mean(places) == pytest.approx(0.5, abs=3 * np.sqrt(1 / 12 / len(places)))


def test_distant_stations_have_no_bent_pipe_but_a_path_over_links() -> None:
    lines = "duration = '60 s'\nhandover = { rule = 'shortest' }\nlinks = "
    bent = path_between(description(LONDON, NEW_YORK, more=lines + "'bent-pipe'"))
    assert np.isnan(bent.delay_s).all()
    assert bent.routes == [(0, ())]
    over_links = path_between(description(LONDON, NEW_YORK, more=lines + "'isl'"))
    # Handley 2018: below the 55 ms of a great circle of glass (5570 km), above that of vacuum.
    assert (2 * over_links.delay_s > 2 * 5570 / 299792.458).all()
    assert (2 * over_links.delay_s < 0.055).all()


def test_links_through_the_earth_are_no_links() -> None:
    """Three satellites around the Earth do not see each other; twelve do."""
    lines = "duration = '1 s'\nmask_deg = 0\nlinks = 'isl'\nhandover = { rule = 'shortest' }"
    stations = [
        f"name = '{name}', latitude_deg = 0, longitude_deg = {longitude}"
        for name, longitude in (("a", 0), ("b", 100), ("c", -140))
    ]
    for count, is_there in ((3, False), (12, True)):
        shells = f"kind = 'walker', walker = '0: {count}/1/0', altitude_km = 1500"
        given = description(*stations, shells=shells, more=lines)
        found = [path_between(given, *pair).routes[0][1] for pair in ((0, 1), (1, 2), (2, 0))]
        assert all(len(route) > 1 for route in found) == is_there, found
