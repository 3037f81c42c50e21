"""`longfat study audit`: sensitivity of verdicts to the choices that the source leaves open."""

import dataclasses
import itertools
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from longfat.base.errors import RunFailed
from longfat.cli.options import (
    Part,
    chosen_executor,
    cluster_option,
    jobs_option,
    json_option,
    limit_option,
    opened_store,
    part_options,
    say_if_new,
    splice_option,
    store_option,
    study_argument,
)
from longfat.cli.study.run import failure_message, run_missing
from longfat.cli.talk import print_json, print_table, say, splice_into

if TYPE_CHECKING:
    from collections.abc import Sequence

    from longfat.analysis.audit import Audit, Metrics, ReadByClaims
    from longfat.running.execution import Executor
    from longfat.running.limits import Limits
    from longfat.studies.audit import AuditPlan
    from longfat.studies.claims import Claim
    from longfat.studies.definition import StudyDefinition
    from longfat.studies.plan import Replicated, Selection


@click.command("audit")
@study_argument
@part_options
@click.option(
    "--knob",
    "knobs",
    multiple=True,
    metavar="NAME",
    help="Only the alternatives of this knob; may be repeated.",
)
@click.option("--pairs", is_flag=True, help="Also two knobs at a time, every pair of them.")
@click.option(
    "--plan", "only_plan", is_flag=True, help="Show the runs and their cost; run nothing."
)
@click.option("--stored", is_flag=True, help="Show the results of the stored runs; run nothing.")
@jobs_option
@cluster_option
@limit_option
@store_option
@json_option
@click.option("--markdown", is_flag=True, help="Print Markdown.")
@splice_option
def command(
    study: str,
    part: Part,
    knobs: tuple[str, ...],
    pairs: bool,
    only_plan: bool,
    stored: bool,
    jobs: int | None,
    cluster: str | None,
    limits: tuple[str, ...],
    store: str,
    as_json: bool,
    markdown: bool,
    splice: Path | None,
) -> None:
    """Vary every choice that the source leaves open, one at a time: which claims survive.

    Runs what the store does not have; it can be stopped and started again. Claims are judged on the
    audited part. Exit code 1 if runs failed (the others are stored).
    """
    from longfat.analysis.audit import audit
    from longfat.report.audit import audit_document, audit_markdown
    from longfat.running.limits import Limits
    from longfat.statistics.intervals import DEFAULT_CONFIDENCE
    from longfat.studies.audit import audited, check_audit, plan_audit
    from longfat.studies.definition import load_study

    if only_plan and stored:
        raise click.UsageError("--plan and --stored both run nothing: choose one")
    allowed = Limits.of_machine().changed(limits)
    loaded = load_study(study)
    check_audit(loaded)
    claims, read = _claims(loaded)
    selection = _replicated(loaded, part.of(loaded, loaded.audit.quick), store)
    chosen = audited(loaded, selection, list(dict.fromkeys(itertools.chain(*read.values()))))
    plan = plan_audit(loaded, selection, chosen, knobs, pairs)
    for refused in plan.refused:
        say(f"not possible here: {refused}")
    if only_plan:
        _show_plan(plan, store, as_json)
        return
    failures: dict[str, str] = {}
    if stored:
        metrics = _stored(plan, store)
    else:
        with chosen_executor(loaded, jobs, cluster) as executor:
            metrics, failures = _run(plan, store, executor, jobs, allowed)
    completions = _completions(plan, store, claims)
    found = audit(plan, metrics, claims, read, DEFAULT_CONFIDENCE, completions)
    if splice is not None:
        arguments = "".join(f" --knob {shlex.quote(knob)}" for knob in knobs)
        arguments = f"{part.arguments}{arguments}{' --pairs' if pairs else ''}"
        shown = f"longfat study audit {loaded.name}{arguments} --markdown"
        splice_into(splice, shown, audit_markdown(found))
    elif as_json:
        print_json(audit_document(found, DEFAULT_CONFIDENCE, plan.refused))
    elif markdown:
        click.echo(audit_markdown(found), nl=False)
    else:
        _print(found)
    if missing := len(plan.everything.without(metrics)):
        say(f"{missing} of {plan.everything.distinct_runs} runs have no result (-)")
    if failures:
        raise RunFailed(failure_message(failures))


