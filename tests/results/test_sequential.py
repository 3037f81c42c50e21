import dataclasses
import math
import random
import statistics
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import special, stats

from longfat.cli.study.precision import precision_lines
from longfat.results.sequential import half_widths, needed_by, replications_in_effect
from longfat.statistics.intervals import half_width
from longfat.studies.definition import StudyDefinition
from longfat.studies.design import Precision, Target
from longfat.studies.plan import Plan, Selection, plan_design

ABSOLUTE = Target("efficiency", 0.05, is_relative=False)
RELATIVE = Target("efficiency", 0.10, is_relative=True)

EXPERIMENTS = 200_000


def plan_for(study: StudyDefinition, precision: Precision, most: int) -> Plan:
    design = dataclasses.replace(study.design, precision=precision, replications=most)
    return plan_design(dataclasses.replace(study, design=design), Selection())


def results(plan: Plan, values: Sequence[float | None]) -> dict:  # type: ignore[type-arg]
    """Equal values for each combination: those of replications 0, 1, 2, ...; None is missing."""
    stored = {
        number: {"efficiency": value} for number, value in enumerate(values) if value is not None
    }
    return {combination: dict(stored) for combination in plan.of_combination}


def test_the_half_width_is_that_of_students_interval() -> None:
    values = [0.31, 0.47, 0.29, 0.35, 0.60]
    low, high = stats.t.interval(0.95, 4, loc=statistics.fmean(values), scale=stats.sem(values))
    assert half_width(values, 0.95) == pytest.approx((high - low) / 2)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.5] * 10, 5),
        ([0.5, 0.45, 0.55, 0.45, 0.55, 0.45, 0.5, 0.9, 0.9, 0.9], 6),
        ([0.5, 0.1, 0.9, 0.1, 0.9, 0.1, 0.9, 0.1, 0.9, 0.1], 9),
        ([0.5, 0.4, 0.6, *[None] * 7], 5),
    ],
    ids=["the fewest", "in between", "as many as there may be", "missing runs leave it open"],
)
def test_a_study_stops_at_the_first_prefix_that_is_precise_enough(
    study: StudyDefinition, values: list[float | None], expected: int
) -> None:
    plan = plan_for(study, Precision([ABSOLUTE], fewest=5), most=9)
    assert replications_in_effect(plan.study.design, results(plan, values)) == expected


def test_the_rule_is_the_definition(study: StudyDefinition) -> None:
    """Against a search by hand, for twenty random series."""
    chance = random.Random(3)
    for _ in range(20):
        values = [chance.gauss(0.6, 0.05) for _ in range(31)]
        plan = plan_for(study, Precision([ABSOLUTE], confidence=0.95, fewest=6), most=30)
        by_hand = next((n for n in range(6, 30) if half_width(values[1 : n + 1], 0.95) <= 0.05), 30)
        assert replications_in_effect(plan.study.design, results(plan, values)) == by_hand


def test_what_lies_beyond_the_prefix_does_not_matter(study: StudyDefinition) -> None:
    plan = plan_for(study, Precision([ABSOLUTE], fewest=5), most=20)
    quiet = [0.5, 0.50, 0.51, 0.49, 0.50, 0.51]
    wild = [0.0, 1.0] * 7
    stopped = replications_in_effect(plan.study.design, results(plan, [*quiet, *([None] * 15)]))
    assert (
        stopped
        == replications_in_effect(plan.study.design, results(plan, [*quiet, *wild, 0.5]))
        == 5
    )


def test_a_gap_leaves_the_answer_open_at_the_gap(study: StudyDefinition) -> None:
    plan = plan_for(study, Precision([ABSOLUTE], fewest=5), most=9)
    values = [0.5, 0.4, 0.6, 0.4, 0.6, 0.4, None, 0.5, 0.5, 0.5]
    assert replications_in_effect(plan.study.design, results(plan, values)) == 6


def test_the_least_known_combination_decides_for_all(study: StudyDefinition) -> None:
    plan = plan_for(study, Precision([ABSOLUTE], fewest=5), most=9)
    found = results(plan, [0.5] * 10)
    assert replications_in_effect(plan.study.design, found) == 5
    loud = next(iter(found))
    found[loud] = {number: {"efficiency": float(number % 2)} for number in range(10)}
    assert replications_in_effect(plan.study.design, found) == 9


