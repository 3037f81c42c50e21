"""Cautions about the validity of means and their intervals, as sentences.

Student's intervals assume replications of one distribution without outliers, of runs long enough
that the initial transient does not matter.
"""

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import NormalDist

from longfat._engine import student_quantile
from longfat.analysis.run_length import FEWEST_CYCLES, LONGEST_START, Path, path_of
from longfat.analysis.undelivered import undelivered
from longfat.results.caution import Caution
from longfat.results.comparison import Results, TableComparison
from longfat.studies.plan import Plan
from longfat.studies.reference import Combination

SIGNIFICANCE = 0.01
"""Significance of the outlier test, over all series of a study together (Bonferroni)."""

FEWEST_FOR_OUTLIERS = 5


Paths = Mapping[Combination, Path | None]
"""Time constants by factor combination; None where they are not known."""


def cautions(
    plan: Plan, results: Results, metrics: Sequence[str], paths: Paths | None = None
) -> list[Caution]:
    """Return the cautions about these metrics of a plan, given the results so far.

    `paths` are those of the plan, which take long to compute for many factor combinations.
    """
    return [
        *_missing_runs(plan, results),
        *_missing_metrics(results, metrics),
        *without_chance(results),
        *_undelivered(results, metrics),
        *_outliers(results, metrics),
        *lengths(paths_of(plan) if paths is None else paths),
    ]


def with_cautions(
    plan: Plan, results: Results, tables: Iterable[TableComparison], paths: Paths | None = None
) -> list[TableComparison]:
    """Return the tables with the cautions about each, of the runs that it is made from."""
    known = paths_of(plan) if paths is None else paths
    found = []
    for table in tables:
        own = dict.fromkeys(member for entry in table.entries for member in entry.members)
        of_table = {combination: results[combination] for combination in own}
        about = cautions(
            plan.of(own),
            of_table,
            [table.response.metric],
            {combination: known[combination] for combination in own},
        )
        found.append(dataclasses.replace(table, cautions=about))
    return found


def paths_of(plan: Plan) -> Paths:
    """Return the time constants of each factor combination."""
    return {
        combination: path_of(scenario.settings) for combination, scenario in plan.scenarios.items()
    }


def without_chance(results: Results) -> list[Caution]:
    """Return the caution that all replications are equal, if that is so; otherwise []."""
    drawn = ([runs[number] for number in runs if number > 0] for runs in results.values())
    repeated = [runs for runs in drawn if len(runs) > 1 and runs[0]]
    if not repeated or any(run != runs[0] for runs in repeated for run in runs):
        return []
    what = "all replications are the same: nothing in the scenario is left to chance"
    said = f"{what}, and an interval from them says nothing"
    return [Caution("no chance", said, None, frozenset(results))]


def _missing_runs(plan: Plan, results: Results) -> Iterator[Caution]:
    known = {combination: results.get(combination, {}) for combination in plan.series_of}
    missing = plan.lacking(known)
    if missing and missing < plan.planned_runs:
        incomplete = plan.incomplete(known)
        yield Caution(
            "missing runs",
            f"missing runs: {missing} of {plan.planned_runs}, of {len(incomplete)} of {len(known)} "
            "factor combinations, have no result: their means are over fewer replications",
            None,
            frozenset(incomplete),
        )


def _missing_metrics(results: Results, metrics: Iterable[str]) -> Iterator[Caution]:
    for metric in metrics:
        lacking = [
            combination
            for combination, runs in results.items()
            if any(metric not in run for run in runs.values())
        ]
        if lacking:
            yield Caution(
                "missing metric",
                f"runs of {len(lacking)} of {len(results)} settings have no {metric}",
                metric,
                frozenset(lacking),
            )


def _undelivered(results: Results, metrics: Iterable[str]) -> Iterator[Caution]:
    for lack in undelivered(results, metrics):
        yield Caution("undelivered", str(lack), lack.time, frozenset(lack.which))


