"""`longfat study run`: whatever is missing runs, on all cores, safe to stop and to repeat."""

from collections import Counter
from typing import TYPE_CHECKING

import click

from longfat.cli.options import (
    Part,
    default_jobs,
    jobs_option,
    json_option,
    part_options,
    store_option,
    study_argument,
    study_command,
)
from longfat.cli.talk import command_line, print_json, say
from longfat.errors import LongfatError, RunFailed

if TYPE_CHECKING:
    from longfat.execution import Progress
    from longfat.plan import PlannedRun
    from longfat.store import Store


@click.command("run")
@study_argument
@part_options
@jobs_option
@store_option
@json_option
def command(study: str, part: Part, jobs: int | None, store: str, as_json: bool) -> None:
    """Run what the store does not have yet; stop it and start it again as you like.

    Exit code 1 when some runs failed (the others are kept).
    """
    from longfat.campaign import missing_runs
    from longfat.plan import plan_design
    from longfat.store import Store
    from longfat.study import load_study

    loaded = load_study(study)
    plan = plan_design(loaded, part.of(loaded))
    with Store.writable(store) as opened:
        missing = missing_runs(plan, opened)
        already = len(plan.distinct) - len(missing)
        say(f"{loaded.name}: {len(plan.distinct)} runs, {already} stored, {len(missing)} to run")
        progress = _run(missing, opened, jobs or default_jobs())
        failures = opened.failures(list(plan.distinct)) if progress.failed else {}
    if as_json:
        document = {
            "study": loaded.name,
            "store": store,
            "distinct_runs": len(plan.distinct),
            "stored_before": already,
            "finished": progress.finished - progress.failed,
            "failed": progress.failed,
        }
        print_json(document)
    if failures:
        raise RunFailed(_told(failures))
    next_step = study_command("compare", study, part, store)
    say(f"all {len(plan.distinct)} runs are in {store}; next:\n  {next_step}")


def _run(missing: "list[PlannedRun]", store: "Store", jobs: int) -> "Progress":
    from longfat.campaign import run_campaign
    from longfat.cli.progress import shown_progress

    try:
        with shown_progress() as show:
            return run_campaign(missing, store, jobs, show)
    except LongfatError:
        say(f"what finished is kept in {store.path}; to go on:\n  {command_line()}")
        raise


def _told(failures: dict[str, str]) -> str:
    counts = Counter(failures.values())
    lines = [f"{count} failed: {message}" for message, count in counts.most_common()]
    return "\n".join([*lines, "all other runs are kept"])
