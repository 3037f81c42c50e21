"""`longfat study plan`: the runs, their number and their cost; runs nothing."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from longfat.cli.options import Part, json_option, part_options, store_option, study_argument
from longfat.cli.talk import print_json, print_table

if TYPE_CHECKING:
    from longfat.cost import Cost
    from longfat.plan import Plan


@click.command("plan")
@study_argument
@part_options
@store_option
@json_option
def command(study: str, part: Part, store: str, as_json: bool) -> None:
    """Show the runs of a study, how many are stored, and what the others will cost."""
    from longfat.campaign import missing_runs
    from longfat.cost import CostEstimator
    from longfat.fraction import fraction_of
    from longfat.plan import plan_design
    from longfat.report.fraction import fraction_document, fraction_lines
    from longfat.sequential import in_effect
    from longfat.store import Store
    from longfat.study import load_study

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
    else:
        _print(plan, counts, cost, missing_ids)
        if fraction is not None:
            click.echo("\n".join(fraction_lines(fraction_document(fraction))))


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
    from longfat.report.numbers import formatted_seconds

    factors = [factor.name for factor in plan.study.factors]
    rows = []
    for combination, runs in plan.of_combination.items():
        levels = dict(combination)
        stored = sum(run.scenario.run_id not in missing_ids for run in runs)
        rows.append([*(levels.get(name, "") for name in factors), f"{stored} of {len(runs)}"])
    print_table([*factors, "stored"], rows)
    for name, count in counts.items():
        click.echo(f"{name.replace('_', ' ')}: {count}")
    click.echo(
        f"estimated cost of the missing ones: {formatted_seconds(cost.core_seconds)} of one core"
    )
    if cost.rough_runs:
        click.echo(cost.reservation)
