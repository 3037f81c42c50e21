"""`longfat study compare`: results beside the paper's numbers."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from longfat.base.errors import BadInput, CheckFailed, LongfatError
from longfat.base.location import shown as shown_store
from longfat.cli.options import (
    MOST_CONFIDENCE,
    Number,
    Part,
    commands_to_run,
    json_option,
    opened_store,
    options_said,
    part_options,
    say_cautions,
    splice_option,
    store_option,
    study_argument,
)
from longfat.cli.talk import print_json, print_table, say, splice_into

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from longfat.results.caution import Caution
    from longfat.results.comparison import Results, TableComparison
    from longfat.studies.definition import StudyDefinition
    from longfat.studies.plan import Plan
    from longfat.studies.reference import Combination


@click.command("compare")
@study_argument
@part_options
@store_option
@json_option
@click.option("--by", "factor", metavar="FACTOR", help="Summary: only errors, by one factor.")
@click.option(
    "--ledger",
    "as_ledger",
    is_flag=True,
    help="Show instead where the capacity went, by factor combination or by one factor.",
)
@click.option("--intervals", is_flag=True, help="With the confidence interval of each mean.")
@click.option(
    "--confidence",
    type=Number(0, MOST_CONFIDENCE, min_open=True),
    metavar="SHARE",
    help="Confidence of these intervals.  [default: that of the study's precision, or 0.9]",
)
@click.option(
    "--answer/--no-answer",
    "as_answer",
    default=None,
    help="Only what follows, in words, or only the tables.  [default: both]",
)
@click.option("--markdown", is_flag=True, help="Print Markdown.")
@click.option("--latex", is_flag=True, help="Print LaTeX, which needs no package.")
@splice_option
@click.option(
    "--within",
    type=Number(min=0),
    metavar="ERROR",
    help="Exit with code 3 when a table's mean absolute error is larger, or runs of it are "
    "missing.",
)
def command(
    study: str,
    part: Part,
    store: str,
    as_json: bool,
    factor: str | None,
    as_ledger: bool,
    intervals: bool,
    confidence: float | None,
    as_answer: bool | None,
    markdown: bool,
    latex: bool,
    splice: Path | None,
    within: float | None,
) -> None:
    """Compare the stored runs of a study with the paper's tables, or show them if it has none.

    Deterministic is the scenario as the paper describes it, without randomness; mean and range are
    over the replications, and so are Student's intervals of the means (--intervals), which --json
    always has. Summaries leave out values marked as doubtful (?). Below each table stands what
    follows from it in words: the best combination, which others may be as good, what each factor is
    worth. LaTeX has the tables only.
    """
    forms = {"--json": as_json, "--latex": latex}  # what is spliced is Markdown
    forms["--splice" if splice else "--markdown"] = markdown or splice is not None
    if len(said := [name for name, chosen in forms.items() if chosen]) > 1:
        raise click.UsageError(f"{' and '.join(said)} are different ways to print: choose one")
    intervals = intervals or confidence is not None
    if intervals and (factor is not None or as_ledger):
        other = "--ledger" if as_ledger else "--by"
        raise click.UsageError(f"intervals are of the means of single entries: leave out {other}")
    if as_answer and (factor is not None or as_ledger or latex):
        raise click.UsageError("--answer goes with no other form than --markdown and --json")
    if as_ledger:
        from longfat.cli.study.ledgers import Form, show_ledgers

        if within is not None:
            raise click.UsageError("--ledger compares with no paper: leave out --within")
        if latex:
            raise click.UsageError("--ledger has no LaTeX: --markdown and --json it has")
        show_ledgers(study, part, store, factor, Form(as_json, markdown, splice))
        return
    from longfat.report.comparison_latex import comparison_latex, short_latex
    from longfat.report.document import comparison_document
    from longfat.report.markdown import answers_markdown, comparison_markdown, short_markdown

    found = _found(study, part, store, within)
    tables = found.tables
    if factor is not None:
        _check_factor(found.plan.study, tables, factor)
    sure = found.plan.study.design.precision.confidence if confidence is None else confidence
    shown = sure if intervals else None
    answers = _answers(found, sure)
    if as_answer:
        text = answers_markdown(answers)
    elif factor is None:
        text = comparison_markdown(tables, shown, None if as_answer is False else answers)
    else:
        text = short_markdown(tables, factor)
    advice = found.advice(commands_to_run(found.plan.study, found.lacking, study, part, store))
    if splice is not None:
        if advice:
            raise LongfatError(f"{splice} stays as it is: {advice}")
        short = options_said({"--by": factor}) + (" --intervals" if intervals else "")
        short += {None: "", True: " --answer", False: " --no-answer"}[as_answer]
        named = f"{found.plan.study.name}{part.arguments}{short}"
        named += options_said({"--confidence": confidence})
        splice_into(splice, f"longfat study compare {named} --markdown", text)
    elif as_json:
        print_json(comparison_document(found.plan.study, tables, sure))
    elif markdown:
        click.echo(text, nl=False)
    elif latex:
        made = comparison_latex(tables, shown) if factor is None else short_latex(tables, factor)
        click.echo(made, nl=False)
    elif factor is not None:
        _print_short(tables, factor)
    elif as_answer:
        _print_answers(answers)
    else:
        _print(tables, {} if as_answer is False else answers, shown)
    say_cautions(study, _cautions(tables))
    if advice:
        say(advice)
    if within is not None:
        _check(found, within)


@dataclass(frozen=True)
class _Found:
    """Stored results of a part of a study, and its tables."""

    plan: "Plan"
    results: "Results"
    tables: "Sequence[TableComparison]"

    @property
    def lacking(self) -> "Collection[Combination]":
        """The factor combinations with missing runs."""
        return self.plan.incomplete(self.results)

    def advice(self, commands: str) -> str:
        """Return how many runs are missing, with the commands that run them; empty if none is."""
        missing = self.plan.lacking(self.results)
        planned = self.plan.planned_runs
        advice = f"{missing} of {planned} runs have no result (-); to run them:\n  {commands}"
        return advice if missing else ""

    def missing_of(self, table: "TableComparison") -> int:
        """Return the number of missing runs of a table."""
        rows = [row.simulated for row in table.response.rows]
        whole = [row for row in rows if all(found in self.results for found in row)]
        planned = itertools.chain.from_iterable(whole)
        return self.plan.of(dict.fromkeys(planned)).lacking(self.results)


def _found(name: str, part: Part, store: str, within: float | None) -> _Found:
    from longfat.analysis.cautions import with_cautions
    from longfat.results.sequential import in_effect
    from longfat.results.stored import compare_results, load_results
    from longfat.studies.definition import load_study
    from longfat.studies.plan import plan_reference

    study = load_study(name)
    plan = plan_reference(study, part.of(study))
    with opened_store(store) as opened:
        plan = in_effect(plan, opened)
        metrics = list(dict.fromkeys(response.metric for response in study.responses))
        results = load_results(plan, opened, metrics)
    if not any(results.values()):
        refusal = LongfatError if within is None else CheckFailed
        commands = commands_to_run(study, plan.incomplete(results), name, part, store)
        where = shown_store(store)
        raise refusal(f"{where}: no run of {study.name} to compare; to run them:\n  {commands}")
    tables = with_cautions(plan, results, compare_results(plan, results))
    return _Found(plan, results, tables)


def _cautions(tables: "Sequence[TableComparison]") -> dict[str, list["Caution"]]:
    """Return the cautions by table: a table of several responses has those of all."""
    found: dict[str, list[Caution]] = {}
    for table in tables:
        own = found.setdefault(f"table {table.response.table}", [])
        own += [caution for caution in table.cautions if caution not in own]
    return found


def _check_factor(
    study: "StudyDefinition", tables: "Sequence[TableComparison]", factor: str
) -> None:
    """Raise `BadInput` for a factor that is constant in every table, or unknown."""
    known = dict.fromkeys(name for table in tables for name in table.by)
    if factor not in known and any(factor == own.name for own in study.factors):
        varying = f"; those with several: {', '.join(known)}" if known else ""
        raise BadInput([f"--by: {factor!r} has one level at most in these tables{varying}"])
    if factor not in known:
        raise BadInput([f"--by: unknown factor {factor!r}; known: {', '.join(known)}"])


def _print_short(tables: "Sequence[TableComparison]", factor: str) -> None:
    from longfat.report.markdown import short_rows

    header, rows = short_rows(tables, factor)
    print_table(header, rows)


NO_ANSWER = "There is no result yet."

_Answers = Mapping[str, "Sequence[str]"]


def _answers(found: _Found, confidence: float) -> _Answers:
    """Return the sentences of the answer about each table, by its name."""
    from longfat.analysis.answer import answer_of_table
    from longfat.analysis.answer_words import answer_sentences
    from longfat.report.markdown import table_name

    common = found.plan.study.design.seeds == "common"
    answers = {
        table_name(table): answer_of_table(table, confidence, common=common)
        for table in found.tables
    }
    return {
        name: [NO_ANSWER] if answer is None else answer_sentences(answer)
        for name, answer in answers.items()
    }


def _print_answers(answers: _Answers) -> None:
    for name, sentences in answers.items():
        click.echo("\n".join([name, *(f"  {sentence}" for sentence in sentences)]))


def _print(
    tables: "Sequence[TableComparison]", answers: _Answers, confidence: float | None
) -> None:
    from longfat.report.markdown import (
        SUMMARY_COLUMNS,
        curve_rows,
        entry_rows,
        overview_rows,
        part_rows,
        table_name,
    )

    for table in tables:
        print_table(
            *entry_rows(table, confidence), title=table_name(table), names=len(table.factors)
        )
        if table.response.across:
            print_table(*curve_rows(table))
        elif table.by:
            (_, *columns), rows = part_rows(table)
            print_table([f"table {table.response.table}", *columns], rows)
        for sentence in answers.get(table_name(table), ()):
            click.echo(sentence)
    if overview := overview_rows(tables):
        print_table(["table", "response", *SUMMARY_COLUMNS], overview, title="All tables")


def _check(found: _Found, within: float) -> None:
    """Raise `CheckFailed` if a table's error exceeds `within`, or runs of it are missing.

    Skips tables for which the paper has no numbers; raises `BadInput` if there is no other.
    """
    printed = [table for table in found.tables if table.response.is_printed]
    if not printed:
        raise BadInput(["--within: the paper has no numbers for any of these tables"])
    failed = [
        f"table {table.response.table}, {table.response.metric}: {problem}"
        for table in printed
        if (problem := _objection(table, found.missing_of(table), within)) is not None
    ]
    if failed:
        raise CheckFailed("\n".join(failed))


def _objection(table: "TableComparison", missing: int, within: float) -> str | None:
    error = table.summary.mean_absolute_error
    if missing:
        return f"{missing} of its runs are missing"
    if error is None or error > within:
        shown = "unknown" if error is None else f"{error:.3f}"
        return f"mean absolute error {shown} is not within {within}"
    return None
