"""How many replications a study needs: the first n at which its means are known precisely enough.

The rule is the fixed-width sequential procedure (Law: Simulation Modeling and Analysis, section
9.4.1; Chow and Robbins, Annals of Mathematical Statistics 36, 1965): go on until the half-width of
Student's interval from replications 1 to n is within the target. It looks at prefixes only, from
`fewest` on and one by one, so the answer depends on the runs' numbers alone: not on the order in
which they end, on the number of threads, or on what the store has beyond n.

All factor combinations get the same n. With common random numbers they are compared replication by
replication, and an analysis of variance needs balanced data.
"""

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longfat.comparison import Results
from longfat.plan import Plan
from longfat.reference import Combination
from longfat.results import load_results
from longfat.store import Store
from longfat.study import Precision, Target


@dataclass(frozen=True)
class HalfWidth:
    """How well the mean of a metric is known for a factor combination, and how well it should be.

    Both in the unit of the metric, whose mean is `mean`.
    """

    combination: Combination
    target: Target
    mean: float
    half_width: float

    @property
    def allowed(self) -> float:
        """The largest half-width that is precise enough."""
        share = abs(self.mean) if self.target.is_relative else 1.0
        return self.target.half_width * share

    @property
    def is_reached(self) -> bool:
        """Whether the mean is known precisely enough."""
        return self.half_width <= self.allowed

    @property
    def excess(self) -> float:
        """The half-width over the largest one allowed."""
        if self.half_width == 0:
            return 0.0
        return self.half_width / self.allowed if self.allowed else math.inf


def in_effect(plan: Plan, store: Store) -> Plan:
    """The plan without the replications that its study does not need, as far as the store tells.

    Where runs are missing, up to the first n that they leave open. A plan stays as it is when its
    study asks for no precision, or the user for a number of replications.
    """
    precision = plan.study.design.precision
    if not precision.targets or plan.selection.replications is not None:
        return plan
    names = list(dict.fromkeys(target.metric for target in precision.targets))
    return plan.up_to(replications_in_effect(plan, load_results(plan, store, names)))


def replications_in_effect(plan: Plan, results: Results) -> int:
    """The first n that is enough, or that missing runs leave open; all planned if none is."""
    precision, most = plan.study.design.precision, plan.study.design.replications
    for replications in range(min(precision.fewest, most), most):
        if not _is_complete(results, replications):
            return replications
        if all(found.is_reached for found in half_widths(results, replications, precision)):
            return replications
    return most


def least_known(plan: Plan, results: Results) -> list[HalfWidth]:
    """For each target of the plan's study the mean that is farthest from it, as runs go now.

    Nothing while replications are missing.
    """
    precision = plan.study.design.precision
    replications = plan.replications
    if replications < 2 or not _is_complete(results, replications):
        return []
    found = list(half_widths(results, replications, precision))
    return [
        max(of_target, key=lambda known: known.excess)
        for target in precision.targets
        if (of_target := [known for known in found if known.target == target])
    ]


def half_widths(results: Results, replications: int, precision: Precision) -> Iterator[HalfWidth]:
    """How well each mean is known from replications 1 to `replications`, which are all there.

    Combinations that do not have a metric are passed over.
    """
    for combination, metrics in results.items():
        for target in precision.targets:
            values = [
                metrics[number][target.metric]
                for number in range(1, replications + 1)
                if target.metric in metrics[number]
            ]
            if len(values) == replications:
                mean = statistics.fmean(values)
                width = half_width(values, precision.confidence)
                yield HalfWidth(combination, target, mean, width)


def half_width(values: Sequence[float], confidence: float) -> float:
    """Half of the width of Student's interval of the mean of at least two values."""
    from longfat.analysis.intervals import Intervals

    quantile = Intervals(confidence, exact=True).quantile(len(values) - 1)
    return quantile * statistics.stdev(values) / math.sqrt(len(values))


def _is_complete(results: Results, replications: int) -> bool:
    needed = range(replications + 1)
    return all(number in metrics for metrics in results.values() for number in needed)