def outlier(values: Sequence[float], significance: float) -> int | None:
    """Return the index of the outlier by Grubbs' two-sided test; None if there is none.

    F. E. Grubbs: Procedures for detecting outlying observations in samples. Technometrics 11
    (1969), p. 1.
    """
    count = len(values)
    if count < FEWEST_FOR_OUTLIERS:
        return None
    mean = math.fsum(values) / count
    spread = math.dist(values, [mean] * count) / math.sqrt(count - 1)
    if spread <= 1e-9 * abs(mean):
        return None
    farthest = max(min(values), max(values), key=lambda value: abs(value - mean))
    deviation = abs(farthest - mean) / spread
    is_far = deviation > _least_limit(count, significance) and deviation > outlier_limit(
        count, significance
    )
    return values.index(farthest) if is_far else None


def outlier_limit(count: int, significance: float) -> float:
    """Return the critical value of Grubbs' two-sided test, in standard deviations."""
    return _limit(count, student_quantile(count - 2, 1 - significance / (2 * count)))


def _least_limit(count: int, significance: float) -> float:
    """Return a lower bound of `outlier_limit`, from the normal quantile.

    Most values are within it, so that scipy need not be loaded for them.
    """
    return _limit(count, -NormalDist().inv_cdf(significance / (2 * count)))


def _limit(count: int, quantile: float) -> float:
    return (count - 1) / math.sqrt(count) * math.sqrt(quantile**2 / (count - 2 + quantile**2))


def _outliers(results: Results, metrics: Sequence[str]) -> Iterator[Caution]:
    series = {
        (combination, metric): {
            number: found[number][metric]
            for number in sorted(found)
            if number > 0 and metric in found[number]
        }
        for combination, found in results.items()
        for metric in metrics
    }
    tested = {key: values for key, values in series.items() if len(values) >= FEWEST_FOR_OUTLIERS}
    for (combination, metric), values in tested.items():
        index = outlier(list(values.values()), SIGNIFICANCE / len(tested))
        if index is not None:
            number = list(values)[index]
            said = (
                f"heavy tail: {metric} of {_named(combination)} is {values[number]:.4g} in "
                f"replication {number}, far from all others: there are rare runs of another "
                "kind, and an interval from few replications does not know how rare"
            )
            yield Caution("heavy tail", said, metric, frozenset([combination]))


def lengths(paths: Paths) -> Iterator[Caution]:
    """Yield cautions about the lengths of runs, each with the factor combinations affected.

    Each begins with the name of the problem and a colon.
    """
    known = {combination: path for combination, path in paths.items() if path}
    short = {name: path for name, path in known.items() if path.cycles < FEWEST_CYCLES}
    if short:
        worst = min(short.values(), key=lambda path: path.cycles)
        said = (
            f"short runs: in {len(short)} of {len(paths)} factor combinations a window that a loss "
            f"has reduced can grow back less than {FEWEST_CYCLES} times within a run (at worst "
            f"{worst.cycles:.2g} times: it takes {worst.regrowth_s:.3g} s of "
            f"{worst.measured_s:g} s): single losses decide the results"
        )
        yield Caution("short runs", said, None, frozenset(short))
    slow = {name: path for name, path in known.items() if path.start > LONGEST_START}
    if slow:
        worst = max(slow.values(), key=lambda path: path.start)
        said = (
            f"warm-up: in {len(slow)} of {len(paths)} factor combinations slow start alone takes "
            f"more than {LONGEST_START:.0%} of what is measured of a run (at worst "
            f"{worst.slow_start_s:.3g} s of {worst.duration_s:g} s, measured from "
            f"{worst.measured_from_s:g} s on): the results are those of transfers of this length, "
            "not of a steady state; measure.from leaves out the beginning"
        )
        yield Caution("warm-up", said, None, frozenset(slow))


def _named(combination: Combination) -> str:
    return ", ".join(f"{factor} {level}" for factor, level in combination)
