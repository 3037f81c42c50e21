"""The mean of a long run's series, with its start left out and an interval from batches of it.

Where to begin: MSER (K. P. White: An effective truncation heuristic for bias reduction in
simulation output. Simulation 69 (1997), p. 323), which leaves out as much as makes the standard
error of the mean of what is left smallest, were its observations independent; of means of five
observations each, MSER-5 (K. P. White, M. J. Cobb, S. C. Spratt: A comparison of five steady-state
truncation heuristics for simulation. Proceedings of the 2000 Winter Simulation Conference).

How surely: the method of batch means (B. Schmeiser: Batch size effects in the analysis of
simulation output. Operations Research 30 (1982), p. 556): observations that follow each other are
alike, means of long stretches of them hardly.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from longfat.base.errors import LongfatError
from longfat.statistics.intervals import Intervals

AT_A_TIME = 5
"""Observations that MSER-5 averages first."""

BATCHES = 20
"""Schmeiser: 10 to 30; more of them hardly narrow the interval."""

FEWEST = AT_A_TIME * BATCHES * 2
"""With fewer observations batches would be of five or less."""

ALIKE = 0.05
"""Batches that are less correlated than this by chance alone in one of 20 series are alike."""


@dataclass(frozen=True)
class SteadyState:
    """The mean of `kept` observations after the first `left_out`, with its interval.

    Between these are `unbatched` ones, too few for one more in each batch. `correlation` is that
    of neighbouring batches; `cautions` are sentences.
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
    """The steady-state mean of a series. Raises `LongfatError` for one that is too short."""
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
    """How many observations MSER-5 leaves out, and whether that is as many as it may: half."""
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
    """The means of `BATCHES` stretches of equal length; what is left over is at the beginning."""
    length = len(values) // BATCHES
    first = len(values) - length * BATCHES
    return [
        statistics.fmean(values[start : start + length])
        for start in range(first, len(values), length)
    ]


def lag_one_correlation(values: Sequence[float]) -> float:
    """The correlation of neighbours; 0 for constant values."""
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
