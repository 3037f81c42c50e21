"""Requests and answers as delays, jitter and losses by windows."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat.base.errors import BadInput
from longfat.schedules.measured import Measured, Way
from longfat.schedules.options import Options
from longfat.schedules.probes import Probe, losses_of, path_of


def path(probes: list[Probe], **options: object) -> Measured:
    return path_of(probes, Options(**options), "log")  # type: ignore[arg-type]


def test_a_window_has_half_the_median_round_trip_and_the_losses_of_a_crossing() -> None:
    first = [Probe(0.0, 0.05), Probe(0.2), Probe(0.4, 0.07), Probe(0.6, 0.06)]
    second = [Probe(1.0), Probe(1.5)]
    third = [Probe(2.0, 0.03), Probe(2.5, 0.03)]
    found = path([*first, *second, *third], elsewhere_ms=20)
    # Three of four requests come back if each of two crossings loses 1 - sqrt(3/4) of its packets.
    way = Way(delay_s=(0.02, 0.02, 0.005), loss=(round(1 - 0.75**0.5, 6), 1, 0))
    assert (found.times_s, found.up, found.down) == ((0, 1, 2), way, way)


def test_the_jitter_of_a_crossing_is_found_in_round_trips() -> None:
    chance = random.Random(1)
    held_up = [chance.uniform(0, 0.012) + chance.uniform(0, 0.012) for _ in range(4000)]
    probes = [Probe(number / 100, 0.036 + held) for number, held in enumerate(held_up)]
    way = path(probes, window_ms=60_000, elsewhere_ms=6, jitter=True).down
    assert way.delay_s == pytest.approx((0.015,), abs=1e-4)
    assert way.jitter_s == pytest.approx((0.012,), abs=3e-4)


def test_the_jitter_of_a_direction_is_found_in_its_delays() -> None:
    chance = random.Random(2)
    ways = [(0.03 + chance.uniform(0, 0.01), 0.02 + chance.uniform(0, 0.004)) for _ in range(4000)]
    probes = [Probe(n / 100, up + down, up, down) for n, (up, down) in enumerate(ways)]
    found = path(probes, window_ms=60_000, jitter=True)
    assert found.up.jitter_s == pytest.approx((0.01,), abs=2e-4)
    assert found.down.jitter_s == pytest.approx((0.004,), abs=1e-4)


def test_with_jitter_a_window_has_half_the_shortest_round_trip_and_the_rest_of_the_mean() -> None:
    first = [Probe(0.0, 0.05), Probe(0.2, 0.03), Probe(0.4, 0.04)]
    found = path([*first, Probe(1)], elsewhere_ms=10, jitter=True)
    way = Way(delay_s=(0.01, 0.01), jitter_s=(0.01, 0.01), loss=(0, 1))
    assert (found.up, found.down) == (way, way)


@pytest.mark.parametrize(
    ("up", "down", "somewhere", "losses"),
    [
        (0, 0, 0, (0, 0)),
        (0, 5, 0, (0, 0.5)),  # all ten came up, and half of them back
        (5, 0, 0, (0.5, 0)),
        (2, 4, 0, (0.2, 0.5)),  # of the eight that came up, four came back
        (0, 0, 19, (1 - 0.05**0.5, 1 - 0.05**0.5)),
    ],
)
def test_a_direction_loses_a_share_of_what_crosses_it(
    up: int, down: int, somewhere: int, losses: tuple[float, float]
) -> None:
    lost = [Probe(0, lost_on="up")] * up + [Probe(0, lost_on="down")] * down
    lost += [Probe(0)] * somewhere
    answered = [Probe(0, 0.04)] * (max(10, len(lost) + 1) - len(lost))
    assert losses_of([*lost, *answered]) == pytest.approx(losses)


@given(*[st.integers(0, 30)] * 4)
def test_both_directions_together_lose_what_was_lost(
    answered: int, up: int, down: int, somewhere: int
) -> None:
    lost = [Probe(0, lost_on="up")] * up + [Probe(0, lost_on="down")] * down
    probes = [*lost, *[Probe(0)] * somewhere, *[Probe(0, 0.04)] * answered]
    if not probes:
        return
    one, other = losses_of(probes)
    assert 0 <= one <= 1
    assert 0 <= other <= 1
    assert (1 - one) * (1 - other) == pytest.approx(answered / len(probes), abs=1e-12)


def test_of_clocks_that_differ_delays_are_halves_and_losses_are_kept() -> None:
    probes = [Probe(n, 0.04, 10.52, -10.48) for n in range(3)]
    found = path([*probes, Probe(3, lost_on="down")], window_ms=4000)
    assert found.up.delay_s == found.down.delay_s == (0.02,)
    assert (found.up.loss, found.down.loss) == ((0,), (0.25,))
    assert "the clocks of the two ends are about 10.5 s apart" in found.notes[0]


def test_more_elsewhere_than_a_round_trip_has_is_refused() -> None:
    with pytest.raises(BadInput, match="round trips of 40 ms at 0 s do not exceed what"):
        path([Probe(0, 0.04), Probe(1, 0.04)], elsewhere_ms=50)


def test_of_windows_in_which_one_lost_answer_is_an_outage_it_is_said() -> None:
    probes = [Probe(n, None if n == 7 else 0.009) for n in range(30)]
    (note,) = path(probes).notes
    assert "requests are 1000 ms apart" in note
    assert "--window-ms 5000 has 5 in each" in note
    assert not path(probes, window_ms=5000).notes
    assert not path(probes[:7]).notes, "nothing is lost"
