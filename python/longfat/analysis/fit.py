"""Least-squares fit of the effects of a crossed design, for one response or for many at once.

Values have the shape (..., levels of each factor, replications). Leading axes are data sets of the
same design, so that a Monte Carlo simulation of thousands takes a few array operations.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from longfat.analysis.model import Model, Term
from longfat.statistics.intervals import Intervals

Array: TypeAlias = npt.NDArray[np.float64]

ROUND_OFF = 64 * np.finfo(np.float64).eps
"""Relative round-off: parts of a response below this share of its largest value are noise."""

NEGLIGIBLE = 2.0**-20
"""Parts below this share of the largest deviation do not matter to sums of squares.

Larger parts are never zeroed, not even if the response varies in its last digits only, where
round-off is a part of the variation.
"""


@dataclass(frozen=True)
class Fit:
    """Decomposition of responses: mean, effects, block effects and residuals.

    The array of an effect has length 1 on the axes of other factors. `deviations` are the values
    minus the mean, computed without the cancellation of a direct difference.
    """

    model: Model
    values: Array
    deviations: Array
    mean: Array
    effects: Mapping[Term, Array]
    block_effects: Array
    residuals: Array

    @property
    def predicted(self) -> Array:
        """Predicted values: the values minus their residuals."""
        return self.values - self.residuals

    @property
    def individual_values(self) -> Array:
        """SSY: sum of squares of all values."""
        return self._summed(self.values**2)

    @property
    def overall_mean(self) -> Array:
        """SS0: sum of squares of the mean."""
        return self.model.observations * self.mean**2

    @property
    def total_variation(self) -> Array:
        """SST = SSY - SS0, computed as the sum of squared deviations, to avoid cancellation."""
        return self._summed(self.deviations**2)

    def sum_of_squares(self, term: Term) -> Array:
        """Return the sum of squares of an effect."""
        effect = self.effects[term]
        repeated = self.model.observations / np.prod([self.model.levels[axis] for axis in term])
        axes = tuple(range(-len(self.model.levels), 0))
        return np.asarray(repeated * (effect**2).sum(axis=axes))

    @property
    def block_sum_of_squares(self) -> Array:
        """Sum of squares between blocks: replications with common random numbers."""
        return np.asarray(self.model.combinations * (self.block_effects**2).sum(axis=-1))

    @property
    def error_sum_of_squares(self) -> Array:
        """SSE: sum of squares of the residuals."""
        return self._summed(self.residuals**2)

    @property
    def standard_error(self) -> Array:
        """Standard deviation of errors: s_e = sqrt(SSE / degrees of freedom), which are not 0."""
        return np.sqrt(self.error_sum_of_squares / self.model.error_degrees_of_freedom)

    def half_width(self, term: Term, intervals: Intervals) -> Array:
        """Return the half-width of the confidence interval of an effect."""
        quantile = intervals.quantile(self.model.error_degrees_of_freedom)
        return np.asarray(quantile * self.model.deviation_factor(term) * self.standard_error)

    def mean_half_width(self, intervals: Intervals) -> Array:
        """Return the half-width of the confidence interval of the mean.

        With common random numbers, all combinations of a replication are correlated, so the
        variance of the mean is estimated from the means of the replications.
        """
        model = self.model
        if not model.blocks:
            quantile = intervals.quantile(model.error_degrees_of_freedom)
            return np.asarray(quantile * self.standard_error / np.sqrt(model.observations))
        between = (self.block_effects**2).sum(axis=-1) / model.block_degrees_of_freedom
        quantile = intervals.quantile(model.block_degrees_of_freedom)
        return np.asarray(quantile * np.sqrt(between / model.replications))

    def _summed(self, squares: Array) -> Array:
        axes = tuple(range(-len(self.model.levels) - 1, 0))
        return np.asarray(squares.sum(axis=axes))


def fit(values: Array, model: Model) -> Fit:
    """Fit responses: decompose them into the effects of the model."""
    mean, deviations = _centred(values, model)
    round_off = _round_off(values, deviations)
    cells = deviations.mean(axis=-1)
    axes = tuple(range(-len(model.levels), 0))
    effects = {term: rounded(_effect(cells, axes, term), round_off) for term in model.terms}
    # The mean of each replication over all combinations; used only with blocks.
    shared = deviations.mean(axis=tuple(axis - 1 for axis in axes))
    block_effects = rounded(shared if model.blocks else np.zeros_like(shared), round_off)
    residuals = rounded(_residuals(deviations, cells, effects, block_effects, model), round_off)
    return Fit(model, values, deviations, mean, effects, block_effects, residuals)


def higher_order(parts: Fit) -> Array:
    """Return the sum of the interactions beyond the model's order, per combination."""
    rest = parts.deviations.mean(axis=-1) - sum(parts.effects.values())
    return rounded(rest, _round_off(parts.values, parts.deviations))


def rounded(part: Array, round_off: float) -> Array:
    """Return a part of a response, with values up to `round_off` set to 0."""
    return np.asarray(np.where(np.abs(part) <= round_off, 0.0, part))


def _centred(values: Array, model: Model) -> tuple[Array, Array]:
    """Return the mean, and the values minus the mean.

    Differences from one of the values are exact if values are close to each other; sums of the
    values themselves would lose the digits in which they differ.
    """
    rows = values.reshape(*values.shape[: -len(model.levels) - 1], model.observations)
    first = rows[..., :1]
    middle = (rows - first).mean(axis=-1, keepdims=True)
    return (first + middle)[..., 0], (rows - first - middle).reshape(values.shape)


def _round_off(values: Array, deviations: Array) -> float:
    """Return the absolute value up to which a part of a response counts as round-off."""
    largest, differing = float(np.abs(values).max()), float(np.abs(deviations).max())
    return float(min(ROUND_OFF * largest, NEGLIGIBLE * differing))


def _effect(cells: Array, axes: tuple[int, ...], term: Term) -> Array:
    """Average over the other factors, then subtract the mean along each factor of the effect."""
    chosen = [axes[factor] for factor in term]
    others = tuple(axis for axis in axes if axis not in chosen)
    effect: Array = cells.mean(axis=others, keepdims=True)
    for axis in chosen:
        effect = effect - effect.mean(axis=axis, keepdims=True)
    return effect


def _residuals(
    deviations: Array,
    cells: Array,
    effects: Mapping[Term, Array],
    block_effects: Array,
    model: Model,
) -> Array:
    """Return the residuals; with replications, these are deviations from the mean of the cell.

    The interactions beyond the model's order are then not a part of the error.
    """
    if model.replications == 1:
        return np.asarray(deviations - np.asarray(sum(effects.values()))[..., None])
    lifted = (1,) * len(model.levels)
    shared = block_effects.reshape(*block_effects.shape[:-1], *lifted, model.replications)
    return np.asarray(deviations - cells[..., None] - shared)
