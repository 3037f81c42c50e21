"""Choice of the runs of a study that a report shows in detail."""

import dataclasses
import itertools

import pytest

from longfat.report.study_report.parts import chosen_runs, results_of
from longfat.results.comparison import compare
from longfat.studies.definition import StudyDefinition
from longfat.studies.plan import Selection, plan_reference
from longfat.studies.reference import Combination


def chosen(study: StudyDefinition, *metrics: str) -> dict[str, tuple[str, float]]:
    """By role, why a run of a study about these metrics is chosen, and its number.

    Replications are numbered from 1 on, and the number is what each of the metrics is.
    """
    plan = plan_reference(study, Selection())
    results: dict[Combination, dict[int, dict[str, float]]] = {
        combination: {} for combination in plan.scenarios
    }
    numbers = itertools.count(1)
    for run in plan.distinct.values():
        number = next(numbers) if run.replication else 0
        values = dict.fromkeys([*metrics, "efficiency"], float(number))
        results[run.combination][run.replication] = values
    tables = [
        compare(dataclasses.replace(study.responses[0], metric=metric), results)
        for metric in metrics
    ]
    found = chosen_runs(plan, results, tables)
    return {each.role: (each.reason, each.metrics["efficiency"]) for each in found}


def test_tables_are_drawn_with_the_runs_of_their_rows_and_no_others(study: StudyDefinition) -> None:
    results = {found: {0: {"efficiency": 0.5}} for found in study.combinations}
    rows = study.responses[0].rows[:2]
    table = compare(dataclasses.replace(study.responses[0], rows=rows), results)
    assert len(results) > len(rows)
    assert list(results_of([table], results)) == [row.combination for row in rows]


@pytest.mark.parametrize(
    ("metrics", "reason", "number"),
    [
        (["fairness"], "Lowest fairness of 10 runs", 1),
        (["cell_loss_ratio"], "Highest cell loss ratio of 10 runs", 10),
        (["queueing_delay_p95_s", "goodput_bps"], "Highest queueing delay p95 s of 10 runs", 10),
        (["timeouts", "efficiency"], "Lowest efficiency of 10 runs", 1),
        (["first_group_share", "packets_lost"], "Highest packets lost of 10 runs", 10),
        (["first_group_share"], "Lowest efficiency of 10 runs", 1),
    ],
)
def test_the_worst_run_is_the_one_with_most_of_what_is_bad_or_least_of_what_is_good(
    study: StudyDefinition, metrics: list[str], reason: str, number: int
) -> None:
    assert chosen(study, *metrics)["Worst run"] == (reason, number)


def test_the_typical_run_is_the_one_in_the_middle_in_either_direction(
    study: StudyDefinition,
) -> None:
    assert chosen(study, "fairness")["Typical run"] == ("Median fairness of 10 runs", 5)
    assert chosen(study, "timeouts")["Typical run"] == ("Median timeouts of 10 runs", 6)
