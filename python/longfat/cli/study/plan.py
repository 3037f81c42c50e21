"""`longfat study plan`: the runs, their number and their cost; runs nothing."""

import csv
import sys
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from longfat.cli.options import Part, json_option, part_options, store_option, study_argument
from longfat.cli.talk import print_json, print_table

if TYPE_CHECKING:
    from longfat.scenarios.scenario import SeriesKey
    from longfat.studies.cost import Cost
    from longfat.studies.plan import Plan, PlannedRun


@click.command("plan")
@study_argument
@part_options
@click.option("--runs", "lists_runs", is_flag=True, help="Each run with its id, as run --from.")
@click.option("--csv", "as_csv", is_flag=True, help="The runs with their ids as CSV.")
@store_option
@json_option
def command(
    study: str, part: Part, lists_runs: bool, as_csv: bool, store: str, as_json: bool
) -> None:
    """Show the runs of a study, how many are stored, and the cost of the others.

    With --runs a line for each run, with the id by which `longfat run --from STORE ID` repeats it;
    a unique prefix is enough. --csv and --json have whole ids.
    """
    if as_csv and as_json:
        raise click.UsageError("--csv and --json are different ways to print: choose one")
    from longfat.report.fraction import fraction_document, fraction_lines
    from longfat.results.sequential import in_effect
    from longfat.running.campaign import missing_series
    from longfat.store import Store
    from longfat.studies.cost import CostEstimator
    from longfat.studies.definition import load_study
    from longfat.studies.fraction import fraction_of
    from longfat.studies.plan import numbers_of, plan_design

    loaded = load_study(study)
    plan = plan_design(loaded, part.of(loaded))
    with Store.readable(store) as opened:
        plan = in_effect(plan, opened)
        missing = missing_series(plan, opened)
        cost = CostEstimator(opened.mean_wall_seconds()).cost(missing)
    missing_runs = sum(len(series.numbers) for series in missing)
    counts = {
        "factor_combinations": len(plan.combinations),
        "planned_runs": plan.planned_runs,
        "distinct_runs": plan.distinct_runs,
        "stored_runs": plan.distinct_runs - missing_runs,
        "missing_runs": missing_runs,
    }
    fraction = fraction_of(plan)
    left = numbers_of(missing)
    if as_json:
        document = _document(plan, counts, cost, left)
        found = {} if fraction is None else {"fraction": fraction_document(fraction)}
        print_json({**document, **found})
    elif as_csv:
        _print_csv(plan, left)
    elif lists_runs:
        print_table(_header(plan), _run_rows(plan, left, _SHOWN))
    else:
        _print(plan, counts, cost, left)
        if fraction is not None:
            click.echo("\n".join(fraction_lines(fraction_document(fraction))))


_SHOWN = 12
"""Digits of a run's id that distinguish millions of runs; all pages show as many."""

_Left = Mapping["SeriesKey", Collection[int]]
"""Replications that are not stored."""


def _header(plan: "Plan") -> list[str]:
    return ["run_id", "stored", "replication", *_factors(plan)]


def _run_rows(plan: "Plan", left: _Left, letters: int | None = None) -> Iterator[list[str]]:
    """Yield a row for each run, with so many digits of its id, or all."""
    factors = _factors(plan)
    for run in plan.each():
        yield [
            run.scenario.run_id[:letters],
            "yes" if _is_stored(run, left) else "no",
            str(run.replication),
            *(dict(run.combination).get(name, "") for name in factors),
        ]


def _is_stored(run: "PlannedRun", left: _Left) -> bool:
    return run.replication not in left.get(run.scenario.series, ())


def _factors(plan: "Plan") -> list[str]:
    """Return the factors of any of the combinations, in the study's order."""
    had = {name for combination in plan.combinations for name, _ in combination}
    return [factor.name for factor in plan.study.factors if factor.name in had]


def _print_csv(plan: "Plan", left: _Left) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(_header(plan))
    writer.writerows(_run_rows(plan, left))


def _document(plan: "Plan", counts: Mapping[str, int], cost: "Cost", left: _Left) -> dict[str, Any]:
    runs = [
        {
            **dict(run.combination),
            "replication": run.replication,
            "run_id": run.scenario.run_id,
            "stored": _is_stored(run, left),
        }
        for run in plan.each()
    ]
    return {
        "study": plan.study.name,
        **counts,
        "estimated_core_seconds": cost.core_seconds,
        "estimated_from_stored_runs": cost.measured_runs,
        "estimated_roughly": cost.rough_runs,
        "runs": runs,
    }


def _print(plan: "Plan", counts: Mapping[str, int], cost: "Cost", left: _Left) -> None:
    from longfat.base.numbers import formatted_seconds

    factors = _factors(plan)
    rows = []
    for combination, planned in plan.series_of.items():
        levels = dict(combination)
        runs = sum(len(series.numbers) for series in planned)
        lacking = sum(
            number in left.get(series.first.series, ())
            for series in planned
            for number in series.numbers
        )
        rows.append([*(levels.get(name, "") for name in factors), f"{runs - lacking} of {runs}"])
    print_table([*factors, "stored"], rows, names=max(len(factors), 1))
    for name, count in counts.items():
        click.echo(f"{name.replace('_', ' ')}: {count}")
    click.echo(
        f"estimated cost of the missing ones: {formatted_seconds(cost.core_seconds)} of one core"
    )
    if cost.rough_runs:
        click.echo(cost.reservation)
