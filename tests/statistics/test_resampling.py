import math
import random
import statistics
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from scipy import stats

from longfat.statistics.resampling import confidence_interval, draws, standard_error

VALUES = [0.31, 0.47, 0.29, 0.35, 0.60, 0.41]


def mean_of(values: Sequence[float], drawn: Sequence[int]) -> float:
    return statistics.fmean(values[number - 1] for number in drawn)


@pytest.mark.parametrize("replications", [2, 3, 6, 7, 20])
def test_draws_have_the_size_of_the_sample_and_probabilities_that_sum_to_one(
    replications: int,
) -> None:
    found = list(draws(replications))
    assert math.fsum(weight for _, weight in found) == pytest.approx(1)
    assert all(len(drawn) == replications for drawn, _ in found)
    assert {number for drawn, _ in found for number in drawn} == set(range(1, replications + 1))


def test_few_replications_are_enumerated_with_their_multinomial_probabilities() -> None:
    assert dict(draws(2)) == {(1, 1): 0.25, (1, 2): 0.5, (2, 2): 0.25}
    assert len(list(draws(6))) == math.comb(11, 6)


@pytest.mark.parametrize("replications", [2, 3, 6])
def test_the_error_of_a_mean_is_the_usual_one(replications: int) -> None:
    sample = VALUES[:replications]
    error = standard_error(lambda drawn: mean_of(sample, drawn), replications)
    assert error == pytest.approx(statistics.stdev(sample) / math.sqrt(replications))


def test_the_error_of_a_mean_of_many_replications_is_nearly_the_usual_one() -> None:
    chance = random.Random(5)
    sample = [chance.gauss(0, 1) for _ in range(20)]
    error = standard_error(lambda drawn: mean_of(sample, drawn), 20)
    assert error == pytest.approx(statistics.stdev(sample) / math.sqrt(20), rel=0.1)


def test_the_interval_of_a_mean_is_students() -> None:
    interval = confidence_interval(
        statistics.fmean(VALUES), lambda drawn: mean_of(VALUES, drawn), len(VALUES), 0.9
    )
    expected = stats.t.interval(0.9, len(VALUES) - 1, loc=np.mean(VALUES), scale=stats.sem(VALUES))
    assert interval == pytest.approx(expected)


def test_the_same_interval_comes_out_every_time() -> None:
    def measure(drawn: Sequence[int]) -> float:
        return statistics.median(VALUES[(number - 1) % 6] for number in drawn)

    assert confidence_interval(0.4, measure, 12, 0.9) == confidence_interval(0.4, measure, 12, 0.9)


def test_one_replication_has_no_interval() -> None:
    assert confidence_interval(1.0, lambda _: 1.0, 1, 0.9) is None


def test_a_measure_that_is_seldom_a_number_has_no_interval() -> None:
    assert standard_error(lambda drawn: 1.0 if drawn == (1, 1) else None, 2) is None
    assert standard_error(lambda drawn: None if drawn == (1, 1) else 1.0, 2) == 0


def minimum_of_means(sample: np.ndarray, drawn: Sequence[int]) -> float:
    """The least of the means of four factor combinations: what most claims measure."""
    return float(sample[np.array(drawn) - 1].mean(axis=0).min())


def difference_of_means(sample: np.ndarray, drawn: Sequence[int]) -> float:
    means = sample[np.array(drawn) - 1].mean(axis=0)
    return float(means[0] - means[1])


@pytest.mark.parametrize(
    ("measure", "replications", "true"),
    [(difference_of_means, 3, -0.2), (difference_of_means, 5, -0.2), (minimum_of_means, 5, 0.4)],
)
def test_intervals_cover_the_truth_as_often_as_they_say(
    measure: object, replications: int, true: float
) -> None:
    """Of 600 experiments, 90 percent within three standard errors (0.037).

    The combinations share their luck, as common random numbers make them.
    """
    assert callable(measure)
    chance = np.random.default_rng(11)
    experiments, covered = 600, 0
    levels = np.array([0.4, 0.6, 0.7, 0.8])
    for _ in range(experiments):
        luck = chance.normal(0, 0.05, (replications, 1))
        sample = levels + luck + chance.normal(0, 0.03, (replications, 4))
        everything = range(1, replications + 1)
        interval = confidence_interval(
            measure(sample, everything),
            lambda drawn, sample=sample: measure(sample, drawn),  # type: ignore[misc]
            replications,
            0.9,
        )
        assert interval is not None
        covered += interval[0] <= true <= interval[1]
    assert abs(covered / experiments - 0.9) < 0.037


def count_of_gains(sample: np.ndarray, drawn: Sequence[int]) -> int:
    """In how many of six configurations something is a gain, on the mean."""
    return int((sample[np.array(drawn) - 1].mean(axis=0) > 0).sum())


def best_level(sample: np.ndarray, drawn: Sequence[int]) -> float:
    """At which of six levels the mean is largest."""
    best = int(sample[np.array(drawn) - 1].mean(axis=0).argmax())
    return (0.75, 0.8, 0.85, 0.9, 0.95, 1.0)[best]


GAINS = np.array([0.01, 0.08, 0.1, 0.06, 0.09, 0.12])
PEAK = np.array([-0.02, -0.002, -0.004, -0.026, -0.068, -0.13])


@pytest.mark.parametrize(
    ("measure", "levels", "true"), [(count_of_gains, GAINS, 6), (best_level, PEAK, 0.8)]
)
@pytest.mark.parametrize("replications", [5, 10])
def test_each_limit_of_what_is_counted_errs_no_more_often_than_it_says(
    measure: Callable[[np.ndarray, Sequence[int]], float],
    levels: np.ndarray,
    true: float,
    replications: int,
) -> None:
    """Of 300 experiments; one of the gains is so small that it is often missed, one peak flat.

    Student's interval around the number would miss it two or three times as often.
    """
    chance = np.random.default_rng(7)
    experiments, too_low, too_high = 300, 0, 0
    for _ in range(experiments):
        sample = levels + chance.normal(0, 0.05, (replications, 6))
        interval = confidence_interval(
            measure(sample, range(1, replications + 1)),
            lambda drawn, sample=sample: measure(sample, drawn),  # type: ignore[misc]
            replications,
            0.8,
        )
        assert interval is not None
        too_low += interval[1] < true
        too_high += interval[0] > true
    assert max(too_low, too_high) / experiments <= 0.1


def test_what_is_counted_has_an_interval_of_values_that_it_can_have() -> None:
    sample = np.array([[1, 1, 1, 1, 1, -0.5]] * 3 + [[1, 1, 1, 1, 1, 1]] * 4)
    everything = range(1, len(sample) + 1)
    interval = confidence_interval(
        count_of_gains(sample, everything), lambda drawn: count_of_gains(sample, drawn), 7, 0.8
    )
    assert interval == (5, 6)


def test_a_count_that_no_draw_changes_is_certain() -> None:
    assert confidence_interval(6, lambda _: 6, 12, 0.8) == (6, 6)
