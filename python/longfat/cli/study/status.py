"""`longfat study status`: the progress of a study, and the precision of its means."""

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from longfat.base.location import shown
from longfat.cli.options import (
    Part,
    json_option,
    opened_store,
    part_options,
    say_if_new,
    store_option,
    study_argument,
    study_command,
)
from longfat.cli.talk import print_json, say

if TYPE_CHECKING:
    from longfat.results.sequential import HalfWidth


@click.command("status")
@study_argument
@part_options
@store_option
@json_option
def command(study: str, part: Part, store: str, as_json: bool) -> None:
    """Count the runs of a study that are done, running, failed and missing.

    If the study asks for a precision, also the widest intervals of its means; and cautions about
    results that are less certain than they look: heavy tails, short runs, warm-up.
    """
    from longfat.analysis.cautions import cautions
    from longfat.cli.study.precision import open_number, precision_lines
    from longfat.results.sequential import limited, needed
    from longfat.results.stored import count_runs, load_results
    from longfat.studies.definition import load_study
    from longfat.studies.plan import plan_design

    loaded = load_study(study)
    plan = plan_design(loaded, part.of(loaded))
    metrics = list(dict.fromkeys(response.metric for response in loaded.responses))
    with opened_store(store) as opened:
        found = needed(plan, opened)
        plan = limited(plan, found)
        results = load_results(plan, opened, metrics)
        counts = count_runs(plan, opened)
        failures = opened.failures(list(plan.distinct)) if counts["failed"] else {}
        other_models = opened.other_models(plan.hashes)
    say_if_new(opened)
    warnings = [str(caution) for caution in cautions(plan, results, metrics)]
    if as_json:
        document = {
            "study": loaded.name,
            "store": shown(store),
            **counts,
            "failures": failures,
            "runs_of_other_models": other_models,
            "precision": [_document(width) for width in found.least_known] if found else [],
            "cautions": warnings,
        }
        print_json(document)
        return
    click.echo(", ".join(f"{count} {name}" for name, count in counts.items()))
    for message, count in Counter(failures.values()).most_common():
        click.echo(f"{count} failed: {message}")
    for engine, count in sorted(other_models.items()):
        click.echo(f"{count} more by engine {engine}: not counted above, and never mixed in")
    for line in [*(precision_lines(loaded, found) if found else ()), *warnings]:
        click.echo(line)
    if counts["missing"] or counts["failed"]:
        say(f"to run what is missing:\n  {study_command('run', study, part, store)}")
    elif found is not None and found.is_open:
        say(open_number(loaded, study, store))


def _document(width: "HalfWidth") -> dict[str, Any]:
    return {
        "metric": width.target.metric,
        "half_width": width.half_width,
        "allowed": width.allowed,
        "is_reached": width.is_reached,
        "combination": dict(width.combination),
    }
