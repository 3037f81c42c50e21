"""Laws of every balanced experiment, whatever its values."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from longfat.analysis.analysis import Analysis, Settings, analyse
from longfat.analysis.experiment import Experiment
from longfat.analysis.fit import Array, fit
from longfat.analysis.model import Model
from tests.analysis.support import experiment

NUMBERS = st.integers(-1000, 1000).map(lambda number: number / 8)  # sums of these are exact


@st.composite
def values(draw: Any) -> Array:
    """The values of a design of one to four factors, with one to three replications."""
    levels = draw(st.lists(st.integers(2, 4), min_size=1, max_size=4))
    replications = draw(st.integers(1, 3))
    found: Array = draw(arrays(np.float64, (*levels, replications), elements=NUMBERS))
    assume(np.ptp(found) > 0)
    return found


def analysed(found: Array, **chosen: Any) -> Analysis:
    return analyse(experiment(found), Settings(**chosen))


@given(values(), st.booleans(), st.integers(1, 4))
@settings(max_examples=60)
def test_percentages_add_up_to_100_and_degrees_of_freedom_to_all_but_one(
    found: Array, blocks: bool, order: int
) -> None:
    analysis = analysed(found, blocks=blocks, order=order)
    assert sum(part.percent for part in analysis.components) == pytest.approx(100)
    assert sum(part.degrees_of_freedom for part in analysis.components) == found.size - 1
    assert analysis.individual_values == pytest.approx(
        analysis.overall_mean + analysis.total_variation
    )


@given(values())
@settings(max_examples=60)
def test_effects_add_up_to_zero_over_each_factor(found: Array) -> None:
    model = Model(found.shape[:-1], found.shape[-1], order=found.ndim - 1)
    parts = fit(found, model)
    scale = np.abs(found).max()
    for term, effect in parts.effects.items():
        for axis in term:
            assert effect.sum(axis=axis) == pytest.approx(0, abs=1e-9 * scale)


@given(values())
@settings(max_examples=60)
def test_effects_and_residuals_are_orthogonal_and_add_up_to_the_values(found: Array) -> None:
    model = Model(found.shape[:-1], found.shape[-1], order=found.ndim - 1)
    parts = fit(found, model)
    pieces = [np.broadcast_to(effect[..., None], found.shape) for effect in parts.effects.values()]
    pieces.append(parts.residuals)
    assert parts.mean + sum(pieces) == pytest.approx(found, abs=1e-9)
    for one, other in itertools.combinations(pieces, 2):
        assert (one * other).sum() == pytest.approx(0, abs=1e-9 * (found**2).sum())


@given(values(), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_the_order_of_factors_and_levels_does_not_matter(found: Array, random: Any) -> None:
    before = experiment(found)
    names = list(before.factors)
    order = random.sample(range(len(names)), len(names))
    relabelled = np.transpose(found, [*order, found.ndim - 1])
    factors = {}
    for axis, position in enumerate(order):
        levels = list(before.factors[names[position]])
        shuffled = random.sample(range(len(levels)), len(levels))
        relabelled = relabelled.take(shuffled, axis=axis)
        factors[names[position]] = [levels[index] for index in shuffled]
    after = analyse(Experiment("y", factors, relabelled))
    whole = analyse(before)
    assert {part_key(part): part.sum_of_squares for part in after.components} == pytest.approx(
        {part_key(part): part.sum_of_squares for part in whole.components}, abs=1e-6
    )
    assert {effect.levels: effect.effect for effect in after.effects} == pytest.approx(
        {effect.levels: effect.effect for effect in whole.effects}, abs=1e-9
    )


def part_key(part: Any) -> tuple[str, frozenset[str]]:
    return part.kind, frozenset(part.factors)


@given(values(), st.sampled_from([0.5, 2.0, -4.0]), st.sampled_from([0.0, 64.0]))
@settings(max_examples=40)
def test_another_unit_of_the_response_changes_no_percentage(
    found: Array, unit: float, offset: float
) -> None:
    before, after = analysed(found), analysed(found * unit + offset)
    assert [part.percent for part in after.components] == pytest.approx(
        [part.percent for part in before.components], abs=1e-6
    )
    assert [effect.effect for effect in after.effects] == pytest.approx(
        [effect.effect * unit for effect in before.effects], abs=1e-9
    )


@given(values(), st.booleans(), st.sampled_from([2.0**40, -(2.0**43)]))
@settings(max_examples=40)
def test_a_mean_a_million_million_times_what_differs_costs_no_digit(
    found: Array, blocks: bool, offset: float
) -> None:
    near, far = analysed(found, blocks=blocks), analysed(found + offset, blocks=blocks)
    assert [part.percent for part in far.components] == pytest.approx(
        [part.percent for part in near.components], abs=1e-6
    )
    assert [effect.effect for effect in far.effects] == pytest.approx(
        [effect.effect for effect in near.effects], abs=1e-3
    )
    assert [check.statistic for check in far.checks] == pytest.approx(
        [check.statistic for check in near.checks], abs=1e-6
    )


@given(values())
@settings(max_examples=40)
def test_without_replications_blocks_mean_nothing(found: Array) -> None:
    single = found[..., :1]
    assume(np.ptp(single) > 0)
    assert analysed(single, blocks=True) == analysed(single, blocks=False)
