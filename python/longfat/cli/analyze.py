"""`longfat analyze`: which factors matter, by Jain's analysis of variance."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from longfat.base.errors import LongfatError
from longfat.base.location import shown
from longfat.cli.options import (
    Part,
    confidence_option,
    json_option,
    opened_store,
    part_options,
    say_cautions,
    store_option,
    study_command,
)
from longfat.cli.sources import SourceType
from longfat.cli.talk import print_json, print_table

if TYPE_CHECKING:
    from longfat.analysis.analysis import Analysis, Settings
    from longfat.results.caution import Caution

STUDY_SUFFIXES = (".toml", ".json")
"""Suffixes of files that are no tables."""

STEADY_STATE_OPTIONS = frozenset(
    {"steady_state", "response", "where", "replication", "confidence", "exact_quantiles", "as_json"}
)
"""Options that apply to --steady-state; its quantiles are always exact."""


@click.command("analyze")
@click.argument("source", metavar="STUDY|CSV", type=SourceType("study", "table"))
@click.option(
    "--factors",
    metavar="A,B,...",
    help="The factors, as a line of CSV.  [default: all factors of a study that vary]",
)
@click.option(
    "--response",
    required=True,
    metavar="Y",
    help="The metric or column to explain; for a study also a time such as 'flow p95_s'.",
)
@confidence_option()
@click.option(
    "--order",
    type=click.IntRange(min=1),
    metavar="N",
    help="Interactions of up to N factors.  [default: 2]",
)
@click.option(
    "--blocks/--no-blocks",
    default=None,
    help="Whether replications share random numbers.  [default: as a study's seeds; not in a CSV]",
)
@click.option(
    "--exact-quantiles",
    is_flag=True,
    help="Do not round Student's quantiles to the three decimals of printed tables.",
)
@click.option(
    "--transform",
    type=click.Choice(["log", "square-root", "reciprocal"]),
    help="Analyse a function of the response, so that errors are more alike; all effects are its.",
)
@click.option(
    "--better",
    type=click.Choice(["more", "less"]),
    help="Which values of the response are better.  [default: as the metric says]",
)
@click.option(
    "--replication", metavar="COLUMN", help="Of a CSV: the column that identifies replications."
)
@click.option(
    "--steady-state",
    is_flag=True,
    help="Of a CSV whose rows are observations of one long run: the mean without the warm-up.",
)
@part_options
@store_option
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "markdown", "latex", "csv"]),
    default="text",
    show_default=True,
    help="Output format; csv has all digits.",
)
@json_option
def command(
    source: str,
    factors: str | None,
    response: str,
    confidence: float,
    order: int | None,
    blocks: bool | None,
    exact_quantiles: bool,
    transform: str | None,
    better: str | None,
    replication: str | None,
    steady_state: bool,
    part: Part,
    store: str,
    style: str,
    as_json: bool,
) -> None:
    """Analyse the variance of a response over a design of factors.

    Answers in words which combination is best, which others may be as good and what each factor is
    worth. Allocates the variation to factors and interactions and gives effects with confidence
    intervals (Jain 1991; ATM Forum 98-0876R1, section 8.1), from the stored runs of a STUDY or any
    CSV.
    The error is the variation between replications; without them, the interactions of more than N
    factors.

    With --steady-state the rows of a CSV are observations of one run, in order: MSER-5 decides how
    many to leave out at its start, and batch means give the confidence interval of the mean of the
    others. If a column identifies replications, --where chooses one of them.

    Example: longfat analyze results.csv --factors flavor,buffer --response efficiency
    """
    if steady_state:
        _check_steady_state_options(source)
        _steady_state(Path(source), response, replication, part.where, confidence, as_json)
        return
    from longfat.analysis.analysis import Settings
    from longfat.analysis.least_squares import analyse_observations
    from longfat.analysis.table import columns_of, load_observations
    from longfat.base.cells import names_in
    from longfat.report.analysis import analysis_document
    from longfat.statistics.intervals import Intervals

    names = [] if factors is None else names_in(factors, f"--factors {factors!r}")
    settings = Settings(Intervals(confidence, exact_quantiles), order, bool(blocks), transform)
    cautions: Sequence[Caution] = ()
    origin: dict[str, Any] = {"source": source}
    if _is_table(source):
        _check_table_options(part)
        if not names:
            columns = ", ".join(columns_of(Path(source)))
            raise click.UsageError(
                f"a CSV needs --factors, the columns whose effects are sought; {source} has "
                f"{columns}"
            )
        found = load_observations(Path(source), names, response, replication, part.where)
        analysis = analyse_observations(response, found.factors, found.rows, settings)
    else:
        if replication is not None:
            raise click.UsageError("--replication is for a CSV; a study knows its replications")
        analysis, cautions, origin = _of_study(
            source, names, response, part, store, settings, blocks is None
        )
    more = None if better is None else better == "more"
    if as_json:
        print_json(analysis_document(analysis, origin, more, cautions))
    else:
        _STYLES[style](analysis, more)


def _check_steady_state_options(source: str) -> None:
    """Raise `click.UsageError` for a source that is no table, and for options that do not apply."""
    context = click.get_current_context()
    others = [
        option.opts[0]
        for option in context.command.get_params(context)
        if isinstance(option, click.Option)
        and option.name not in STEADY_STATE_OPTIONS
        and context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
    ]
    if others or not _is_table(source):
        without = f", without {', '.join(others)}" if others else ""
        raise click.UsageError(f"--steady-state is for a CSV of one run{without}")


def _steady_state(
    path: Path,
    column: str,
    replication: str | None,
    where: str | None,
    confidence: float,
    as_json: bool,
) -> None:
    import dataclasses

    from longfat.analysis.table import load_observations
    from longfat.statistics.steady_state import steady_state

    rows = load_observations(path, [], column, replication, where).rows
    runs = len({row.replication for row in rows})
    if runs > 1:
        raise LongfatError(f"{path}: {runs} replications in one series; choose one by --where")
    found = steady_state([row.value for row in rows], confidence)
    if as_json:
        print_json({"source": str(path), "response": column, **dataclasses.asdict(found)})
        return
    more = f", and the next {found.unbatched}, which fill no batch" if found.unbatched else ""
    click.echo(
        f"mean of {column}: {found.mean:.6g} ({found.low:.6g}, {found.high:.6g}) at "
        f"{confidence:g} confidence\n"
        f"left out at the start: {found.left_out} observations (MSER-5){more}; "
        f"kept: {found.kept} in {found.batches} batches, "
        f"neighbours correlated by {found.correlation:.2f}"
    )
    for caution in found.cautions:
        click.echo(caution)


def _is_table(source: str) -> bool:
    path = Path(source)
    return path.suffix.lower() == ".csv" or (
        path.is_file() and path.suffix.lower() not in STUDY_SUFFIXES
    )


def _check_table_options(part: Part) -> None:
    if part.tables or part.quick or part.replications is not None:
        raise click.UsageError("--table, --quick and --replications are for a study, not a CSV")


def _of_study(
    name: str,
    factors: Sequence[str],
    response: str,
    part: Part,
    store: str,
    settings: "Settings",
    blocks_as_seeds: bool,
) -> "tuple[Analysis, Sequence[Caution], dict[str, Any]]":
    from longfat.analysis.cautions import cautions
    from longfat.analysis.study_runs import RunsMissing, analyse_study
    from longfat.report.analysis import source_of_study
    from longfat.results.sequential import in_effect
    from longfat.results.stored import load_responses
    from longfat.studies.definition import load_study
    from longfat.studies.plan import plan_design

    study = load_study(name)
    plan = plan_design(study, part.of(study))
    with opened_store(store) as opened:
        plan = in_effect(plan, opened)
        results = load_responses(plan, opened, response)
    try:
        found = analyse_study(plan, results, factors or None, response, settings, blocks_as_seeds)
    except RunsMissing as missing:
        advice = study_command("run", name, part, store)
        raise LongfatError(f"{shown(store)}: {missing}; to run them:\n  {advice}") from missing
    doubts = cautions(plan, results, [response])
    say_cautions(name, {"": doubts})
    return found, doubts, source_of_study(name, study)


def _print_text(analysis: "Analysis", more: bool | None) -> None:
    from longfat.analysis.answer import answer_of_analysis
    from longfat.analysis.answer_words import answer_sentences
    from longfat.analysis.words import sentences
    from longfat.report.analysis import analysis_tables, summary

    click.echo(summary(analysis))
    for sentence in answer_sentences(answer_of_analysis(analysis, more)):
        click.echo(sentence)
    for table in analysis_tables(analysis):
        print_table(table.header, table.rows, title=table.title)
    for sentence in sentences(analysis):
        click.echo(sentence)


def _print_markdown(analysis: "Analysis", more: bool | None) -> None:
    from longfat.report.analysis import analysis_markdown

    click.echo(analysis_markdown(analysis, more), nl=False)


def _print_latex(analysis: "Analysis", _more: bool | None) -> None:
    from longfat.report.analysis import analysis_latex

    click.echo(analysis_latex(analysis), nl=False)


def _print_csv(analysis: "Analysis", _more: bool | None) -> None:
    from longfat.report.analysis import analysis_csv

    click.echo(analysis_csv(analysis), nl=False)


_STYLES: dict[str, Callable[["Analysis", bool | None], None]] = {
    "text": _print_text,
    "markdown": _print_markdown,
    "latex": _print_latex,
    "csv": _print_csv,
}
