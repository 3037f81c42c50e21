"""Analysis of variance of one response: allocation of variation, effects, residual checks."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from longfat._engine import f_tail
from longfat.analysis.experiment import Experiment
from longfat.analysis.fit import Array, Fit, fit, higher_order
from longfat.analysis.model import Model, Term
from longfat.analysis.residuals import Check, Errors, check_residuals
from longfat.analysis.transformation import Advice, advice, transformed
from longfat.base.errors import InvalidInput
from longfat.statistics.intervals import Intervals

DEFAULT_ORDER = 2
"""Default order: main effects and first-order interactions (98-0876R1, section 8.1)."""

FORM = ("normality", "constant variance")
"""Checks of residuals that a transformation of the response may mend."""

Kind = Literal["main effect", "interaction", "higher-order interactions", "blocks", "error"]


@dataclass(frozen=True)
class Settings:
    """Settings of an analysis of variance.

    `order` is the largest number of factors of an interaction, None for `default_order`; with
    `blocks`, the n-th replications of all combinations share their random numbers and form a
    block. `transform` names a function of the response (`TRANSFORMATIONS`). Raises `InvalidInput`
    for an order below 1.
    """

    intervals: Intervals = field(default_factory=Intervals)
    order: int | None = None
    blocks: bool = False
    transform: str | None = None

    def __post_init__(self) -> None:
        if self.order is not None and self.order < 1:
            raise InvalidInput([f"order: {self.order!r} is no number of factors from 1 on"])


@dataclass(frozen=True)
class Component:
    """Component of the total variation, with its F test against the error.

    `percent` is of the total variation (SST). `f_ratio` and `p_value` are None without an error or
    if it is 0; in the latter case any variation is significant. `aliases` names the effects that
    are confounded with this one in a fractional design.
    """

    name: str
    kind: Kind
    factors: Sequence[str]
    sum_of_squares: float
    percent: float
    degrees_of_freedom: int
    mean_square: float | None
    f_ratio: float | None
    p_value: float | None
    significant: bool | None
    aliases: Sequence[str] = ()


@dataclass(frozen=True)
class Effect:
    """Effect of a level, or of a combination of levels, on the mean, in the response's unit.

    It is significant if its confidence interval, `low` to `high`, does not contain 0. These are
    None without degrees of freedom for the error.
    """

    factors: Sequence[str]
    levels: Sequence[str]
    effect: float
    low: float | None
    high: float | None
    significant: bool | None


@dataclass(frozen=True)
class Analysis:
    """Analysis of variance of a response (98-0876R1, section 8.1), with checks of its residuals.

    `individual_values` is SSY, `overall_mean` SS0 and `total_variation` SST = SSY - SS0.
    `values`, `predicted` and `residuals` have one number per observation, in row-major order: one
    axis per factor, and replications last.
    """

    response: str
    factors: Mapping[str, Sequence[str]]
    confidence: float
    order: int
    replications: int
    blocks: bool
    observations: int
    mean: float
    mean_low: float | None
    mean_high: float | None
    individual_values: float
    overall_mean: float
    total_variation: float
    components: Sequence[Component]
    effects: Sequence[Effect]
    interactions: Sequence[Effect]
    standard_error: float | None
    degrees_of_freedom: int
    values: Sequence[float]
    predicted: Sequence[float]
    residuals: Sequence[float]
    checks: Sequence[Check]
    advice: Advice | None = None
    """The transformation that residuals ask for, if a check of their form fails."""
    transform: str | None = None
    """The transformation that `response` is of `measured`."""
    measured: str = ""
    observed: Sequence[tuple[str, ...]] | None = None
    """Levels of each observation, if they are no balanced, crossed experiment (`unbalanced`)."""
    unbalanced: str = ""
    """Why they are none, in words."""


def default_order(factors: int, replications: int) -> int:
    """Return the default order: 2, but without replications less than the number of factors.

    Without replications, the interaction of all factors estimates the error (Jain, chapter 21).
    """
    if replications == 1:
        return max(1, min(DEFAULT_ORDER, factors - 1))
    return min(DEFAULT_ORDER, factors)


def analyse(experiment: Experiment, settings: Settings | None = None) -> Analysis:
    """Compute the analysis of variance of a crossed experiment.

    Raises `LongfatError` for values that cannot be transformed as the settings say.
    """
    settings = settings or Settings()
    response, values = transformed(experiment.response, experiment.values, settings.transform)
    model = _model(experiment, settings)
    intervals = settings.intervals
    parts = fit(values, model)
    names = list(experiment.factors)
    effects = [
        effect
        for term in model.terms
        for effect in _effects(parts, term, experiment.factors, intervals)
    ]
    certain = model.error_degrees_of_freedom > 0
    mean = float(parts.mean)
    mean_half_width = float(parts.mean_half_width(intervals)) if certain else None
    checks, better_form = checked(values, _errors(parts, experiment.factors), settings)
    return Analysis(
        response=response,
        factors=experiment.factors,
        confidence=intervals.confidence,
        order=model.order,
        replications=model.replications,
        blocks=model.blocks,
        observations=model.observations,
        mean=mean,
        mean_low=None if mean_half_width is None else mean - mean_half_width,
        mean_high=None if mean_half_width is None else mean + mean_half_width,
        individual_values=float(parts.individual_values),
        overall_mean=float(parts.overall_mean),
        total_variation=float(parts.total_variation),
        components=list(_components(parts, names, intervals.confidence)),
        effects=[effect for effect in effects if len(effect.factors) == 1],
        interactions=[effect for effect in effects if len(effect.factors) > 1],
        standard_error=float(parts.standard_error) if certain else None,
        degrees_of_freedom=model.error_degrees_of_freedom,
        values=parts.values.ravel().tolist(),
        predicted=parts.predicted.ravel().tolist(),
        residuals=parts.residuals.ravel().tolist(),
        checks=checks,
        advice=better_form,
        transform=settings.transform,
        measured=experiment.response,
    )


def checked(
    values: Array, errors: Errors, settings: Settings
) -> tuple[Sequence[Check], Advice | None]:
    """Return the checks of residuals, and the transformation that doubtful ones ask for."""
    checks = check_residuals(errors)
    is_doubtful = any(not check.passed for check in checks if check.name in FORM)
    return checks, advice(values, errors) if is_doubtful and not settings.transform else None


def _errors(parts: Fit, factors: Mapping[str, Sequence[str]]) -> Errors:
    shape = parts.values.shape

    def left(rows: Array) -> Array:
        return fit(rows.reshape(-1, *shape), parts.model).residuals.reshape(len(rows), -1)

    def place(position: int) -> str:
        *cell, replication = np.unravel_index(position, shape)
        levels = [names[int(at)] for names, at in zip(factors.values(), cell, strict=True)]
        which = f", observation {replication + 1}" if parts.model.replications > 1 else ""
        return f"({', '.join(levels)}){which}"

    return Errors(
        parts.residuals.ravel(),
        parts.predicted.ravel(),
        (parts.deviations - parts.residuals).ravel(),
        parts.model.error_degrees_of_freedom,
        left,
        place,
    )


def joined(factors: Sequence[str]) -> str:
    """Return the name of an interaction: "A x B"."""
    return " x ".join(factors)


def _model(experiment: Experiment, settings: Settings) -> Model:
    replications = experiment.replications
    order = settings.order or default_order(len(experiment.factors), replications)
    return Model(
        levels=tuple(len(levels) for levels in experiment.factors.values()),
        replications=replications,
        order=min(order, len(experiment.factors)),
        blocks=settings.blocks and replications > 1,
    )


def _components(parts: Fit, names: Sequence[str], confidence: float) -> Iterator[Component]:
    model = parts.model
    total = float(parts.total_variation)
    degrees = model.error_degrees_of_freedom
    error = Tested(
        float(parts.error_sum_of_squares),
        degrees,
        float(parts.standard_error) ** 2 if degrees else 0.0,
        confidence,
        total,
    )
    for term in model.terms:
        factors = [names[position] for position in term]
        squares = float(parts.sum_of_squares(term))
        yield error.component(factors, squares, model.degrees_of_freedom(term))
    shared = float(parts.block_sum_of_squares)
    higher = model.higher_order_degrees_of_freedom
    if model.replications > 1 and higher > 0:
        squares = float(model.replications * (higher_order(parts) ** 2).sum())
        yield error.component([], squares, higher, "higher-order interactions")
    if model.blocks:
        yield error.component([], shared, model.block_degrees_of_freedom, "blocks")
    if degrees > 0:
        yield error.itself


@dataclass(frozen=True)
class Tested:
    """The error of an analysis, against which its components are tested.

    `mean_square` is 0 without degrees of freedom; `total` is the total variation.
    """

    sum_of_squares: float
    degrees_of_freedom: int
    mean_square: float
    confidence: float
    total: float

    @property
    def itself(self) -> Component:
        """The error as a component."""
        return self.component([], self.sum_of_squares, self.degrees_of_freedom, "error")

    def component(
        self, factors: Sequence[str], squares: float, degrees: int, kind: Kind | None = None
    ) -> Component:
        """Return a component with its F test; `kind` is that of an effect if it is None."""
        kind = kind or ("main effect" if len(factors) == 1 else "interaction")
        mean_square = squares / degrees
        is_tested = kind != "error" and self.mean_square > 0
        f_ratio = mean_square / self.mean_square if is_tested else None
        p_value = None
        if f_ratio is not None:
            p_value = f_tail(degrees, self.degrees_of_freedom, f_ratio)
        significant: bool | None = None
        if p_value is not None:
            significant = p_value < 1 - self.confidence
        elif kind != "error" and self.degrees_of_freedom:
            significant = squares > 0
        return Component(
            name=joined(factors) or ("replications" if kind == "blocks" else kind),
            kind=kind,
            factors=factors,
            sum_of_squares=squares,
            percent=100 * squares / self.total,
            degrees_of_freedom=degrees,
            mean_square=mean_square,
            f_ratio=f_ratio,
            p_value=p_value,
            significant=significant,
        )


def _effects(
    parts: Fit, term: Term, factors: Mapping[str, Sequence[str]], intervals: Intervals
) -> Iterator[Effect]:
    names = [list(factors)[position] for position in term]
    half_width = None
    if parts.model.error_degrees_of_freedom:
        half_width = float(parts.half_width(term, intervals))
    effects: Array = parts.effects[term].ravel()  # axes of other factors have length 1
    levels = itertools.product(*(factors[name] for name in names))
    for combination, effect in zip(levels, effects, strict=True):
        yield effect_of(names, combination, float(effect), half_width)


def effect_of(
    factors: Sequence[str], levels: Sequence[str], effect: float, half_width: float | None
) -> Effect:
    """Return an effect with its interval; None without degrees of freedom for the error."""
    if half_width is None:
        return Effect(factors, levels, effect, None, None, None)
    low, high = effect - half_width, effect + half_width
    return Effect(factors, levels, effect, low, high, bool(low > 0 or high < 0))
