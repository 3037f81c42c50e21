"""The checks of the residuals find planted patterns, and nothing in pure noise."""

import numpy as np
import pytest
from scipy.stats import probplot

from longfat.analysis.analysis import analyse
from longfat.analysis.fit import Array
from longfat.analysis.residuals import SIGNIFICANCE, Check, largest, quantile_correlation, trend
from longfat.analysis.words import sentences
from tests.analysis.support import experiment

SHAPE = (4, 3, 2, 5)


def checks(values: Array) -> dict[str, Check]:
    return {check.name: check for check in analyse(experiment(values)).checks}


def responses(seed: int) -> Array:
    """Effects far larger than the errors to come."""
    return 100 + 10 * np.random.default_rng(seed).normal(size=(*SHAPE[:-1], 1))


def test_errors_that_are_exponential_are_not_normal() -> None:
    errors = np.random.default_rng(2).exponential(size=SHAPE)
    found = checks(responses(1) + errors)
    assert not found["normality"].passed
    assert "do not look like normal errors" in found["normality"].detail


def test_errors_that_grow_with_the_response_have_no_constant_variance() -> None:
    level = responses(1)
    errors = np.random.default_rng(2).normal(size=SHAPE) * (level - level.min()) / 10
    found = checks(level + errors)
    assert not found["constant variance"].passed
    assert found["constant variance"].statistic > 0
    assert "grow with the response" in found["constant variance"].detail


def test_an_outlier_is_named_with_its_place() -> None:
    values = responses(1) + np.random.default_rng(2).normal(size=SHAPE)
    values[2, 1, 0, 3] += 8
    found = checks(values)
    assert not found["outliers"].passed
    assert found["outliers"].detail == "stand out at (a3, b2, c1), observation 4"


@pytest.mark.parametrize("shape", [(4, 3, 2, 1), (3, 2, 3)], ids=["without", "with replications"])
def test_normal_errors_are_doubted_as_rarely_as_promised(shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(3)
    found = [checks(random.normal(10, 1, size=shape)) for _ in range(120)]
    for name in ("normality", "constant variance", "outliers"):
        doubted = sum(not each[name].passed for each in found)
        # Four standard deviations of a binomial distribution around one in twenty.
        assert doubted <= 120 * SIGNIFICANCE + 4 * np.sqrt(120 * SIGNIFICANCE * 0.95)
        assert len({each[name].p_value for each in found}) > 60


def test_the_same_data_get_the_same_verdict() -> None:
    values = responses(1) + np.random.default_rng(2).normal(size=SHAPE)
    assert checks(values) == checks(values)


def test_the_quantile_correlation_is_that_of_a_quantile_quantile_plot() -> None:
    residuals = np.random.default_rng(4).normal(size=500)
    (_, _), (_, _, correlation) = probplot(residuals)  # other positions, close for many values
    assert quantile_correlation(residuals[None]) == pytest.approx(correlation, abs=1e-3)
    assert quantile_correlation(np.array([[1.0, 2, 3, 4]])) < 1


def test_residuals_of_equal_size_have_no_trend() -> None:
    assert trend(np.array([[1.0, -1, 1, -1]]), np.array([0.0, 1, 2, 3])) == 0
    assert trend(np.array([[1.0, -2, 3, -4]]), np.array([0.0, 1, 2, 3])) == pytest.approx(1)


def test_the_largest_residual_is_counted_in_deviations() -> None:
    assert largest(np.array([[3.0, -4, 0, 0]])) == pytest.approx(4 / 2.5)


def test_so_few_degrees_of_freedom_leave_nothing_to_check() -> None:
    """With one, the residuals have one pattern, whatever the data."""
    analysis = analyse(experiment([[[1.0], [2.0]], [[4.0], [8.0]]]))
    assert analysis.checks == []
    assert "The error has too few degrees of freedom to check the residuals." in sentences(analysis)
