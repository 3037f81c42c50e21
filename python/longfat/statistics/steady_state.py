"""Steady-state mean of a long run: warm-up truncation by MSER-5, interval by batch means.

Truncation: MSER (K. P. White: An effective truncation heuristic for bias reduction in simulation
output. Simulation 69 (1997), p. 323) removes the initial observations such that the standard error
of the remaining mean is smallest, as if observations were independent. MSER-5 applies it to means
of five observations each (K. P. White, M. J. Cobb, S. C. Spratt: A comparison of five steady-state
truncation heuristics for simulation. Proceedings of the 2000 Winter Simulation Conference).

Interval: the method of batch means (B. Schmeiser: Batch size effects in the analysis of simulation
output. Operations Research 30 (1982), p. 556): successive observations are correlated, means of
long batches hardly.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from longfat.base.errors import LongfatError
from longfat.statistics.intervals import Intervals

AT_A_TIME = 5
"""Observations per group that MSER-5 averages first."""

BATCHES = 20
"""Number of batches; Schmeiser recommends 10 to 30, and more hardly narrow the interval."""

FEWEST = AT_A_TIME * BATCHES * 2
"""Fewest observations: after the largest truncation, each batch still has five."""

ALIKE = 0.05
"""Significance level of the one-sided test for correlation of neighbouring batches."""


@dataclass(frozen=True)
class SteadyState:
    """Mean of a series in steady state, with the limits of its confidence interval.

    `left_out` observations are truncated as warm-up, then `unbatched` ones are skipped so that
    batches have equal lengths; `kept` ones follow. `correlation` is the lag-one correlation of
    batch means; `cautions` are sentences.
    """

    mean: float
    low: float
    high: float
    confidence: float
    left_out: int
    unbatched: int
    kept: int
    batches: int
    correlation: float
    cautions: Sequence[str]


def steady_state(values: Sequence[float], confidence: float) -> SteadyState:
    """Estimate the steady-state mean of a series; `confidence` is a share between 0 and 1.

    Raises `LongfatError` for a series of fewer than `FEWEST` observations.
    """
    if len(values) < FEWEST:
        raise LongfatError(
            f"{len(values)} observations are too few for the mean of a single run; "
            f"at least {FEWEST} are needed"
        )
    left_out, is_at_end = truncation(values)
    unbatched = (len(values) - left_out) % BATCHES
    means = batch_means(values[left_out:])
    mean = statistics.fmean(means)
    error = statistics.stdev(means) / math.sqrt(len(means))
    half_width = Intervals(confidence, exact=True).quantile(len(means) - 1) * error
    correlation = lag_one_correlation(means)
    return SteadyState(
        mean=mean,
        low=mean - half_width,
        high=mean + half_width,
        confidence=confidence,
        left_out=left_out,
        unbatched=unbatched,
        kept=len(values) - left_out - unbatched,
        batches=BATCHES,
        correlation=correlation,
        cautions=list(_cautions(is_at_end, correlation)),
    )


def truncation(values: Sequence[float]) -> tuple[int, bool]:
    """Return how many observations MSER-5 truncates, and whether that is its maximum: half."""
    groups = [
        statistics.fmean(values[start : start + AT_A_TIME])
        for start in range(0, len(values) - AT_A_TIME + 1, AT_A_TIME)
    ]
    count, most = len(groups), len(groups) // 2
    total, squares, found = 0.0, 0.0, {}
    middle = statistics.fmean(groups)  # so that sums of squares lose no digits
    for kept, group in enumerate(reversed(groups), start=1):
        total += group - middle
        squares += (group - middle) ** 2
        if count - kept <= most:
            found[count - kept] = max(squares - total * total / kept, 0.0) / kept**2
    best = min(sorted(found), key=lambda left_out: found[left_out])
    return best * AT_A_TIME, best == most


def batch_means(values: Sequence[float]) -> list[float]:
    """Compute the means of `BATCHES` batches of equal length; surplus first values are skipped."""
    length = len(values) // BATCHES
    first = len(values) - length * BATCHES
    return [
        statistics.fmean(values[start : start + length])
        for start in range(first, len(values), length)
    ]


def lag_one_correlation(values: Sequence[float]) -> float:
    """Compute the lag-one autocorrelation; 0 for constant values."""
    mean = statistics.fmean(values)
    spread = math.fsum((value - mean) ** 2 for value in values)
    if spread == 0:
        return 0.0
    products = ((one - mean) * (next_one - mean) for one, next_one in pairwise(values))
    return math.fsum(products) / spread


def _cautions(is_at_end: bool, correlation: float) -> list[str]:
    found = []
    if is_at_end:
        found.append(
            "warm-up: MSER-5 would leave out half of the series or more, so it has hardly reached "
            "its steady state; a longer run is needed"
        )
    # The correlation of n independent values has mean -1/n and a variance of about 1/n.
    limit = statistics.NormalDist().inv_cdf(1 - ALIKE) / math.sqrt(BATCHES) - 1 / BATCHES
    if correlation > limit:
        found.append(
            f"short run: neighbouring batches are correlated by {correlation:.2f}, so the interval "
            "is too narrow; a longer run is needed"
        )
    return found