def _claims(study: "StudyDefinition") -> "tuple[list[Claim], ReadByClaims]":
    """Return the claims of a study, if it has any, and the factor combinations that each reads."""
    from longfat.analysis.claim_tables import combinations_read, planned_tables
    from longfat.analysis.claims import check_claims
    from longfat.studies.claims import claims_of

    claims = claims_of(study)
    if not claims:
        return [], {}
    check_claims(study, claims, planned_tables(study))
    return claims, combinations_read(study, claims)


def _replicated(study: "StudyDefinition", selection: "Selection", store: str) -> "Selection":
    """Return the selection with a number of replications.

    If the study asks for a precision, it is the number that the stored runs show to be needed.
    """
    from longfat.results.sequential import in_effect
    from longfat.store import Store
    from longfat.studies.plan import Selection, plan_design

    if selection.replications is not None:
        return selection
    if not study.design.precision.targets:
        return dataclasses.replace(selection, replications=study.design.replications)
    with Store.readable(store) as opened:
        plan = in_effect(plan_design(study, Selection()), opened)
    return dataclasses.replace(selection, replications=plan.replications)


def _run(
    plan: "AuditPlan", store: str, executor: "Executor", jobs: int | None, limits: "Limits"
) -> "tuple[Metrics, dict[str, str]]":
    """Run what is missing; return the metrics of all runs, and the failures."""
    from longfat.running.campaign import missing_runs
    from longfat.running.execution import usable_cores
    from longfat.running.repeat import check_other_builds
    from longfat.store import Store

    everything = plan.everything
    with Store.writable(store) as opened:
        check_other_builds(everything, opened, jobs or usable_cores())
        missing, runs = missing_runs(everything, opened), everything.distinct_runs
        say(
            f"{plan.baseline.study.name}: {len(plan.variations)} variations, {runs} runs, "
            f"{runs - len(missing)} stored, {len(missing)} to run"
        )
        progress = run_missing(missing, opened, executor, limits)
        failures = opened.failures(list(everything.distinct)) if progress.failed else {}
        return opened.metrics(everything.hashes), failures


def _stored(plan: "AuditPlan", store: str) -> "Metrics":
    with opened_store(store) as opened:
        metrics = opened.metrics(plan.everything.hashes)
    say_if_new(opened)
    return metrics


def _completions(plan: "AuditPlan", store: str, claims: "Sequence[Claim]") -> "Replicated[str]":
    from longfat.results.stored import load_completions
    from longfat.store import Store

    with Store.readable(store) as opened:
        return load_completions(plan.everything, opened, claims)


def _show_plan(plan: "AuditPlan", store: str, as_json: bool) -> None:
    from longfat.base.numbers import formatted_seconds
    from longfat.report.audit import PLAN_COLUMNS, plan_document, plan_rows
    from longfat.running.campaign import missing_series
    from longfat.store import Store
    from longfat.studies.cost import CostEstimator

    with Store.readable(store) as opened:
        missing = missing_series(plan.everything, opened)
        cost = CostEstimator(opened.mean_wall_seconds()).cost(missing)
    missing_ids = {run.scenario.run_id for series in missing for run in series.runs}
    if as_json:
        print_json(plan_document(plan, missing_ids, cost))
        return
    print_table(PLAN_COLUMNS, plan_rows(plan, missing_ids))
    runs = plan.everything.distinct_runs
    click.echo(
        f"{len(plan.variations)} variations, {runs} distinct runs, {len(missing_ids)} missing; "
        f"estimated cost of these: {formatted_seconds(cost.core_seconds)} of one core"
    )
    if cost.rough_runs:
        click.echo(cost.reservation)


def _print(found: "Audit") -> None:
    from longfat.report.audit import CLAIM_COLUMNS, claim_rows, idle_sentence, move_rows, summary

    title = "How far each alternative moves each table: mean absolute error (bias)"
    print_table(*move_rows(found), title=title)
    if claims := claim_rows(found):
        print_table(CLAIM_COLUMNS, claims, title="Claims; numbers are those of the alternatives")
    for text in (idle_sentence(found), summary(found)):
        if text:
            click.echo(text)
