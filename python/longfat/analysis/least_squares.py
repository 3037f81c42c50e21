"""Analysis of variance of observations that are no balanced, crossed experiment.

Effects are fitted by least squares, coded to add up to zero. The sum of squares of an effect is
what a model of all effects that do not contain it gains by it, known as type II (F. Yates, 1934;
S. R. Searle: Linear Models for Unbalanced Data, 1987). For balanced data these are Jain's.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from longfat.analysis.analysis import (
    Analysis,
    Effect,
    Settings,
    Tested,
    analyse,
    checked,
    default_order,
    effect_of,
    joined,
)
from longfat.analysis.experiment import NotBalanced, Observation, check_values, cross, unnamed
from longfat.analysis.fit import Array
from longfat.analysis.model import Term
from longfat.analysis.residuals import Errors
from longfat.analysis.transformation import transformed
from longfat.base.errors import LongfatError

SMALL = 1e-9
"""Singular values below this share of the largest belong to columns that others determine."""


def analyse_observations(
    response: str,
    factors: Mapping[str, Sequence[str]],
    observations: Sequence[Observation],
    settings: Settings,
) -> Analysis:
    """Compute the analysis of variance of observations: Jain's, or by least squares.

    Raises as `longfat.analysis.experiment.cross`, but for data that are not crossed or balanced.
    For these it raises `LongfatError` if a factor cannot be told from others.
    """
    try:
        experiment = cross(response, factors, observations, matched=settings.blocks)
    except NotBalanced as found:
        return _analyse(response, factors, observations, settings, found.reason)
    return analyse(experiment, settings)


def _analyse(
    response: str,
    factors: Mapping[str, Sequence[str]],
    observations: Sequence[Observation],
    settings: Settings,
    reason: str,
) -> Analysis:
    measured = np.array([row.value for row in observations])
    check_values(response, measured)
    name, values = transformed(response, measured, settings.transform)
    counts = Counter(row.levels for row in observations)
    replications = min(counts.values())
    most = max(counts.values())
    order = min(settings.order or default_order(len(factors), most), len(factors))
    scattered = Scattered(factors, observations, order, settings.blocks and most > 1)
    parts = LeastSquares(scattered, values)
    error = Tested(
        parts.error_squares,
        scattered.error_degrees_of_freedom,
        parts.standard_error**2,
        settings.intervals.confidence,
        parts.total_variation,
    )
    components = [
        error.component(scattered.named(term), parts.gain(term), degrees)
        for term in scattered.terms
        if (degrees := scattered.degrees_of_freedom(term))
    ]
    if scattered.higher_order_degrees_of_freedom and most > 1:
        degrees = scattered.higher_order_degrees_of_freedom
        squares = parts.higher_order_squares
        components.append(error.component([], squares, degrees, "higher-order interactions"))
    if scattered.block_degrees_of_freedom:
        degrees = scattered.block_degrees_of_freedom
        components.append(error.component([], parts.block_squares, degrees, "blocks"))
    if error.degrees_of_freedom:
        components.append(error.itself)
    effects = list(parts.effects(settings.intervals.quantile))
    width = parts.mean_half_width(settings.intervals.quantile)
    checks, better_form = checked(values, parts.errors, settings)
    return Analysis(
        response=name,
        factors=factors,
        confidence=settings.intervals.confidence,
        order=order,
        replications=replications,
        blocks=scattered.blocks is not None,
        observations=len(values),
        mean=parts.mean,
        mean_low=None if width is None else parts.mean - width,
        mean_high=None if width is None else parts.mean + width,
        individual_values=float((values**2).sum()),
        overall_mean=float(values.sum() ** 2 / len(values)),
        total_variation=parts.total_variation,
        components=components,
        effects=[effect for effect in effects if len(effect.factors) == 1],
        interactions=[effect for effect in effects if len(effect.factors) > 1],
        standard_error=parts.standard_error if error.degrees_of_freedom else None,
        degrees_of_freedom=error.degrees_of_freedom,
        values=values.tolist(),
        predicted=(values - parts.residuals).tolist(),
        residuals=parts.residuals.tolist(),
        checks=checks,
        advice=better_form,
        transform=settings.transform,
        measured=response,
        observed=[row.levels for row in observations],
        unbalanced=reason,
    )


class Scattered:
    """Linear model of observations: columns of effects, of combinations and of blocks.

    With `blocks`, replications of a name share their random numbers. `terms` are the effects of up
    to `order` factors, main effects first.
    """

    def __init__(
        self,
        factors: Mapping[str, Sequence[str]],
        observations: Sequence[Observation],
        order: int,
        blocks: bool,
    ) -> None:
        self.factors = factors
        self.levels = [row.levels for row in observations]
        numbers = range(len(factors))
        self.terms: list[Term] = [
            term for size in range(1, order + 1) for term in itertools.combinations(numbers, size)
        ]
        self._codes = [
            _code([row.levels[place] for row in observations], list(levels))
            for place, levels in enumerate(factors.values())
        ]
        cells = {levels: number for number, levels in enumerate(dict.fromkeys(self.levels))}
        self._cells = np.array([cells[levels] for levels in self.levels])
        self._bases: dict[tuple[Term, ...], Array] = {}
        self.blocks: Array | None = None
        if blocks:
            names = [_named(row) for row in observations]
            self.blocks = _code(names, sorted(set(names)))
        self._refuse_confounded()

    @property
    def size(self) -> int:
        """Number of observations."""
        return len(self.levels)

    def named(self, term: Term) -> list[str]:
        """Return the names of an effect's factors."""
        return [list(self.factors)[place] for place in term]

    def columns(self, term: Term) -> Array:
        """Return the columns of an effect: the products of those of its factors."""
        found = np.ones((self.size, 1))
        for place in term:
            code = self._codes[place]
            found = (found[:, :, None] * code[:, None, :]).reshape(self.size, -1)
        return found

    def of(self, terms: Sequence[Term]) -> Array:
        """Return the columns of the mean, of effects and of the blocks."""
        parts = [np.ones((self.size, 1)), *map(self.columns, terms)]
        if self.blocks is not None:
            parts.append(self.blocks)
        return np.concatenate(parts, axis=1)

    def basis(self, terms: Sequence[Term]) -> Array:
        """Return orthonormal columns that span those of the mean, of effects and of the blocks."""
        key = tuple(terms)
        if key not in self._bases:
            self._bases[key] = _basis(self.of(terms))
        return self._bases[key]

    def rank(self, terms: Sequence[Term]) -> int:
        """Return the number of independent columns of the mean, of effects and of the blocks."""
        return int(self.basis(terms).shape[1])

    def beside(self, term: Term) -> list[Term]:
        """Return the effects that do not contain an effect."""
        return [other for other in self.terms if not set(term) <= set(other)]

    def degrees_of_freedom(self, term: Term) -> int:
        """Return the degrees of freedom of an effect: fewer, if combinations do not exist."""
        beside = self.beside(term)
        return self.rank([*beside, term]) - self.rank(beside)

    def within_cells(self, rows: Array) -> Array:
        """Subtract from each row the means of its combinations; the last axis is observations."""
        order = np.argsort(self._cells, kind="stable")
        counts = np.bincount(self._cells)
        sums = np.add.reduceat(rows[..., order], np.cumsum(counts) - counts, axis=-1)
        return np.asarray(rows - (sums / counts)[..., self._cells])

    @cached_property
    def block_degrees_of_freedom(self) -> int:
        """Degrees of freedom of the blocks; 0 without."""
        return (
            0 if self.blocks is None else int(_basis(self.within_cells(self.blocks.T).T).shape[1])
        )

    @cached_property
    def is_replicated(self) -> bool:
        """Whether a combination has several observations, so that there is a pure error."""
        return self.size > len(set(self.levels))

    @cached_property
    def higher_order_degrees_of_freedom(self) -> int:
        """Degrees of freedom of the interactions beyond the order."""
        combinations = int(self._cells.max()) + 1
        return combinations + self.block_degrees_of_freedom - self.rank(self.terms)

    @cached_property
    def error_degrees_of_freedom(self) -> int:
        """Degrees of freedom of the pure error, or without one of the residuals of the model."""
        if not self.is_replicated:
            return self.size - self.rank(self.terms)
        return self.size - int(self._cells.max()) - 1 - self.block_degrees_of_freedom

    @cached_property
    def left(self) -> Callable[[Array], Array]:
        """Return the residuals of responses, one per row."""
        if not self.is_replicated:
            basis = self.basis(self.terms)
            return lambda rows: rows - (rows @ basis) @ basis.T
        if self.blocks is None:
            return self.within_cells
        shared = _basis(self.within_cells(self.blocks.T).T)

        def within_both(rows: Array) -> Array:
            within = self.within_cells(rows)
            return np.asarray(within - (within @ shared) @ shared.T)

        return within_both

    def _refuse_confounded(self) -> None:
        """Raise `LongfatError` for a factor whose levels cannot be told from those of others."""
        singles: list[Term] = [(place,) for place in range(len(self.factors))]
        for term in singles:
            others = [one for one in singles if one != term]
            if self.rank([*others, term]) - self.rank(others) < self._codes[term[0]].shape[1]:
                raise LongfatError(
                    f"{self.named(term)[0]}: its levels cannot be told from those of the other "
                    "factors in these combinations; leave out a factor, or choose a part in which "
                    "levels meet (--where)"
                )


