"""Sums of squares, tests and intervals equal those of statsmodels' linear models."""

import itertools
import math

import numpy as np
import pandas
import pytest
from scipy.special import chdtri, ndtri
from scipy.stats import f as f_distribution
from scipy.stats import t as t_distribution
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from longfat._engine import f_tail, student_quantile
from longfat.analysis import transformation
from longfat.analysis.analysis import Component, Settings, analyse
from longfat.analysis.fit import Array
from longfat.statistics.intervals import Intervals
from longfat.statistics.normal import normal_quantile
from tests.analysis.support import experiment

EXACT = Intervals(0.95, exact=True)


def frame(values: Array) -> pandas.DataFrame:
    """A row for each observation; level numbers as factors, the last column the response."""
    rows = [
        (*(f"l{index}" for index in position), value) for position, value in np.ndenumerate(values)
    ]
    names = [*"abcd"[: values.ndim - 1], "replication", "y"]
    return pandas.DataFrame(rows, columns=names)


def formula(values: Array, order: int, blocks: bool = False) -> str:
    """All effects of up to `order` factors, coded to add up to zero."""
    factors = [f"C({name}, Sum)" for name in "abcd"[: values.ndim - 1]]
    effects = [
        ":".join(chosen)
        for size in range(1, order + 1)
        for chosen in itertools.combinations(factors, size)
    ]
    return "y ~ " + " + ".join([*effects, *(["C(replication, Sum)"] if blocks else [])])


def row_name(part: Component) -> str:
    """Name of a component in statsmodels."""
    if part.kind == "error":
        return "Residual"
    names = ["replication"] if part.kind == "blocks" else part.factors
    return ":".join(f"C({name}, Sum)" for name in names)


@pytest.mark.parametrize(
    ("levels", "replications", "order", "blocks"),
    [
        ((3, 4), 1, 1, False),
        ((4, 3, 2), 1, 2, False),
        ((2, 3), 5, 2, False),
        ((2, 3), 5, 2, True),
        ((2, 2, 3, 2), 3, 4, True),
    ],
)
def test_sums_of_squares_f_and_p_are_those_of_statsmodels(
    levels: tuple[int, ...], replications: int, order: int, blocks: bool
) -> None:
    values = np.random.default_rng(7).normal(3, 2, size=(*levels, replications))
    ours = analyse(experiment(values), Settings(order=order, blocks=blocks))
    fitted = ols(formula(values, order, blocks), frame(values)).fit()
    for kind in (1, 2, 3):
        theirs = anova_lm(fitted, typ=kind).drop(index="Intercept", errors="ignore")
        assert len(theirs) == len(ours.components)
        for part in ours.components:
            row = theirs.loc[row_name(part)]
            assert part.sum_of_squares == pytest.approx(row["sum_sq"])
            assert part.degrees_of_freedom == row["df"]
            if part.kind != "error":
                assert part.f_ratio == pytest.approx(row["F"])
                assert part.p_value == pytest.approx(row["PR(>F)"])
    assert ours.standard_error == pytest.approx(np.sqrt(fitted.mse_resid))


def test_effects_and_intervals_are_those_of_statsmodels() -> None:
    values = np.random.default_rng(8).normal(3, 2, size=(4, 3, 2, 3))
    ours = analyse(experiment(values), Settings(EXACT, order=3))
    fitted = ols(formula(values, 3), frame(values)).fit()
    limits = fitted.conf_int(alpha=0.05)
    found = {effect.levels: effect for effect in [*ours.effects, *ours.interactions]}
    for name, level in (("a", "l0"), ("a", "l2"), ("b", "l1"), ("c", "l0")):
        term = f"C({name}, Sum)[S.{level}]"
        effect = found[(f"{name}{int(level[1:]) + 1}",)]
        assert effect.effect == pytest.approx(fitted.params[term])
        assert (effect.low, effect.high) == pytest.approx(tuple(limits.loc[term]))
    pair = found["a1", "b2"]
    term = "C(a, Sum)[S.l0]:C(b, Sum)[S.l1]"
    assert (pair.effect, pair.low) == pytest.approx((fitted.params[term], limits.loc[term, 0]))


