"""Confidence intervals of arbitrary statistics by the bootstrap over replications.

Claims measure minima, medians and differences of means over many factor combinations, for which no
formula of a standard error exists. The bootstrap (Efron, Annals of Statistics 7, 1979) estimates
it by recomputing the statistic from n replications drawn with replacement. With common random
numbers, replication i has the same random numbers in every combination, so whole replications are
drawn, for all combinations at once. Up to six replications, all resamples are enumerated with
their probabilities; above that, `RESAMPLES` are drawn from a fixed seed.

The bootstrap's standard error is too small by the factor sqrt((n - 1)/n), and few replications
estimate it badly; so the half-width is the standard error corrected by that factor, times
Student's quantile for n - 1 degrees of freedom (after Hesterberg, The American Statistician 69,
2015, on samples too small for bootstrap percentiles). For a mean this is the usual interval:
exactly if all resamples are enumerated, within a few percent if they are drawn.

For a count (of configurations, or the level at which a metric is best) a standard error has little
meaning: it is constant in most resamples and jumps in a few. Its interval is the bootstrap
percentile interval, at levels expanded for the same two reasons (Hesterberg 2015, section 5.3), so
that its limits are values that the count takes.
"""

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import NormalDist

from longfat.statistics.intervals import Intervals

RESAMPLES = 500
"""Number of random resamples; the standard error is then accurate to about 3 percent."""

COUNTED_VALUES = 12
"""A statistic with at most this many distinct values over all resamples counts as discrete."""

FEWEST_FOR_COUNTS = 5
"""With fewer replications, resamples are too few to distinguish discrete from continuous."""

SEED = 1

Measure = Callable[[Sequence[int]], float | None]
"""Computes the statistic from a resample, given as n indices of replications from 1 on."""


def confidence_interval(
    value: float, measure: Measure, replications: int, confidence: float
) -> tuple[float, float] | None:
    """Return the bootstrap confidence interval around `value`, the statistic of all replications.

    `confidence` is a share between 0 and 1. None for a single replication, or if the statistic is
    undefined for half of the resamples or more, by probability.
    """
    if replications < 2:
        return None
    drawn = _distribution(measure, replications)
    if drawn is None:
        return None
    quantile = Intervals(confidence, exact=True).quantile(replications - 1)
    if replications >= FEWEST_FOR_COUNTS and len(drawn) <= COUNTED_VALUES:
        low, high = _percentiles(drawn, _expanded(quantile, replications))
        return min(low, value), max(high, value)
    half_width = quantile * _error(drawn, replications)
    return value - half_width, value + half_width


def standard_error(measure: Measure, replications: int) -> float | None:
    """Return the bootstrap standard error, corrected by sqrt(n / (n - 1)).

    None if the statistic is undefined for half of the resamples or more, by probability (a
    correlation without variation, say).
    """
    drawn = _distribution(measure, replications)
    return None if drawn is None else _error(drawn, replications)


Distribution = dict[float, float]
"""Bootstrap distribution: probability by value of the statistic, in ascending order of values."""


def _distribution(measure: Measure, replications: int) -> Distribution | None:
    """Compute the bootstrap distribution; None if half of it or more is undefined."""
    weights: dict[float, list[float]] = {}
    for drawn, weight in draws(replications):
        value = measure(drawn)
        if value is not None:
            weights.setdefault(value, []).append(weight)
    total = math.fsum(itertools.chain(*weights.values()))
    if total <= 1 / 2:
        return None
    return {value: math.fsum(weights[value]) / total for value in sorted(weights)}


def _error(drawn: Distribution, replications: int) -> float:
    mean = math.fsum(value * weight for value, weight in drawn.items())
    variance = math.fsum(weight * (value - mean) ** 2 for value, weight in drawn.items())
    return math.sqrt(variance * replications / (replications - 1))


def _expanded(quantile: float, replications: int) -> float:
    """Return the expanded tail probability, for Student's quantile and small n (Hesterberg)."""
    return NormalDist().cdf(-quantile * math.sqrt(replications / (replications - 1)))


def _percentiles(drawn: Distribution, tail: float) -> tuple[float, float]:
    """Return the first values, from below and from above, with cumulative probability > `tail`."""
    values, weights = list(drawn), list(drawn.values())
    from_below = itertools.accumulate(weights)
    from_above = itertools.accumulate(reversed(weights))
    low = next(value for value, passed in zip(values, from_below, strict=True) if passed > tail)
    high = next(
        value for value, passed in zip(reversed(values), from_above, strict=True) if passed > tail
    )
    return low, high


def draws(replications: int) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield resamples of replications with replacement, each with its probability (unordered)."""
    numbers = range(1, replications + 1)
    if math.comb(2 * replications - 1, replications) <= RESAMPLES:
        for drawn in itertools.combinations_with_replacement(numbers, replications):
            yield drawn, _probability(drawn)
        return
    # Only `random()` is stable between versions of Python.
    chance = random.Random(SEED)
    for _ in range(RESAMPLES):
        yield tuple(1 + int(chance.random() * replications) for _ in numbers), 1 / RESAMPLES


def _probability(drawn: Sequence[int]) -> float:
    orders = math.factorial(len(drawn))
    for count in Counter(drawn).values():
        orders //= math.factorial(count)
    return float(orders / len(drawn) ** len(drawn))
