"""Selection of the best combination, and of those that chance could have made second.

Screening of simulated systems (B. L. Nelson, J. Swann, D. Goldsman, W. Song: Simple procedures for
selecting the best simulated system when the number of alternatives is large. Operations Research
49, 2001, p. 950): every combination keeps its own variance, since one that loses nothing hardly
varies beside one that does, and all comparisons together have the confidence (Bonferroni). The best
of infinitely many replications is then among those kept with at least this confidence.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from longfat._engine import student_quantile
from longfat.analysis.fit import ROUND_OFF, Array

MOST_REPLICATIONS = 10_000
"""Largest number of replications that is worth naming."""


@dataclass(frozen=True)
class Rival:
    """A combination that cannot be told from the best one, by its index.

    `behind` is how much worse its mean is; `replications` that many would tell them apart if means
    and deviations stayed as they are, None if more than `MOST_REPLICATIONS` are needed.
    """

    index: int
    behind: float
    replications: int | None


@dataclass(frozen=True)
class Screened:
    """The combination with the best mean, and its rivals, best first."""

    best: int
    rivals: Sequence[Rival]


def screen(values: Array, more: bool, confidence: float, paired: bool) -> Screened:
    """Find the best of the rows of `values`, which have a column for each replication.

    `more` says whether more is better, `paired` whether the n-th values of all rows share their
    random numbers. With one replication, rows that are equal to the best are its only rivals.
    """
    count, replications = values.shape
    means = values.mean(axis=1) * (1 if more else -1)
    best = int(means.argmax())
    round_off = ROUND_OFF * float(np.abs(values).max())
    shares = 1 - (1 - confidence) / max(1, count - 1)

    def is_rival(index: int) -> bool:
        widths = half_widths(deviations(values, index, paired), replications, shares)
        return bool((means[index] - means >= -widths - round_off).all())

    of_best = deviations(values, best, paired)
    # Most are told from the best one; only the others are compared with all.
    near = means - means[best] >= -half_widths(of_best, replications, shares) - round_off
    order = np.argsort(-means, kind="stable").tolist()
    rivals = [index for index in order if near[index] and is_rival(index)]
    return Screened(
        best,
        [
            Rival(
                index,
                behind := float(max(0.0, means[best] - means[index])),
                _telling(behind, round_off, float(of_best[index]), shares),
            )
            for index in rivals
            if index != best
        ],
    )


def deviations(values: Array, index: int, paired: bool) -> Array:
    """Return the standard deviation of the difference of each row from a row; 0 for one column."""
    if values.shape[1] < 2:
        return np.zeros(len(values))
    if paired:
        return np.asarray((values - values[index]).std(axis=1, ddof=1))
    variances = values.var(axis=1, ddof=1)
    return np.asarray(np.sqrt(variances + variances[index]))


def half_widths(deviation: Array, replications: int, share: float) -> Array:
    """Return one-sided half-widths of means of differences; 0 for one replication."""
    if replications < 2:
        return np.zeros_like(deviation)
    return student_quantile(replications - 1, share) * deviation / math.sqrt(replications)


def fewest(is_enough: Callable[[int], bool]) -> int | None:
    """Return the smallest number of replications that is enough; None beyond the largest.

    `is_enough` must hold for all larger numbers as well.
    """
    few, many = 1, 2  # one is never enough
    while not is_enough(many):
        if many >= MOST_REPLICATIONS:
            return None
        few, many = many, min(2 * many, MOST_REPLICATIONS)
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if is_enough(middle) else (middle, many)
    return many


def _telling(behind: float, round_off: float, deviation: float, share: float) -> int | None:
    if behind <= round_off:
        return None
    return fewest(
        lambda number: float(half_widths(np.array([deviation]), number, share)[0]) < behind
    )
