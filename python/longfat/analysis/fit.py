"""The least-squares estimates of a crossed design, for one response or for many at once.

The values have one axis for each factor and one for the replications. Any axes before these count
data sets of the same design: a simulation of thousands of them costs a few array operations.
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
"""Parts of a response this small beside its largest value are nothing but arithmetic."""

NEGLIGIBLE = 2.0**-20
"""Parts this small beside what differs matter to no sum of squares; larger ones are never zeroed.

Not even where the response differs in its last digits only, and round-off is a part of it.
"""


@dataclass(frozen=True)
class Fit:
    """The parts of responses: mean, effects, blocks and residuals add up to the values.

    An effect has the axes of its factors, with length 1 for all others. `deviations` are the values
    less the mean, with digits that the difference of the two would have lost.
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
        """The values without their residuals."""
        return self.values - self.residuals

    @property
    def individual_values(self) -> Array:
        """SSY, the sum of squares of all values."""
        return self._summed(self.values**2)

    @property
    def overall_mean(self) -> Array:
        """SS0, the sum of squares of the mean."""
        return self.model.observations * self.mean**2

    @property
    def total_variation(self) -> Array:
        """SST = SSY - SS0, summed as squares of deviations, which cancels no digits."""
        return self._summed(self.deviations**2)

    def sum_of_squares(self, term: Term) -> Array:
        """The variation that an effect explains."""
        effect = self.effects[term]
        repeated = self.model.observations / np.prod([self.model.levels[axis] for axis in term])
        axes = tuple(range(-len(self.model.levels), 0))
        return np.asarray(repeated * (effect**2).sum(axis=axes))

    @property
    def block_sum_of_squares(self) -> Array:
        """The variation between replications with common random numbers."""
        return np.asarray(self.model.combinations * (self.block_effects**2).sum(axis=-1))

    @property
    def error_sum_of_squares(self) -> Array:
        """SSE, the sum of squares of the residuals."""
        return self._summed(self.residuals**2)

    @property
    def standard_error(self) -> Array:
        """s_e = sqrt(SSE / degrees of freedom); there must be some."""
        return np.sqrt(self.error_sum_of_squares / self.model.error_degrees_of_freedom)

    def half_width(self, term: Term, intervals: Intervals) -> Array:
        """Half the confidence interval of an effect."""
        quantile = intervals.quantile(self.model.error_degrees_of_freedom)
        return np.asarray(quantile * self.model.deviation_factor(term) * self.standard_error)

    def mean_half_width(self, intervals: Intervals) -> Array:
        """Half the confidence interval of the mean.

        With common random numbers all combinations are lucky together, so that the mean is only as
        sure as the means of the replications are alike.
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
    """Take responses apart into the effects of the model."""
    mean, deviations = _centred(values, model)
    round_off = _round_off(values, deviations)
    cells = deviations.mean(axis=-1)
    axes = tuple(range(-len(model.levels), 0))
    effects = {term: rounded(_effect(cells, axes, term), round_off) for term in model.terms}
    # An average over all combinations at once; without blocks there is nothing to share.
    shared = deviations.mean(axis=tuple(axis - 1 for axis in axes))
    block_effects = rounded(shared if model.blocks else np.zeros_like(shared), round_off)
    residuals = rounded(_residuals(deviations, cells, effects, block_effects, model), round_off)
    return Fit(model, values, deviations, mean, effects, block_effects, residuals)


def higher_order(parts: Fit) -> Array:
    """What the interactions that the model leaves out add to each combination."""
    rest = parts.deviations.mean(axis=-1) - sum(parts.effects.values())
    return rounded(rest, _round_off(parts.values, parts.deviations))


def rounded(part: Array, round_off: float) -> Array:
    """The part of a response with round-off as the zero that it means."""
    return np.asarray(np.where(np.abs(part) <= round_off, 0.0, part))


def _centred(values: Array, model: Model) -> tuple[Array, Array]:
    """The mean, and the values less the mean.

    Differences to one of the values are exact where values are alike; sums of the values
    themselves would lose the digits in which these differ.
    """
    rows = values.reshape(*values.shape[: -len(model.levels) - 1], model.observations)
    first = rows[..., :1]
    middle = (rows - first).mean(axis=-1, keepdims=True)
    return (first + middle)[..., 0], (rows - first - middle).reshape(values.shape)


def _round_off(values: Array, deviations: Array) -> float:
    """The largest part of a response that means nothing."""
    largest, differing = float(np.abs(values).max()), float(np.abs(deviations).max())
    return float(min(ROUND_OFF * largest, NEGLIGIBLE * differing))


def _effect(cells: Array, axes: tuple[int, ...], term: Term) -> Array:
    """Average over the other factors, then take the mean out along each factor of the effect."""
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
    """What the model does not explain; with replications all interactions count as explained."""
    if model.replications == 1:
        return np.asarray(deviations - np.asarray(sum(effects.values()))[..., None])
    lifted = (1,) * len(model.levels)
    shared = block_effects.reshape(*block_effects.shape[:-1], *lifted, model.replications)
    return np.asarray(deviations - cells[..., None] - shared)