@pytest.mark.parametrize("degrees", [1, 2, 3, 6, 17, 100, 1000, 100_000])
def test_students_quantile_is_that_of_scipy(degrees: int) -> None:
    for probability in (1e-9, 0.01, 0.4, 0.6, 0.95, 0.975, 0.9999, 1 - 1e-9):
        expected = t_distribution.ppf(probability, degrees)
        assert student_quantile(degrees, probability) == pytest.approx(expected, rel=1e-9)
    assert student_quantile(degrees, 0.5) == pytest.approx(0, abs=1e-12)
    assert student_quantile(degrees, 1) == math.inf


@pytest.mark.parametrize("degrees", [1, 2, 5, 40])
@pytest.mark.parametrize("error_degrees", [1, 4, 20, 300, 3000])
def test_tails_of_f_are_those_of_scipy(degrees: int, error_degrees: int) -> None:
    for ratio in (0, 0.1, 1, 3, 30):
        expected = f_distribution.sf(ratio, degrees, error_degrees)
        assert f_tail(degrees, error_degrees, ratio) == pytest.approx(expected, rel=1e-9)


def test_no_distribution_is_asked_without_degrees_of_freedom() -> None:
    with pytest.raises(ValueError, match=r"no quantile 0.9 with 0 degrees of freedom"):
        student_quantile(0, 0.9)
    with pytest.raises(ValueError, match=r"no quantile 90 with 4 degrees of freedom"):
        student_quantile(4, 90)
    with pytest.raises(ValueError, match=r"no tail of F at -1 with 2 and 4 degrees of freedom"):
        f_tail(2, 4, -1)


@pytest.mark.parametrize("count", [1, 2, 7, 500])
def test_normal_quantiles_of_ranks_are_those_of_scipy(count: int) -> None:
    for rank in (1, (count + 1) // 2, count):
        expected = ndtri((rank - 0.375) / (count + 0.25))
        assert normal_quantile(rank, count) == pytest.approx(expected, abs=1e-14)


def test_the_interval_of_a_power_has_the_quantile_of_chi_square() -> None:
    expected = chdtri(1, 1 - transformation.CONFIDENCE)
    assert pytest.approx(expected) == transformation._CHI_SQUARE  # noqa: SLF001


def test_quantiles_and_tails_are_those_of_scipy() -> None:
    for degrees in (1, 2, 6, 30, 1000):
        assert EXACT.quantile(degrees) == pytest.approx(t_distribution.ppf(0.975, degrees))
    analysis = analyse(experiment(np.random.default_rng(9).normal(size=(3, 4, 2))))
    for part in analysis.components[:-1]:
        expected = f_distribution.sf(
            part.f_ratio, part.degrees_of_freedom, analysis.degrees_of_freedom
        )
        assert part.p_value == pytest.approx(expected)


@pytest.mark.parametrize(("offset", "deviation"), [(1.7e9, 1e-4), (1e12, 1e-2)])
def test_differences_in_the_last_digits_of_a_large_response_are_printed_in_full(
    offset: float, deviation: float
) -> None:
    noise = np.random.default_rng(3).normal(scale=deviation, size=(7, 2, 3, 4))
    values = offset + noise
    fitted = ols(formula(values, 3), frame(values - offset)).fit()
    analysis = analyse(experiment(values), Settings(order=3))
    assert analysis.standard_error == pytest.approx(np.sqrt(fitted.mse_resid), rel=1e-9)
    assert sum(part.percent for part in analysis.components) == pytest.approx(100)
    expected = [*anova_lm(fitted)["F"]][:-1]
    assert [part.f_ratio for part in analysis.components[:-1]] == pytest.approx(expected, rel=1e-6)
