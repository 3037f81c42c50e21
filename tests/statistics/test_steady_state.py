import random
import statistics

import pytest
from scipy import stats

from longfat.base.errors import LongfatError
from longfat.statistics.steady_state import (
    batch_means,
    lag_one_correlation,
    steady_state,
    truncation,
)


def series(length: int, start: float, correlation: float, seed: int) -> list[float]:
    """First-order autoregression around 1, beginning at `start`."""
    chance = random.Random(seed)
    value, values = start, []
    for _ in range(length):
        value = 1 + correlation * (value - 1) + chance.gauss(0, 0.1)
        values.append(value)
    return values


def test_a_start_that_is_different_is_left_out_and_nothing_else() -> None:
    chance = random.Random(1)
    values = [*([9.0] * 50), *(chance.gauss(1, 0.1) for _ in range(950))]
    assert truncation(values) == (50, False)
    found = steady_state(values, 0.9)
    assert (found.left_out, found.unbatched, found.kept) == (50, 10, 940)
    assert found.mean == pytest.approx(1, abs=0.02)
    assert found.cautions == []


def test_the_truncation_is_where_the_definition_says() -> None:
    """Against the formula, for every number of groups left out."""
    values = series(300, 3, 0.9, seed=4)
    groups = [statistics.fmean(values[i : i + 5]) for i in range(0, 300, 5)]

    def standard_error(left_out: int) -> float:
        kept = groups[left_out:]
        return statistics.pvariance(kept) / len(kept)

    assert truncation(values)[0] == 5 * min(range(31), key=standard_error)


def test_batches_are_equal_stretches_at_the_end() -> None:
    means = batch_means([99.0, *(float(number // 3) for number in range(60))])
    assert means == [float(number) for number in range(20)]


def test_the_interval_is_students_over_the_batches() -> None:
    values = series(1000, 1, 0, seed=2)
    found = steady_state(values, 0.95)
    means = batch_means(values[found.left_out :])
    expected = stats.t.interval(0.95, 19, loc=statistics.fmean(means), scale=stats.sem(means))
    assert (found.low, found.high) == pytest.approx(expected)


def test_neighbours_that_follow_each_other_are_correlated() -> None:
    assert lag_one_correlation([1.0, 2, 3, 4, 5, 6, 7, 8]) > 0.5
    assert lag_one_correlation([1.0, -1] * 10) < -0.9
    assert lag_one_correlation([1.0] * 5) == 0


def test_a_series_without_a_steady_state_is_reported() -> None:
    growing = [float(number) for number in range(400)]
    warm_up, short = steady_state(growing, 0.9).cautions
    assert warm_up.startswith("warm-up: MSER-5 would leave out half")
    assert short.startswith("short run: neighbouring batches are correlated")


def test_too_few_observations_are_refused() -> None:
    with pytest.raises(LongfatError, match="199 observations are too few"):
        steady_state([1.0] * 199, 0.9)


def test_intervals_cover_the_mean_as_often_as_the_page_says() -> None:
    """Autocorrelated by 0.8, with a start ten standard deviations off: within two points of 90 %.

    Of 500 series of 4000; three standard errors are 0.04.
    """
    covered = 0
    for seed in range(500):
        found = steady_state(series(4000, 2.5, 0.8, seed), 0.9)
        covered += found.low <= 1 <= found.high
    assert abs(covered / 500 - 0.9) < 0.02 + 0.02
