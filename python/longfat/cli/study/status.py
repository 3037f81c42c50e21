"""`longfat study status`: how much of a study is done, and how surely its means are known."""

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

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
from longfat.location import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from longfat.plan import Plan
    from longfat.sequential import HalfWidth


@click.command("status")
@study_argument
@part_options
@store_option
@json_option
def command(study: str, part: Part, store: str, as_json: bool) -> None:
    """Count the runs of a study that are done, running, failed and missing.

    Where the study asks for a precision, how well its least known means are known; and cautions
    about what makes results less sure than they look: heavy tails, short runs, warm-up.
    """
    from longfat.analysis.cautions import cautions
    from longfat.plan import plan_design
    from longfat.results import count_runs, load_results
    from longfat.sequential import in_effect, least_known
    from longfat.study import load_study

    loaded = load_study(study)
    plan = plan_design(loaded, part.of(loaded))
    metrics = list(dict.fromkeys(response.metric for response in loaded.responses))
    targets = [target.metric for target in loaded.design.precision.targets]
    with opened_store(store) as opened:
        plan = in_effect(plan, opened)
        results = load_results(plan, opened, [*metrics, *targets])
        counts = count_runs(plan, opened)
        failures = opened.failures(list(plan.distinct)) if counts["failed"] else {}
        other_engines = opened.other_engines(plan.hashes)
    say_if_new(opened)
    found = cautions(plan, results, metrics)
    known = least_known(plan, results)
    if as_json:
        document = {
            "study": loaded.name,
            "store": shown(store),
            **counts,
            "failures": failures,
            "runs_of_other_engines": other_engines,
            "precision": [_document(width) for width in known],
            "cautions": found,
        }
        print_json(document)
        return
    click.echo(", ".join(f"{count} {name}" for name, count in counts.items()))
    for message, count in Counter(failures.values()).most_common():
        click.echo(f"{count} failed: {message}")
    for engine, count in sorted(other_engines.items()):
        click.echo(f"{count} more by engine {engine}: counted nowhere above, and never mixed in")
    _print_precision(plan, known, counts["missing"] + counts["failed"] == 0)
    for caution in found:
        click.echo(caution)
    if counts["missing"] or counts["failed"]:
        say(f"to run what is missing:\n  {study_command('run', study, part, store)}")


def _print_precision(plan: "Plan", known: "Sequence[HalfWidth]", is_complete: bool) -> None:
    """How many replications there are, and the least known mean of each metric that counts."""
    from longfat.report.numbers import percentage

    precision = plan.study.design.precision
    if not precision.targets or plan.selection.replications is not None:
        return
    is_enough = is_complete and all(width.is_reached for width in known)
    words = "are enough" if is_enough else "so far"
    click.echo(
        f"replications: {plan.replications} {words} (at most {plan.study.design.replications})"
    )
    confidence = percentage(precision.confidence)
    for width in known:
        levels = ", ".join(f"{factor} {level}" for factor, level in width.combination)
        click.echo(
            f"{width.target.metric}: known to {width.half_width:.3g} or better, wanted "
            f"{width.allowed:.3g} ({confidence}% confidence; least known: {levels})"
        )


def _document(width: "HalfWidth") -> dict[str, Any]:
    return {
        "metric": width.target.metric,
        "half_width": width.half_width,
        "allowed": width.allowed,
        "is_reached": width.is_reached,
        "combination": dict(width.combination),
    }
