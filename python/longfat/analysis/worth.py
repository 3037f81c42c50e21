"""Worth of a factor in the unit of the response, on average and where it depends on another.

Differences between means of levels, with intervals from the error of the analysis of variance.
Every interval belongs to a family, such as all pairs of levels of a factor, and the whole family
has the confidence (Bonferroni).
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from longfat._engine import f_tail, student_quantile
from longfat.analysis.best import fewest
from longfat.analysis.fit import Array, Fit
from longfat.analysis.model import Model, Term


@dataclass(frozen=True)
class Difference:
    """Difference of two means, those with the levels `first` and `second` of a factor.

    `by` is the mean with `first` minus that with `second`. `half_width` is None without an estimate
    of the error. `replications` that many would show the difference, if there is one; None if it is
    shown, or too many are needed.
    """

    first: str
    second: str
    mean_of_first: float
    mean_of_second: float
    half_width: float | None
    replications: int | None = None

    @property
    def by(self) -> float:
        """Return the difference."""
        return self.mean_of_first - self.mean_of_second

    @property
    def is_shown(self) -> bool | None:
        """Whether the interval excludes 0; None without an interval."""
        return None if self.half_width is None else abs(self.by) > self.half_width


@dataclass(frozen=True)
class Worth:
    """Worth of a factor on average over the others: its best level beside its worst.

    `as_good` lists the levels that are not shown to differ from the best one.
    """

    factor: str
    difference: Difference
    as_good: Sequence[str]


@dataclass(frozen=True)
class Dependence:
    """The difference of two levels of a factor at each level of another, which it depends on."""

    factor: str
    other: str
    at: Mapping[str, Difference]


def worths(
    parts: Fit, factors: Mapping[str, Sequence[str]], more: bool, confidence: float
) -> Iterator[Worth]:
    """Yield the worth of each factor; `more` says whether more is better."""
    for place, (factor, levels) in enumerate(factors.items()):
        means = _means(parts, (place,))
        order = np.argsort(-means if more else means, kind="stable").tolist()
        family = len(levels) * (len(levels) - 1) // 2
        width = _half_width(parts.model, parts, (place,), confidence, family)
        best, worst = order[0], order[-1]
        difference = _difference(parts, (place,), levels, means, (best, worst), confidence, family)
        as_good = [
            levels[other]
            for other in order[1:]
            if width is not None and abs(means[best] - means[other]) <= width
        ]
        yield Worth(factor, difference, as_good)


def dependences(
    parts: Fit, factors: Mapping[str, Sequence[str]], more: bool, confidence: float
) -> list[Dependence]:
    """Return the significant interactions of two factors, the largest first.

    The pair of levels is the one that differs most at any level of the other factor, the better
    one there first. `more` says whether more is better.
    """
    model = parts.model
    if model.error_degrees_of_freedom == 0:
        return []
    pairs = [
        term for term in model.terms if len(term) == 2 and _is_significant(parts, term, confidence)
    ]
    pairs.sort(key=lambda term: -float(parts.sum_of_squares(term)))
    return [_dependence(parts, term, factors, more, confidence) for term in pairs]


def _is_significant(parts: Fit, term: Term, confidence: float) -> bool:
    squares = float(parts.sum_of_squares(term))
    error = float(parts.standard_error) ** 2
    if error == 0:
        return squares > 0
    degrees = parts.model.degrees_of_freedom(term)
    ratio = squares / degrees / error
    return f_tail(degrees, parts.model.error_degrees_of_freedom, ratio) < 1 - confidence


def _dependence(
    parts: Fit, term: Term, factors: Mapping[str, Sequence[str]], more: bool, confidence: float
) -> Dependence:
    """Return the plainer of both readings of an interaction, or that of the larger main effect."""
    first, second = sorted(term, key=lambda place: -float(parts.sum_of_squares((place,))))
    readings = [
        _reading(parts, places, factors, more, confidence)
        for places in ((first, second), (second, first))
    ]
    return max(readings, key=_plainness)  # the first of equal ones


def _plainness(found: Dependence) -> int:
    """Rank a reading: reversed at a level of the other factor, only at some of them, or neither."""
    shown = [difference.by > 0 for difference in found.at.values() if difference.is_shown]
    if len(set(shown)) > 1:
        return 2
    return 1 if 0 < len(shown) < len(found.at) else 0


def _reading(
    parts: Fit,
    places: tuple[int, int],
    factors: Mapping[str, Sequence[str]],
    more: bool,
    confidence: float,
) -> Dependence:
    subject, other = places
    term: Term = (min(places), max(places))
    names = list(factors)
    levels, conditions = factors[names[subject]], factors[names[other]]
    means = _means(parts, term)
    if subject > other:
        means = means.T
    pairs = itertools.combinations(range(len(levels)), 2)
    first, second = max(pairs, key=lambda pair: np.abs(means[pair[0]] - means[pair[1]]).max())
    differing = means[first] - means[second]
    if bool(differing[np.abs(differing).argmax()] > 0) != more:
        first, second = second, first
    found = {
        condition: _difference(
            parts, term, levels, means[:, place], (first, second), confidence, len(conditions)
        )
        for place, condition in enumerate(conditions)
    }
    return Dependence(names[subject], names[other], found)


def _difference(
    parts: Fit,
    term: Term,
    levels: Sequence[str],
    means: Array,
    pair: tuple[int, int],
    confidence: float,
    family: int,
) -> Difference:
    first, second = pair
    by = float(means[first] - means[second])
    width = _half_width(parts.model, parts, term, confidence, family)
    replications = None
    if width is not None and 0 < abs(by) <= width and parts.model.replications > 1:
        replications = fewest(
            lambda number: _planned_half_width(parts, term, confidence, family, number) < abs(by)
        )
    return Difference(
        levels[first],
        levels[second],
        float(means[first]),
        float(means[second]),
        width,
        replications,
    )


def _planned_half_width(
    parts: Fit, term: Term, confidence: float, family: int, replications: int
) -> float:
    model = parts.model
    planned = Model(model.levels, replications, model.order, model.blocks)
    width = _half_width(planned, parts, term, confidence, family)
    return math.inf if width is None else width


def _half_width(
    model: Model, parts: Fit, term: Term, confidence: float, family: int
) -> float | None:
    """Return the half-width of a difference of two means over the levels of `term`.

    Each is a mean of N / (product of the numbers of levels) values of standard deviation s_e.
    """
    degrees = model.error_degrees_of_freedom
    if degrees == 0 or parts.model.error_degrees_of_freedom == 0:
        return None
    each = model.observations / math.prod(model.levels[place] for place in term)
    quantile = student_quantile(degrees, 1 - (1 - confidence) / 2 / family)
    return quantile * float(parts.standard_error) * math.sqrt(2 / each)


def _means(parts: Fit, term: Term) -> Array:
    """Return the means over all other factors, with an axis for each factor of `term`."""
    included = (own for own in parts.effects if set(own) <= set(term))
    means = np.asarray(parts.mean + sum(parts.effects[own] for own in included))
    return means.reshape([parts.model.levels[place] for place in sorted(term)])
