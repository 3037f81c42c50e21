"""`longfat study verify`: repeat a sample of the stored runs and compare."""

from typing import TYPE_CHECKING, Any

import click

from longfat.base.errors import CheckFailed, LongfatError
from longfat.base.location import shown
from longfat.cli.options import (
    Part,
    jobs_option,
    json_option,
    opened_store,
    part_options,
    store_option,
    study_argument,
    study_command,
)
from longfat.cli.talk import print_json, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from longfat.running.repeat import Repetition
    from longfat.store import Store
    from longfat.studies.plan import Plan


@click.command("verify")
@study_argument
@part_options
@click.option(
    "--sample",
    "size",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="How many of the stored runs to repeat.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    metavar="N",
    help="Seed of the sample.",
)
@jobs_option
@store_option
@json_option
def command(
    study: str,
    part: Part,
    size: int,
    seed: int,
    jobs: int | None,
    store: str,
    as_json: bool,
) -> None:
    """Simulate a sample of the stored runs again: fingerprints and metrics must be the same.

    Exit code 3 if one differs.
    """
    from longfat import _engine
    from longfat.cli.progress import shown_progress
    from longfat.running.execution import usable_cores
    from longfat.running.repeat import repeat, sample
    from longfat.studies.definition import load_study
    from longfat.studies.plan import plan_design

    loaded = load_study(study)
    plan = plan_design(loaded, part.of(loaded))
    with opened_store(store) as opened:
        done = _done(plan, opened)
        if not done:
            advice = study_command("run", study, part, store)
            raise LongfatError(
                f"{shown(store)} has no run of {loaded.name} by model {_engine.MODEL} to "
                f"verify; to run some:\n  {advice}"
            )
        chosen = opened.stored_runs(sample(done, size, seed))
    with shown_progress() as show:
        repetitions = repeat(chosen, jobs or usable_cores(), show)
    different = [repetition for repetition in repetitions if repetition.differences]
    if as_json:
        counts = {"stored_runs": len(done), "repeated": len(repetitions), "seed": seed}
        described = [_described(plan, repetition) for repetition in repetitions]
        names = {"study": loaded.name, "store": shown(store), "engine": _engine.ENGINE_VERSION}
        print_json({**names, **counts, "different": len(different), "runs": described})
    else:
        click.echo(
            f"{len(repetitions)} of {len(done)} stored runs repeated with engine "
            f"{_engine.ENGINE_VERSION}: {len(repetitions) - len(different)} the same, "
            f"{len(different)} different"
        )
    if different:
        raise CheckFailed(_differences(plan, different))
    if len(repetitions) < len(done):
        say("another sample: --seed; more: --sample")


def _done(plan: "Plan", store: "Store") -> list[str]:
    from longfat.store.schema import DONE

    statuses = plan.by_combination(store.statuses(plan.hashes))
    return [
        run_id
        for run_id, run in plan.distinct.items()
        if statuses[run.combination].get(run.replication) == DONE
    ]


def _described(plan: "Plan", repetition: "Repetition") -> dict[str, Any]:
    run = plan.distinct[repetition.stored.run_id]
    return {
        "run_id": repetition.stored.run_id,
        **dict(run.combination),
        "replication": run.replication,
        "fingerprint": repetition.stored.fingerprint,
        "differences": repetition.differences,
    }


def _differences(plan: "Plan", different: "Sequence[Repetition]") -> str:
    lines = []
    for repetition in different:
        run = plan.distinct[repetition.stored.run_id]
        levels = ", ".join(f"{name} {level}" for name, level in run.combination)
        lines.append(f"run {repetition.stored.run_id} ({levels}, replication {run.replication}):")
        lines += [f"  {difference}" for difference in repetition.differences]
    return "\n".join(lines)
