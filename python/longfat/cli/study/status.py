"""`longfat study status`: how much of a study is done, running, failed, missing."""

from collections import Counter

import click

from longfat.cli.options import (
    Part,
    json_option,
    part_options,
    store_option,
    study_argument,
    study_command,
)
from longfat.cli.talk import print_json, say


@click.command("status")
@study_argument
@part_options
@store_option
@json_option
def command(study: str, part: Part, store: str, as_json: bool) -> None:
    """Count the runs of a study that are done, running, failed and missing."""
    from longfat.plan import plan_design
    from longfat.store import Store
    from longfat.study import load_study

    loaded = load_study(study)
    plan = plan_design(loaded, part.of(loaded))
    run_ids = list(plan.distinct)
    with Store.readable(store) as opened:
        statuses = opened.statuses(run_ids)
        failures = opened.failures(run_ids)
        running = opened.running() & (plan.distinct.keys() - statuses.keys())
    ended = Counter(statuses.values())
    counts = {
        "runs": len(run_ids),
        "done": ended["done"],
        "running": len(running),
        "failed": ended["failed"],
        "missing": len(run_ids) - len(statuses) - len(running),
    }
    if as_json:
        document = {"study": loaded.name, "store": store, **counts, "failures": failures}
        print_json(document)
        return
    click.echo(", ".join(f"{count} {name}" for name, count in counts.items()))
    for message, count in Counter(failures.values()).most_common():
        click.echo(f"{count} failed: {message}")
    if counts["missing"] or counts["failed"]:
        say(f"to run what is missing:\n  {study_command('run', study, part, store)}")
