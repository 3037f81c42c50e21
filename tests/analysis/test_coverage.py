"""Intervals cover the true value with their nominal probability."""

import numpy as np
import pytest

from longfat.analysis.fit import Array, Fit, fit
from longfat.analysis.model import Model
from longfat.statistics.intervals import Intervals

DESIGNS = 2000
LEVELS = (3, 2, 2)
REPLICATIONS = 4
MEAN = 10.0
NINETY = Intervals(0.90)


def true_effects() -> Array:
    """Effects of the first factor, which add up to 0, beside others that only stand around."""
    first = np.array([-1.5, 0.2, 1.3]).reshape(3, 1, 1)
    second = np.array([-0.7, 0.7]).reshape(1, 2, 1)
    return np.asarray(MEAN + first + second + 0.3 * first * second)


def simulated(common_luck: float, replications: int, seed: int) -> Array:
    """Many designs with equal effects, errors of deviation 1 and shared block effects."""
    random = np.random.default_rng(seed)
    errors = random.normal(size=(DESIGNS, *LEVELS, replications))
    luck = common_luck * random.normal(size=(DESIGNS, 1, 1, 1, replications))
    return true_effects()[..., None] + errors + luck


def coverage_of_effects(parts: Fit) -> float:
    """Share of the intervals of the first factor's levels that cover the true effect."""
    truth = np.array([-1.5, 0.2, 1.3]).reshape(3, 1, 1)
    half_width = parts.half_width((0,), NINETY)[:, None, None, None]
    return float((np.abs(parts.effects[(0,)] - truth) <= half_width).mean())


def coverage_of_interactions(parts: Fit) -> float:
    first, second = np.array([-1.5, 0.2, 1.3]), np.array([-0.7, 0.7])
    truth = 0.3 * np.outer(first, second)[..., None]
    half_width = parts.half_width((0, 1), NINETY)[:, None, None, None]
    return float((np.abs(parts.effects[(0, 1)] - truth) <= half_width).mean())


def coverage_of_mean(parts: Fit) -> float:
    return float((np.abs(parts.mean - MEAN) <= parts.mean_half_width(NINETY)).mean())


@pytest.mark.parametrize(
    ("common_luck", "replications", "blocks"),
    [(0.0, REPLICATIONS, False), (3.0, REPLICATIONS, True), (0.0, 1, False)],
    ids=["independent replications", "common random numbers", "no replications"],
)
def test_nine_in_ten_intervals_hold_the_truth(
    common_luck: float, replications: int, blocks: bool
) -> None:
    model = Model(LEVELS, replications, order=2, blocks=blocks)
    parts = fit(simulated(common_luck, replications, seed=1991), model)
    assert 0.88 <= coverage_of_effects(parts) <= 0.92
    assert 0.88 <= coverage_of_interactions(parts) <= 0.92
    assert 0.88 <= coverage_of_mean(parts) <= 0.92


def test_common_random_numbers_without_blocks_mislead_both_ways() -> None:
    """Effects get intervals that are too wide, and the mean one that is too narrow."""
    values = simulated(common_luck=3.0, replications=REPLICATIONS, seed=1991)
    naive = fit(values, Model(LEVELS, REPLICATIONS, order=2, blocks=False))
    assert coverage_of_effects(naive) > 0.99
    assert coverage_of_mean(naive) < 0.60
