"""How many replications a study needs: the first n at which its means are known precisely enough.

The rule is the fixed-width sequential procedure (Law: Simulation Modeling and Analysis, section
9.4.1; Chow and Robbins, Annals of Mathematical Statistics 36, 1965): go on until the half-width of
Student's interval from replications 1 to n is within the target. It looks at prefixes only, from
`fewest` on and one by one, so the answer depends on the runs' numbers alone: not on the order in
which they end, on the number of threads, or on what the store has beyond n.

All factor combinations get the same n, which those of the design decide, whatever part of a study
somebody runs or looks at. With common random numbers they are compared replication by replication,
and an analysis of variance needs balanced data.
"""

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longfat.base.errors import LongfatError
from longfat.results.comparison import Results
from longfat.results.stored import load_results
from longfat.statistics.intervals import half_width
from longfat.store import Store
from longfat.studies.design import Design, Precision, Target
from longfat.studies.plan import Plan
from longfat.studies.reference import Combination


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
    def share(self) -> float:
        """The half-width over the mean."""
        if self.half_width == 0:
            return 0.0
        return self.half_width / abs(self.mean) if self.mean else math.inf

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


@dataclass(frozen=True)
class Needed:
    """How many replications a study needs, as far as its runs tell.

    `least_known` has for each target the mean of the design that is farthest from it; nothing while
    runs that are missing leave the number `is_open`. `never_known` are metrics of targets that no
    factor combination has in all of these replications.
    """

    replications: int
    is_open: bool
    least_known: Sequence[HalfWidth] = ()
    never_known: Sequence[str] = ()

    @property
    def are_enough(self) -> bool:
        """Whether all means are known precisely enough."""
        is_known = not self.is_open and not self.never_known
        return is_known and all(known.is_reached for known in self.least_known)


def in_effect(plan: Plan, store: Store) -> Plan:
    """The plan without the replications that its study does not need, as far as the store tells.

    Raises `LongfatError` where that leaves nothing.
    """
    return limited(plan, needed(plan, store))


def limited(plan: Plan, found: Needed | None) -> Plan:
    """The plan without the replications beyond those needed. Raises as `in_effect`."""
    if found is None:
        return plan
    chosen = plan.up_to(found.replications)
    if not chosen.series:
        so_far = "" if found.are_enough else " so far"
        raise LongfatError(
            f"no run of {plan.study.name} meets {' and '.join(plan.selection.where)}: "
            f"its precision asks for {found.replications} replications{so_far}; "
            "--replications N takes N"
        )
    return chosen


def needed(plan: Plan, store: Store) -> Needed | None:
    """How many replications the study of a plan needs, whatever part of it the plan is.

    All of the design decides, and every part has as many. Where runs are missing, the first number
    that they leave open. None when the study asks for no precision, or the user for a number of
    replications.
    """
    precision = plan.study.design.precision
    if not precision.targets or plan.selection.replications is not None:
        return None
    names = list(dict.fromkeys(target.metric for target in precision.targets))
    results = load_results(plan.whole_design, store, names)
    return needed_by(plan.study.design, results)


def needed_by(design: Design, results: Results) -> Needed:
    """How many replications a design needs by the results of its runs."""
    precision, replications = design.precision, replications_in_effect(design, results)
    if not _is_complete(results, replications):
        return Needed(replications, is_open=True)
    found = list(half_widths(results, replications, precision))
    of_targets = {
        target: [known for known in found if known.target == target] for target in precision.targets
    }
    return Needed(
        replications,
        is_open=False,
        least_known=[
            max(known, key=lambda one: one.excess) for known in of_targets.values() if known
        ],
        never_known=[target.metric for target, known in of_targets.items() if not known],
    )


def replications_in_effect(design: Design, results: Results) -> int:
    """The first n that is enough, or that missing runs leave open; all planned if none is."""
    precision, most = design.precision, design.replications
    for replications in range(min(precision.fewest, most), most):
        if not _is_complete(results, replications):
            return replications
        if all(found.is_reached for found in half_widths(results, replications, precision)):
            return replications
    return most


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


def _is_complete(results: Results, replications: int) -> bool:
    numbers = range(1, replications + 1)
    return all(number in metrics for metrics in results.values() for number in numbers)
