"""`longfat study plan`: the runs, their number and their cost; runs nothing."""

import csv
import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from longfat.cli.options import Part, json_option, part_options, store_option, study_argument
from longfat.cli.talk import print_json, print_table

if TYPE_CHECKING:
    from longfat.studies.cost import Cost
    from longfat.studies.plan import Plan


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
    from longfat.running.campaign import missing_runs
    from longfat.store import Store
    from longfat.studies.cost import CostEstimator
    from longfat.studies.definition import load_study
    from longfat.studies.fraction import fraction_of
    from longfat.studies.plan import plan_design

    loaded = load_study(study)
    plan = plan_design(loaded, part.of(loaded))
    with Store.readable(store) as opened:
        plan = in_effect(plan, opened)
        missing = missing_runs(plan, opened)
        cost = CostEstimator(opened.mean_wall_seconds()).cost(missing)
    counts = {
        "factor_combinations": len(plan.combinations),
        "planned_runs": plan.planned_runs,
        "distinct_runs": plan.distinct_runs,
        "stored_runs": plan.distinct_runs - len(missing),
        "missing_runs": len(missing),
    }
    missing_ids = {run.scenario.run_id for run in missing}
    fraction = fraction_of(plan)
    if as_json:
        document = _document(plan, counts, cost, missing_ids)
        found = {} if fraction is None else {"fraction": fraction_document(fraction)}
        print_json({**document, **found})
    elif as_csv:
        click.echo(_csv(plan, missing_ids), nl=False)
    elif lists_runs:
        print_table(*_run_rows(plan, missing_ids))
    else:
        _print(plan, counts, cost, missing_ids)
        if fraction is not None:
            click.echo("\n".join(fraction_lines(fraction_document(fraction))))


_SHOWN = 12
"""Digits of a run's id that distinguish millions of runs; all pages show as many."""


def _run_rows(
    plan: "Plan", missing_ids: set[str], letters: int | None = _SHOWN
) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of the runs, with so many digits of their ids, or all."""
    factors = _factors(plan)
    rows = [
        [
            run.scenario.run_id[:letters],
            "no" if run.scenario.run_id in missing_ids else "yes",
            str(run.replication),
            *(dict(run.combination).get(name, "") for name in factors),
        ]
        for run in plan.runs
    ]
    return ["run_id", "stored", "replication", *factors], rows


def _factors(plan: "Plan") -> list[str]:
    """Return the factors of any of the combinations, in the study's order."""
    had = {name for combination in plan.combinations for name, _ in combination}
    return [factor.name for factor in plan.study.factors if factor.name in had]


def _csv(plan: "Plan", missing_ids: set[str]) -> str:
    text = io.StringIO()
    header, rows = _run_rows(plan, missing_ids, letters=None)
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


def _document(
    plan: "Plan", counts: Mapping[str, int], cost: "Cost", missing_ids: set[str]
) -> dict[str, Any]:
    runs = [
        {
            **dict(run.combination),
            "replication": run.replication,
            "run_id": run.scenario.run_id,
            "stored": run.scenario.run_id not in missing_ids,
        }
        for run in plan.runs
    ]
    return {
        "study": plan.study.name,
        **counts,
        "estimated_core_seconds": cost.core_seconds,
        "estimated_from_stored_runs": cost.measured_runs,
        "estimated_roughly": cost.rough_runs,
        "runs": runs,
    }


def _print(plan: "Plan", counts: Mapping[str, int], cost: "Cost", missing_ids: set[str]) -> None:
    from longfat.base.numbers import formatted_seconds

    factors = _factors(plan)
    rows = []
    for combination, runs in plan.of_combination.items():
        levels = dict(combination)
        stored = sum(run.scenario.run_id not in missing_ids for run in runs)
        rows.append([*(levels.get(name, "") for name in factors), f"{stored} of {len(runs)}"])
    print_table([*factors, "stored"], rows, names=max(len(factors), 1))
    for name, count in counts.items():
        click.echo(f"{name.replace('_', ' ')}: {count}")
    click.echo(
        f"estimated cost of the missing ones: {formatted_seconds(cost.core_seconds)} of one core"
    )
    if cost.rough_runs:
        click.echo(cost.reservation)
