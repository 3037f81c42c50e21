"""Sequential stopping rule: the smallest number of replications that meets a study's precision.

The rule is the fixed-width sequential procedure (Law: Simulation Modeling and Analysis, section
9.4.1; Chow and Robbins, Annals of Mathematical Statistics 36, 1965): add replications until the
half-width of Student's interval from replications 1 to n is within the target. It examines
prefixes only, one by one from `fewest` on, so the result does not depend on the order in which
runs end, on the number of threads, or on replications beyond n in the store.

All factor combinations get the same n, determined by the whole design, whatever part of a study
is run or reported. With common random numbers they are compared replication by replication, and an
analysis of variance needs balanced data.
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
    """Half-width of the interval of a metric's mean for a factor combination, and its target.

    `mean` and `half_width` are in the unit of the metric.
    """

    combination: Combination
    target: Target
    mean: float
    half_width: float

    @property
    def allowed(self) -> float:
        """Largest half-width that meets the target, in the unit of the metric."""
        share = abs(self.mean) if self.target.is_relative else 1.0
        return self.target.half_width * share

    @property
    def share(self) -> float:
        """Relative half-width: the half-width over the absolute value of the mean."""
        if self.half_width == 0:
            return 0.0
        return self.half_width / abs(self.mean) if self.mean else math.inf

    @property
    def is_reached(self) -> bool:
        """Whether the half-width meets the target."""
        return self.half_width <= self.allowed

    @property
    def excess(self) -> float:
        """Ratio of the half-width to the largest one allowed; above 1 the target is missed."""
        if self.half_width == 0:
            return 0.0
        return self.half_width / self.allowed if self.allowed else math.inf


@dataclass(frozen=True)
class Needed:
    """Number of replications that a study needs, according to its completed runs.

    `is_open` is true while missing runs leave the number undecided. `least_known` has for each
    target the mean with the largest `excess`; it is empty while `is_open`. `never_known` lists the
    metrics of targets that no factor combination has in all of these replications.
    """

    replications: int
    is_open: bool
    least_known: Sequence[HalfWidth] = ()
    never_known: Sequence[str] = ()

    @property
    def are_enough(self) -> bool:
        """Whether all targets are met."""
        is_known = not self.is_open and not self.never_known
        return is_known and all(known.is_reached for known in self.least_known)


def in_effect(plan: Plan, store: Store) -> Plan:
    """Return the plan without the replications that its study does not need, given the store.

    Raises `LongfatError` if no run is left.
    """
    return limited(plan, needed(plan, store))


def limited(plan: Plan, found: Needed | None) -> Plan:
    """Return the plan without the replications beyond those needed. Raises as `in_effect`."""
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
    """Return the number of replications that the study of a plan needs.

    The whole design determines it, even if the plan is a part of it. If runs are missing, it is the
    first number that they leave undecided. None if the study sets no precision, or the user a
    number of replications.
    """
    precision = plan.study.design.precision
    if not precision.targets or plan.selection.replications is not None:
        return None
    names = list(dict.fromkeys(target.metric for target in precision.targets))
    results = load_results(plan.whole_design, store, names)
    return needed_by(plan.study.design, results)


def needed_by(design: Design, results: Results) -> Needed:
    """Return the number of replications that a design needs, given the results of its runs."""
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
    """Return the first n that meets all targets or has missing runs; otherwise all planned."""
    precision, most = design.precision, design.replications
    for replications in range(min(precision.fewest, most), most):
        if not _is_complete(results, replications):
            return replications
        if all(found.is_reached for found in half_widths(results, replications, precision)):
            return replications
    return most


def half_widths(results: Results, replications: int, precision: Precision) -> Iterator[HalfWidth]:
    """Yield the half-width of each mean over replications 1 to `replications`.

    All of these replications must be in `results`; combinations without a metric are skipped.
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
