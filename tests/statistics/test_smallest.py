import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from longfat.base.errors import LongfatError
from longfat.statistics.smallest import looks_at_most, smallest_enough

TARGET = 0.98


def noisy(needed: float, deviation: float, seed: int) -> Callable[[int], Sequence[float]]:
    """Throughput that reaches the target at `needed`, in eight replications of common chance."""
    chance = random.Random(seed)
    luck = [chance.gauss(0, deviation) for _ in range(8)]
    return lambda setting: [
        TARGET + 0.05 * math.log(setting / needed) + part + chance.gauss(0, deviation / 3)
        for part in luck
    ]


def test_without_chance_the_answer_is_as_near_as_asked_for() -> None:
    found = smallest_enough(noisy(100, 0, 1), TARGET, 8, 2000, resolution=0.05)
    assert found.enough is not None
    assert found.too_little is not None
    assert found.too_little < 100 <= found.enough <= 1.05 * found.too_little + 1


def test_settings_may_be_resolved_to_the_unit() -> None:
    found = smallest_enough(lambda n: [float(n >= 37)] * 3, 1, 1, 1000, resolution=0.0001)
    assert (found.too_little, found.enough) == (36, 37)


def test_what_is_never_or_always_enough_has_one_side_only() -> None:
    never = smallest_enough(lambda _: [0.5, 0.5], TARGET, 1, 100)
    assert (never.too_little, never.enough) == (100, None)
    always = smallest_enough(lambda _: [0.99, 0.99], TARGET, 1, 100)
    assert (always.too_little, always.enough) == (None, 1)
    assert list(always.tried) == [1, 100]


def test_the_error_that_is_allowed_is_shared_by_all_looks() -> None:
    # Two settings are looked at: each limit has half of the 10 %. Of 9 and 11 the lower one is
    # 10 - t[0.95; 1] = 3.7, where t[0.90; 1] would leave 6.9.
    found = smallest_enough(lambda _: [9.0, 11.0], 5, 1, 2, confidence=0.9)
    assert (found.too_little, found.enough) == (None, None)
    assert smallest_enough(lambda _: [9.0, 11.0], 3.6, 1, 2, confidence=0.9).enough == 1


def test_with_chance_the_answer_is_a_range_that_holds_the_truth_as_often_as_said() -> None:
    right, widths = 0, []
    for seed in range(400):
        found = smallest_enough(noisy(100, 0.02, seed), TARGET, 8, 2000, confidence=0.95)
        low, high = found.too_little or 0, found.enough or math.inf
        right += low < 100 <= high
        widths.append(high / max(low, 1))
    assert right / 400 >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 400)
    assert min(widths) > 1.1, "more is open than the resolution"


def test_no_setting_is_looked_at_twice_and_not_more_are_than_said() -> None:
    looks: list[int] = []
    chance = noisy(100, 0.02, 5)

    def values(setting: int) -> Sequence[float]:
        looks.append(setting)
        return chance(setting)

    found = smallest_enough(values, TARGET, 8, 2000)
    assert len(looks) == len(set(looks)) <= looks_at_most(8, 2000, 0.1)
    assert sorted(looks) == list(found.tried) == list(found.verdicts) == list(found.half_widths)


def test_each_evaluation_is_reported_with_its_verdict_and_all_agree_with_the_answer() -> None:
    told: dict[float, tuple[float, str]] = {}
    found = smallest_enough(
        noisy(100, 0.02, 5),
        TARGET,
        8,
        2000,
        show=lambda setting, mean, verdict: told.update({setting: (mean, verdict)}),
    )
    assert told == {n: (found.tried[n], verdict) for n, verdict in found.verdicts.items()}
    for setting, verdict in found.verdicts.items():
        mean, width = found.tried[setting], found.half_widths[setting]
        is_sure = mean - width >= TARGET or mean + width < TARGET
        assert is_sure == (verdict != "open")
    assert found.enough == min(n for n in told if found.verdicts[n] == "enough")
    assert found.too_little == max(n for n in told if found.verdicts[n] == "too little")


def test_a_setting_is_too_little_though_the_smallest_of_all_is_open_by_chance() -> None:
    yields = {1: [0.0, 2.0], 1000: [2.0, 2.0]}
    found = smallest_enough(lambda n: yields.get(n, [0.0, 0.0]), 1, 1, 1000, resolution=1)
    assert (found.verdicts[1], found.enough) == ("open", 1000)
    assert found.too_little is not None
    assert found.too_little >= 500


def test_where_less_is_better_the_target_is_the_most_that_is_enough() -> None:
    found = smallest_enough(lambda n: [1 / n] * 3, 0.1, 1, 1000, more_is_better=False)
    mirrored = smallest_enough(lambda n: [-1 / n] * 3, -0.1, 1, 1000)
    assert (found.too_little, found.enough) == (mirrored.too_little, mirrored.enough)
    assert found.verdicts == mirrored.verdicts
    assert found.verdicts[1000] == "enough"
    assert found.tried[1000] == 1 / 1000


@pytest.mark.parametrize(
    ("low", "high", "resolution", "most"),
    [(3, 1003, 0.1, 15), (37, 54, 0.05, 9), (1, 40, 0.01, 14)],
)
def test_no_two_boundaries_need_more_looks_than_said_and_some_need_as_many(
    low: int, high: int, resolution: float, most: int
) -> None:
    settings = range(low, min(high, low + 120))
    looks = [
        len(smallest_enough(between(first, last), 1, low, high, resolution=resolution).tried)
        for first in settings
        for last in settings[first - low :: 3]
    ]
    assert max(looks) == looks_at_most(low, high, resolution) == most


def between(too_little: int, enough: int) -> Callable[[int], Sequence[float]]:
    """Values that are too little below one setting, and enough from another one on."""
    return lambda n: [0.0, 0.0] if n < too_little else [0.0, 2.0] if n < enough else [2.0, 2.0]


@pytest.mark.parametrize(("low", "high"), [(0, 5), (5, 5), (6, 5), (-2, -1)])
def test_bounds_out_of_order_are_refused(low: int, high: int) -> None:
    with pytest.raises(LongfatError, match="two positive bounds in order"):
        smallest_enough(lambda _: [1.0, 1.0], 1, low, high)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0.5, math.nan], "setting 9: replication 2 yields nan"),
        ([math.inf, 0.5], "setting 9: replication 1 yields inf"),
        ([0.5], "setting 9: 1 replications say nothing of chance"),
        ([], "setting 9: 0 replications say nothing of chance"),
    ],
)
def test_values_without_a_mean_and_its_interval_are_refused(
    values: list[float], message: str
) -> None:
    with pytest.raises(LongfatError, match=message):
        smallest_enough(lambda _: values, TARGET, 1, 9)


@pytest.mark.parametrize(
    ("name", "value"),
    [("confidence", math.nan), ("confidence", 1.0), ("resolution", 0.0), ("resolution", math.nan)],
)
def test_numbers_that_cannot_be_searched_with_are_refused(name: str, value: Any) -> None:
    with pytest.raises(LongfatError, match=f"a {name} "):
        smallest_enough(lambda _: [0.5, 0.5], TARGET, 1, 9, **{name: value})


def test_a_target_that_is_no_number_is_refused() -> None:
    with pytest.raises(LongfatError, match="a target that is a finite number, not nan"):
        smallest_enough(lambda _: [0.5, 0.5], math.nan, 1, 9)