@dataclass
class LeastSquares:
    """Fit of a response to the model."""

    model: Scattered
    values: Array

    @cached_property
    def deviations(self) -> Array:
        """The values minus their mean, so that sums of squares keep their digits."""
        first = self.values[0]
        return np.asarray((self.values - first) - (self.values - first).mean())

    @property
    def total_variation(self) -> float:
        """SST: sum of squared deviations from the mean of the values."""
        return float((self.deviations**2).sum())

    @cached_property
    def residuals(self) -> Array:
        """Residuals, in the order of the observations."""
        return np.asarray(self.model.left(self.deviations[None, :])[0])

    @property
    def error_squares(self) -> float:
        """SSE: sum of squares of the residuals."""
        return float((self.residuals**2).sum())

    @cached_property
    def standard_error(self) -> float:
        """Standard deviation of errors; 0 without degrees of freedom."""
        degrees = self.model.error_degrees_of_freedom
        return float(np.sqrt(self.error_squares / degrees)) if degrees else 0.0

    def gain(self, term: Term) -> float:
        """Return what the effects beside an effect leave, less what they leave with it."""
        beside = self.model.beside(term)
        return max(0.0, self._left(beside) - self._left([*beside, term]))  # but for round-off

    @property
    def block_squares(self) -> float:
        """Sum of squares between blocks, beside all combinations."""
        within = self.model.within_cells(self.deviations[None, :])[0]
        return max(0.0, float((within**2).sum()) - self.error_squares)

    @property
    def higher_order_squares(self) -> float:
        """Sum of squares of all interactions beyond the order."""
        return max(0.0, self._left(self.model.terms) - self.error_squares)

    @cached_property
    def mean(self) -> float:
        """Mean of the response at all levels alike, by the model of main effects."""
        return float(self._main[0][0] + self.values[0] + (self.values - self.values[0]).mean())

    def mean_half_width(self, quantile: Callable[[int], float]) -> float | None:
        """Return the half-width of the interval of the mean; None without an error."""
        degrees = self.model.error_degrees_of_freedom
        if not degrees:
            return None
        return float(quantile(degrees) * self.standard_error * np.sqrt(self._main[1][0, 0]))

    def effects(self, quantile: Callable[[int], float]) -> Iterator[Effect]:
        """Yield the effects of levels and of their combinations that can be estimated."""
        degrees = self.model.error_degrees_of_freedom
        for term in self.model.terms:
            columns = self.model.columns(term).shape[1]
            if self.model.degrees_of_freedom(term) < columns:
                continue
            names = self.model.named(term)
            crossed = list(itertools.product(*(self.model.factors[name] for name in names)))
            contrasts: Array = np.ones((1, 1))
            for name in names:
                levels = list(self.model.factors[name])
                contrasts = np.asarray(np.kron(contrasts, _code(levels, levels)))
            estimates, variances = self._solved([*self.model.beside(term), term])
            # The columns of the effect are those after the mean and the other effects.
            start = 1 + sum(self.model.columns(one).shape[1] for one in self.model.beside(term))
            own = slice(start, start + columns)
            found = contrasts @ estimates[own]
            spread = np.sqrt(np.einsum("ij,jk,ik->i", contrasts, variances[own, own], contrasts))
            for levels_of, effect, deviation in zip(crossed, found, spread, strict=True):
                width = quantile(degrees) * self.standard_error * deviation if degrees else None
                yield effect_of(
                    names, levels_of, float(effect), None if width is None else float(width)
                )

    @property
    def errors(self) -> Errors:
        """The residuals, as checks take them."""

        def place(position: int) -> str:
            return f"({', '.join(self.model.levels[position])})"

        return Errors(
            self.residuals,
            self.values - self.residuals,
            self.deviations - self.residuals,
            self.model.error_degrees_of_freedom,
            self.model.left,
            place,
        )

    @cached_property
    def _main(self) -> tuple[Array, Array]:
        return self._solved([term for term in self.model.terms if len(term) == 1])

    def _solved(self, terms: Sequence[Term]) -> tuple[Array, Array]:
        """Return the estimates of columns, and their variances in units of that of errors."""
        inverse = np.linalg.pinv(self.model.of(terms), rcond=SMALL)
        return inverse @ self.deviations, inverse @ inverse.T

    def _left(self, terms: Sequence[Term]) -> float:
        """Return the sum of squares that effects leave."""
        basis = self.model.basis(terms)
        return float(((self.deviations - basis @ (basis.T @ self.deviations)) ** 2).sum())


