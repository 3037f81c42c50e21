"""`longfat study claims`: a verdict for each claim of the paper."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from longfat.cli.options import (
    WHOLE,
    commands_to_run,
    confidence_option,
    json_option,
    opened_store,
    options_said,
    replications_option,
    say_how_long_runs_are,
    say_if_new,
    splice_option,
    store_option,
    study_argument,
)
from longfat.cli.talk import print_json, print_table, say, splice_into
from longfat.errors import BadInput, CheckFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from longfat.analysis.claims import Judgement
    from longfat.claims import Claim
    from longfat.plan import Plan


@click.command("claims")
@study_argument
@replications_option
@store_option
@json_option
@click.option("--only", metavar="ID[,ID]", help="Only these claims.")
@confidence_option(above=0.5, meaning="Of each verdict.")
@click.option("--explain", metavar="ID", help="All about one claim: measure, values, interval.")
@click.option("--markdown", is_flag=True, help="Print Markdown.")
@splice_option
@click.option("--strict", is_flag=True, help="Exit with code 3 unless every claim holds.")
def command(
    study: str,
    replications: int | None,
    store: str,
    as_json: bool,
    only: str | None,
    confidence: float,
    explain: str | None,
    markdown: bool,
    splice: Path | None,
    strict: bool,
) -> None:
    """Say which of the paper's claims hold in the stored runs, and how surely.

    A claim holds or fails when its number lies on one side of the bound with all of its interval,
    and is undecided otherwise; there is no data when runs that it needs are missing. With
    --replications 0 the deterministic runs decide.
    """
    from longfat.analysis.intervals import DEFAULT_CONFIDENCE
    from longfat.report.claims import claims_document, claims_markdown, explanation

    chosen = explain if only is None else only
    judged = _judged(study, replications, store, chosen, confidence)
    judgements, drawn = judged.judgements, judged.replications
    if splice is not None:
        said = {
            "--replications": replications,
            "--only": only,
            "--explain": explain,
            "--confidence": None if confidence == DEFAULT_CONFIDENCE else confidence,
        }
        shown = f"longfat study claims {judged.plan.study.name}{options_said(said)} --markdown"
        splice_into(splice, shown, claims_markdown(judgements, confidence, drawn))
    elif as_json:
        print_json(claims_document(judged.plan.study, judgements, confidence, drawn))
    elif markdown:
        click.echo(claims_markdown(judgements, confidence, drawn), nl=False)
    elif explain is not None:
        factors = [factor.name for factor in judged.plan.study.factors]
        click.echo("\n\n".join(explanation(found, factors) for found in judgements))
    else:
        _print(judged, confidence)
    _say_what_is_missing(judgements, judged.plan, study, replications, store)
    _say_what_runs_lack(judgements)
    say_how_long_runs_are(judged.plan, study)
    if strict:
        _check(judgements)


@dataclass(frozen=True)
class _Judged:
    """The verdicts, over how many replications they are, and the plan of the runs."""

    plan: "Plan"
    judgements: "Sequence[Judgement]"
    replications: int


def _judged(
    name: str, replications: int | None, store: str, ids: str | None, confidence: float
) -> _Judged:
    """Judge the claims of a study, or those of a list of ids, by the runs of a store."""
    from longfat.analysis.claim_tables import paper_tables, run_tables
    from longfat.analysis.claims import check_claims, judge_claims
    from longfat.claims import load_claims
    from longfat.plan import plan_everything
    from longfat.results import load_completions, load_results
    from longfat.sequential import in_effect
    from longfat.study import load_study

    study = load_study(name)
    claims = load_claims(study)
    plan = plan_everything(study, replications)
    with opened_store(store) as opened:
        plan = in_effect(plan, opened)
        results = load_results(plan, opened)
        completions = load_completions(plan, opened, claims)
    ours = run_tables(plan, results, completions)
    check_claims(study, claims, ours)
    say_if_new(opened)
    judgements = judge_claims(_chosen(claims, ids), ours, paper_tables(plan), confidence)
    return _Judged(plan, judgements, ours.replications)


def _print(judged: _Judged, confidence: float) -> None:
    from longfat.report.claims import claim_table, how_sure, summary

    print_table(*claim_table(judged.judgements))
    click.echo(f"{summary(judged.judgements)} {how_sure(confidence, judged.replications)}")


def _chosen(claims: "Sequence[Claim]", ids: str | None) -> "list[Claim]":
    """The claims of a list of ids, in the order of their file. Raises `BadInput` for others."""
    if ids is None:
        return list(claims)
    wanted = {name.strip() for name in ids.split(",")}
    known = [claim.id for claim in claims]
    unknown = sorted(wanted - set(known))
    if unknown:
        raise BadInput([f"no claim {name!r}; known: {', '.join(known)}" for name in unknown])
    return [claim for claim in claims if claim.id in wanted]


def _say_what_is_missing(
    judgements: "Sequence[Judgement]",
    plan: "Plan",
    study: str,
    replications: int | None,
    store: str,
) -> None:
    missing = {
        (tuple(row.levels), row.replication)
        for judgement in judgements
        for row in judgement.measured.missing
    }
    if missing:
        combinations = {tuple(plan.study.levels(found)): found for found in plan.combinations}
        lacking = {combinations[levels] for levels, _ in missing}
        part = replace(WHOLE, replications=replications)
        say(
            f"{len(missing)} of {plan.planned_runs} runs are needed and have no result; "
            "to run them:\n"
            f"  {commands_to_run(plan.study, lacking, study, part, store)}"
        )


def _say_what_runs_lack(judgements: "Sequence[Judgement]") -> None:
    for judgement in judgements:
        for metric, count in judgement.measured.lacking.items():
            say(f"{judgement.claim.id}: {count} of the runs that it reads have no {metric}")
        for lack in judgement.measured.undelivered:
            say(f"{judgement.claim.id}: {lack}")


def _check(judgements: "Sequence[Judgement]") -> None:
    """Raise `CheckFailed` unless every claim holds."""
    failed = [
        f"{judgement.claim.id}: {judgement.verdict}"
        for judgement in judgements
        if judgement.verdict != "holds"
    ]
    if failed:
        raise CheckFailed("\n".join(failed))
