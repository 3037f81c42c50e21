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
69, 2015, on samples too small for percentiles of the bootstrap). For a mean it is exactly the usual
interval.
"""

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from longfat.analysis.intervals import Intervals

RESAMPLES = 500
"""The standard error is then known to about 3 percent."""

SEED = 1

Measure = Callable[[Sequence[int]], float | None]
"""The number when these replications (from 1 on) take the place of replications 1 to n."""


def confidence_interval(
    value: float, measure: Measure, replications: int, confidence: float
) -> tuple[float, float] | None:
    """The interval around `value`, the number from all replications.

    None for a single replication, or a measure that most of the draws leave without a number.
    """
    if replications < 2:
        return None
    error = standard_error(measure, replications)
    if error is None:
        return None
    half_width = Intervals(confidence, exact=True).quantile(replications - 1) * error
    return value - half_width, value + half_width


def standard_error(measure: Measure, replications: int) -> float | None:
    """The bootstrap's, corrected for the number of replications.

    None when most of the draws have no number (a correlation, say, without variation).
    """
    weighted = [(measure(drawn), weight) for drawn, weight in draws(replications)]
    known = [(value, weight) for value, weight in weighted if value is not None]
    total = math.fsum(weight for _, weight in known)
    if total <= 1 / 2:
        return None
    mean = math.fsum(value * weight for value, weight in known) / total
    variance = math.fsum(weight * (value - mean) ** 2 for value, weight in known) / total
    return math.sqrt(variance * replications / (replications - 1))


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