def words(analysis: Analysis) -> Iterator[str]:
    """Yield what is to be said about an analysis by least squares."""
    if analysis.observed is None:
        return
    yield (
        f"Not balanced ({analysis.unbalanced}): fitted by least squares. Factors share a part of "
        "the variation, so that shares do not add up to 100 %."
    )
    told = {part.name for part in analysis.components}
    numbers = range(1, analysis.order + 1)
    wanted = [
        joined(chosen)
        for size in numbers
        for chosen in itertools.combinations(analysis.factors, size)
    ]
    if lost := [name for name in wanted if name not in told]:
        yield f"Too few combinations exist to estimate {', '.join(lost)}."


def _named(row: Observation) -> str:
    """Return the name of a replication. Raises `LongfatError` without one."""
    if row.replication is None:
        raise unnamed()
    return row.replication


def _code(names: Sequence[str], levels: Sequence[str]) -> Array:
    """Return columns for all levels but the last, whose rows are -1: they add up to zero."""
    rows = np.vstack([np.eye(len(levels) - 1), -np.ones((1, len(levels) - 1))])
    places = {level: place for place, level in enumerate(levels)}
    return np.asarray(rows[[places[name] for name in names]])


def _basis(columns: Array) -> Array:
    """Return orthonormal columns that span these."""
    left, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    return np.asarray(left[:, sizes > SMALL * max(sizes.max(initial=0.0), np.finfo(float).tiny)])
