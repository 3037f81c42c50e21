"""`longfat study claims`: a verdict for each claim of the paper."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from longfat.base.errors import CheckFailed
from longfat.cli.options import (
    WHOLE,
    Part,
    commands_to_run,
    confidence_option,
    json_option,
    opened_store,
    options_said,
    replications_option,
    say_cautions,
    say_if_new,
    splice_option,
    store_option,
    study_argument,
)
from longfat.cli.talk import print_json, print_table, say, splice_into

if TYPE_CHECKING:
    from collections.abc import Sequence

    from longfat.analysis.claims import Judgement
    from longfat.analysis.verdicts import Verdicts
    from longfat.studies.plan import Plan


@click.command("claims")
@study_argument
@replications_option
@click.option(
    "--quick", is_flag=True, help="Only the claims that the study's own small part can decide."
)
@store_option
@json_option
@click.option("--only", metavar="ID[,ID]", help="Only these claims.")
@confidence_option(above=0.5, meaning="Confidence of each verdict.")
@click.option("--explain", metavar="ID", help="All about one claim: measure, values, interval.")
@click.option("--markdown", is_flag=True, help="Print Markdown.")
@splice_option
@click.option("--strict", is_flag=True, help="Exit with code 3 unless every claim holds.")
def command(
    study: str,
    replications: int | None,
    quick: bool,
    store: str,
    as_json: bool,
    only: str | None,
    confidence: float,
    explain: str | None,
    markdown: bool,
    splice: Path | None,
    strict: bool,
) -> None:
    """Print which of the paper's claims hold in the stored runs, with confidence.

    A claim holds or fails if the whole confidence interval of its number is on one side of the
    bound, and is undecided otherwise; there is no data if runs that it needs are missing. With
    --replications 0 the deterministic runs decide. With --quick the runs of `study run --quick`
    decide, and claims that need others are left out.
    """
    from longfat.base.numbers import counted
    from longfat.report.claims import claims_document, claims_markdown, explanation
    from longfat.statistics.intervals import DEFAULT_CONFIDENCE

    chosen = explain if only is None else only
    part = replace(WHOLE, replications=replications, quick=quick)
    judged = _judged(study, part, store, chosen, confidence)
    judgements, drawn = judged.judgements, judged.replications
    if splice is not None:
        said = {
            "--replications": replications,
            "--only": only,
            "--explain": explain,
            "--confidence": None if confidence == DEFAULT_CONFIDENCE else confidence,
        }
        said_quick = " --quick" if quick else ""
        name = f"{judged.plan.study.name}{said_quick}"
        shown = f"longfat study claims {name}{options_said(said)} --markdown"
        splice_into(splice, shown, claims_markdown(judgements, confidence, drawn))
    elif as_json:
        study_and_claims = judged.plan.study, judgements
        doubts = judged.cautions, judged.left_out
        print_json(claims_document(*study_and_claims, confidence, drawn, *doubts))
    elif markdown:
        click.echo(claims_markdown(judgements, confidence, drawn), nl=False)
    elif explain is not None:
        factors = [factor.name for factor in judged.plan.study.factors]
        click.echo("\n\n".join(explanation(found, factors) for found in judgements))
    else:
        _print(judged, confidence)
    if judged.left_out:
        left_out = counted(judged.left_out, "claim")
        say(f"{left_out} left out: the small part has not all of their runs")
    _say_what_is_missing(judgements, judged.plan, study, part, store)
    _say_what_claims_lack(judgements)
    say_cautions(study, {"": judged.cautions})
    if strict:
        _check(judgements)


def _judged(name: str, part: Part, store: str, ids: str | None, confidence: float) -> "Verdicts":
    """Judge the claims of a study, or those of a list of ids, by the stored runs."""
    from longfat.analysis.verdicts import stored_verdicts
    from longfat.studies.definition import load_study

    study = load_study(name)
    only = None if ids is None else [claim.strip() for claim in ids.split(",")]
    with opened_store(store) as opened:
        judged = stored_verdicts(
            study,
            opened,
            confidence,
            only=only,
            replications=part.replications,
            quick=part.quick,
        )
        say_if_new(opened)
    return judged


def _print(judged: "Verdicts", confidence: float) -> None:
    from longfat.report.claims import claim_table, how_sure, summary, undecided

    print_table(*claim_table(judged.judgements))
    click.echo(f"{summary(judged.judgements)} {how_sure(confidence, judged.replications)}")
    for sentence in undecided(judged.judgements):
        click.echo(sentence)


def _say_what_is_missing(
    judgements: "Sequence[Judgement]",
    plan: "Plan",
    study: str,
    part: Part,
    store: str,
) -> None:
    missing = {
        (tuple(row.levels), row.replication)
        for judgement in judgements
        for row in judgement.measured.missing
    }
    if missing:
        combinations = {tuple(plan.study.levels(found)): found for found in plan.combinations}
        incomplete = {combinations[levels] for levels, _ in missing}
        say(
            f"{len(missing)} of {plan.planned_runs} runs are needed and have no result; "
            "to run them:\n"
            f"  {commands_to_run(plan.study, incomplete, study, part, store)}"
        )


def _say_what_claims_lack(judgements: "Sequence[Judgement]") -> None:
    for judgement in judgements:
        for caution in judgement.cautions:
            say(f"{judgement.claim.id}: {caution}")


def _check(judgements: "Sequence[Judgement]") -> None:
    """Raise `CheckFailed` unless every claim holds."""
    failed = [
        f"{judgement.claim.id}: {judgement.verdict}"
        for judgement in judgements
        if judgement.verdict != "holds"
    ]
    if failed:
        raise CheckFailed("\n".join(failed))
