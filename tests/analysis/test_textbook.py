"""Worked examples, computed by hand."""

import numpy as np
import pytest

from longfat.analysis.analysis import Settings, analyse
from longfat.analysis.words import sentences
from longfat.statistics.intervals import Intervals
from tests.analysis.support import MEMORY_CACHE, experiment


def test_the_memory_cache_study_of_jains_chapter_18_comes_out() -> None:
    analysis = analyse(experiment(MEMORY_CACHE))
    assert analysis.mean == 41
    effects = {effect.levels: effect for effect in [*analysis.effects, *analysis.interactions]}
    q_a, q_b, q_ab = effects[("a2",)], effects[("b2",)], effects["a2", "b2"]
    assert (q_a.effect, q_b.effect, q_ab.effect) == (21.5, 9.5, 5)

    squares = {part.name: part.sum_of_squares for part in analysis.components}
    assert squares == {"a": 5547, "b": 1083, "a x b": 300, "error": 102}
    assert analysis.individual_values == 27204
    assert analysis.overall_mean == 20172
    assert analysis.total_variation == 7032
    percents = [round(part.percent, 2) for part in analysis.components]
    assert percents == [78.88, 15.40, 4.27, 1.45]

    assert analysis.degrees_of_freedom == 8
    assert analysis.standard_error == pytest.approx(3.57, abs=0.005)
    for effect, low, high in (
        (q_a, 19.58, 23.42),
        (q_b, 7.58, 11.42),
        (q_ab, 3.08, 6.92),
    ):
        assert (effect.low, effect.high) == pytest.approx((low, high), abs=0.005)
        assert effect.significant
    assert (analysis.mean_low, analysis.mean_high) == pytest.approx((39.08, 42.92), abs=0.005)


def test_quantiles_are_those_that_tables_print_unless_exact_ones_are_asked_for() -> None:
    assert Intervals(0.90).quantile(6) == 1.943
    assert Intervals(0.90).quantile(8) == 1.860
    assert Intervals(0.95).quantile(1) == 12.706
    assert Intervals(0.90, exact=True).quantile(6) == pytest.approx(1.9431802805, abs=1e-10)


def test_two_factors_without_replications_have_their_interaction_as_error() -> None:
    """Jain, chapter 21: (a - 1)(b - 1) degrees of freedom."""
    analysis = analyse(experiment([[[1], [2], [6]], [[4], [5], [12]]]))
    assert analysis.order == 1
    assert analysis.degrees_of_freedom == 2
    assert [part.kind for part in analysis.components] == ["main effect", "main effect", "error"]
    assert analysis.components[2].sum_of_squares == pytest.approx(3)


def test_a_single_factor_is_analysed_by_its_replications() -> None:
    """Jain, chapter 20: one-factor experiments."""
    analysis = analyse(experiment([[1, 3], [5, 7], [9, 11]]))
    assert [effect.effect for effect in analysis.effects] == [-4, 0, 4]
    assert analysis.degrees_of_freedom == 3
    assert analysis.standard_error == pytest.approx(np.sqrt(2))
    assert [effect.significant for effect in analysis.effects] == [True, False, True]


def test_a_saturated_model_has_no_intervals_and_says_so() -> None:
    analysis = analyse(experiment([[[1], [2]], [[4], [8]]]), Settings(order=2))
    assert analysis.degrees_of_freedom == 0
    assert analysis.standard_error is None
    assert {effect.significant for effect in analysis.effects} == {None}
    assert sum(part.percent for part in analysis.components) == pytest.approx(100)
    assert any("Nothing is left to estimate the error" in line for line in sentences(analysis))


def test_an_exact_fit_has_no_error_at_all() -> None:
    """Additive values: round-off is not taken for variation."""
    analysis = analyse(experiment([[[0.1], [0.3], [0.7]], [[0.4], [0.6], [1.0]]]))
    assert analysis.standard_error == 0
    assert analysis.components[-1].percent == 0
    assert all(effect.significant for effect in analysis.effects if effect.effect)
    a, b, error = analysis.components
    assert (a.significant, b.significant, error.significant) == (True, True, None)
    assert analysis.checks == []
    assert any("the error is 0" in line for line in sentences(analysis))


def test_without_error_what_is_not_there_is_not_significant() -> None:
    analysis = analyse(experiment([[[1.0], [1.0]], [[2.0], [2.0]]]))
    assert [part.significant for part in analysis.components] == [True, False, None]
    assert [effect.significant for effect in analysis.effects] == [True, True, False, False]


def test_interactions_left_out_have_a_row_when_replications_give_the_error() -> None:
    values = np.random.default_rng(1).normal(size=(2, 3, 2, 4))
    analysis = analyse(experiment(values), Settings(order=1))
    kinds = {part.kind: part for part in analysis.components}
    assert kinds["higher-order interactions"].degrees_of_freedom == 2 + 1 + 2 + 2
    assert kinds["error"].degrees_of_freedom == 12 * 3
    full = analyse(experiment(values), Settings(order=3))
    left_out = sum(part.sum_of_squares for part in full.components if part.kind == "interaction")
    assert kinds["higher-order interactions"].sum_of_squares == pytest.approx(left_out)
    assert kinds["error"].sum_of_squares == pytest.approx(full.components[-1].sum_of_squares)


def test_what_replications_have_in_common_is_no_error_with_common_random_numbers() -> None:
    luck = np.array([0.0, 5.0, -5.0])
    values = np.array([[10.0], [20.0]]) + luck + np.array([[0.1, -0.1, 0.0], [0.0, 0.0, 0.0]])
    apart = analyse(experiment(values))
    matched = analyse(experiment(values), Settings(blocks=True))
    assert (apart.degrees_of_freedom, matched.degrees_of_freedom) == (4, 2)
    assert apart.standard_error is not None
    assert matched.standard_error is not None
    assert matched.standard_error < apart.standard_error / 50
    assert [part.name for part in matched.components] == ["a", "replications", "error"]
    # The mean is no surer for it: all combinations are lucky together.
    assert matched.mean_high is not None
    assert matched.mean_high - matched.mean > 5