def test_a_relative_half_width_is_a_share_of_the_mean(study: StudyDefinition) -> None:
    plan = plan_for(study, Precision([RELATIVE], fewest=5), most=9)
    values = [0.5, 0.48, 0.52, 0.49, 0.51, 0.5]
    known = next(half_widths(results(plan, values), 5, Precision([RELATIVE], fewest=5)))
    assert known.allowed == pytest.approx(0.05)
    assert known.is_reached
    tenth = [value / 10 for value in values]
    assert next(half_widths(results(plan, tenth), 5, Precision([RELATIVE], fewest=5))).is_reached
    assert known.excess == pytest.approx(known.half_width / 0.05)


def test_a_metric_that_a_combination_does_not_have_is_passed_over(study: StudyDefinition) -> None:
    plan = plan_for(study, Precision([ABSOLUTE], fewest=5), most=9)
    found = results(plan, [0.5] * 10)
    found[next(iter(found))] = {number: {"fairness": float(number % 2)} for number in range(10)}
    assert needed_by(plan.study.design, found).are_enough


def test_a_metric_that_no_combination_has_is_never_known(study: StudyDefinition) -> None:
    fairness = Target("fairness", 0.01, is_relative=False)
    plan = plan_for(study, Precision([ABSOLUTE, fairness], fewest=5), most=9)
    needed = needed_by(plan.study.design, results(plan, [0.5] * 10))
    assert (needed.replications, needed.never_known, needed.is_open) == (5, ["fairness"], False)
    assert not needed.are_enough
    assert list(precision_lines(plan.study, needed))[-1] == (
        "fairness: no factor combination has it in every replication: it is never known"
    )


def test_a_run_without_chance_decides_nothing(study: StudyDefinition) -> None:
    plan = plan_for(study, Precision([ABSOLUTE], fewest=5), most=9)
    assert needed_by(plan.study.design, results(plan, [None, *[0.5] * 5])).are_enough


def test_of_relative_targets_the_largest_share_of_a_mean_is_reported(
    study: StudyDefinition,
) -> None:
    """The mean of 0.1 is known to less than that of 0.9, and yet less well."""
    plan = plan_for(study, Precision([RELATIVE], fewest=5), most=5)
    found = results(plan, [0.5, 0.85, 0.95, 0.85, 0.95, 0.9])
    small = list(found)[2]
    found[small] = results(plan, [0.1, 0.08, 0.12, 0.08, 0.12, 0.1])[small]
    needed = needed_by(plan.study.design, found)
    (least,) = needed.least_known
    widths = {width.half_width for width in half_widths(found, 5, plan.study.design.precision)}
    assert least.combination == small
    assert least.half_width < max(widths)
    _, told = precision_lines(plan.study, needed)
    assert told.startswith("efficiency: known to 19.1 % of the mean or better, wanted 10 % (90% ")


def test_without_a_target_all_replications_are_in_effect(study: StudyDefinition) -> None:
    plan = plan_for(study, Precision(), most=3)
    assert max(run.replication for run in plan.runs) == 3
    assert max(run.replication for run in plan.up_to(1).runs) == 1
    assert len(plan.up_to(1).distinct) < len(plan.distinct)


def coverage(spread: float, fewest: int) -> tuple[float, float]:
    """The mean number of replications, and how often the interval at the end covers the true mean.

    The target is a half-width of 0.05 at 90 percent. The mean of normal values is independent of
    the deviations from it, which alone decide when to stop: how often an interval covers follows
    from its width, and nothing but deviations need be drawn. All experiments go on side by side.
    """
    chance = np.random.default_rng(17)
    n, squares = fewest, spread**2 * chance.chisquare(fewest - 1, EXPERIMENTS)
    replications = covered = 0.0
    while squares.size:
        quantile = half_width([0.0] * (n - 1) + [1.0], 0.9) * n
        widths = quantile * np.sqrt(squares / (n - 1) / n)
        enough = widths <= 0.05
        replications += n * np.count_nonzero(enough)
        covered += special.erf(widths[enough] / (spread * math.sqrt(2 / n))).sum()
        n, squares = n + 1, squares[~enough]
        squares += spread**2 * chance.chisquare(1, squares.size)
    return replications / EXPERIMENTS, covered / EXPERIMENTS


@pytest.mark.parametrize(
    ("fewest", "spread", "replications", "worst"), [(10, 0.141, 22, 0.878), (5, 0.116, 15, 0.858)]
)
def test_the_worst_shortfall_is_what_the_page_says(
    fewest: int, spread: float, replications: int, worst: float
) -> None:
    found = [coverage(share * spread, fewest) for share in (0.7, 0.85, 1.0, 1.2, 1.5)]
    needed, covered = min(found, key=lambda pair: pair[1])
    assert needed == pytest.approx(replications, abs=0.5)
    assert covered == pytest.approx(worst, abs=0.001)  # the error of sampling is 0.0002
