"""How surely a number follows from n replications: the bootstrap over replications.

The numbers of claims are minima, medians and differences of means over many factor combinations,
for which no formula of a standard error exists. The bootstrap (Efron, Annals of Statistics 7, 1979)
finds it by taking the number again from n replications drawn with replacement. With common random
numbers replication i is the same luck for every combination, so whole replications are drawn, for
all combinations at once. Up to six replications every draw is enumerated, with its probability;
above that `RESAMPLES` are drawn, always the same.

The bootstrap's standard error is too small by the square root of (n - 1)/n, and few replications
estimate it badly; so the interval is as wide as for a mean: the error made larger by that factor,
times Student's quantile for n - 1 degrees of freedom (after Hesterberg, The American Statistician
69, 2015, on samples too small for percentiles of the bootstrap). For a mean it is the usual
interval: exactly where all draws are listed, within a few percent where they are drawn.

A number that is counted (in how many configurations, at which level it is best) has no standard
error to speak of: it stays the same in most draws and jumps in a few. Its interval are the
percentiles of what the draws yield, at levels expanded for the same two reasons (Hesterberg 2015,
section 5.3): they are values that it can have, and none beyond those seen.
"""

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import NormalDist

from longfat.statistics.intervals import Intervals

RESAMPLES = 500
"""The standard error is then known to about 3 percent."""

COUNTED_VALUES = 12
"""A number with no more different values in all draws is counted, not measured on a scale."""

FEWEST_FOR_COUNTS = 5
"""Fewer replications have too few different draws to tell a count from a scale."""

SEED = 1

Measure = Callable[[Sequence[int]], float | None]
"""The number when these of n replications, by their places from 1 on, stand in place of all n."""


def confidence_interval(
    value: float, measure: Measure, replications: int, confidence: float
) -> tuple[float, float] | None:
    """The interval around `value`, the number from all replications.

    None for a single replication, or a measure that most of the draws leave without a number.
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
    """The bootstrap's, corrected for the number of replications.

    None when most of the draws have no number (a correlation, say, without variation).
    """
    drawn = _distribution(measure, replications)
    return None if drawn is None else _error(drawn, replications)


Distribution = dict[float, float]
"""The probabilities of the numbers that draws yield, in ascending order of the numbers."""


def _distribution(measure: Measure, replications: int) -> Distribution | None:
    """What draws yield; None when most of them have no number."""
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
    """The share of draws to leave out on each side, in place of that beyond Student's quantile."""
    return NormalDist().cdf(-quantile * math.sqrt(replications / (replications - 1)))


def _percentiles(drawn: Distribution, tail: float) -> tuple[float, float]:
    """The first number from below, and from above, up to which there is more than `tail`."""
    values, weights = list(drawn), list(drawn.values())
    from_below = itertools.accumulate(weights)
    from_above = itertools.accumulate(reversed(weights))
    low = next(value for value, passed in zip(values, from_below, strict=True) if passed > tail)
    high = next(
        value for value, passed in zip(reversed(values), from_above, strict=True) if passed > tail
    )
    return low, high


def draws(replications: int) -> Iterator[tuple[tuple[int, ...], float]]:
    """Replications drawn with replacement, each draw with its probability (up to order)."""
    numbers = range(1, replications + 1)
    if math.comb(2 * replications - 1, replications) <= RESAMPLES:
        for drawn in itertools.combinations_with_replacement(numbers, replications):
            yield drawn, _probability(drawn)
        return
    # `random` without methods that may change between versions of Python.
    chance = random.Random(SEED)
    for _ in range(RESAMPLES):
        yield tuple(1 + int(chance.random() * replications) for _ in numbers), 1 / RESAMPLES


def _probability(drawn: Sequence[int]) -> float:
    orders = math.factorial(len(drawn))
    for count in Counter(drawn).values():
        orders //= math.factorial(count)
    return float(orders / len(drawn) ** len(drawn))
