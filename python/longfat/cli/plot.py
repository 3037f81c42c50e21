"""`longfat plot`: plots by name, as pictures or as their data."""

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from longfat.base.errors import LongfatError
from longfat.base.files import read_text
from longfat.base.location import shown
from longfat.cli.options import (
    Number,
    Part,
    opened_store,
    part_options,
    store_option,
    study_command,
)
from longfat.cli.sources import check_source
from longfat.cli.talk import command_line, print_table, say

if TYPE_CHECKING:
    from longfat.plots.options import Options
    from longfat.results.comparison import Results, TableComparison
    from longfat.studies.plan import Plan
    from longfat.traces import Traces


@click.command("plot")
@click.argument("kind", required=False)
@click.argument("sources", nargs=-1, metavar="SOURCE...")
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The file to write: .svg, .pdf, .png, .webp, .html, or .csv for the data drawn; may be "
    "repeated.",
)
@click.option(
    "--dark",
    "dark_outputs",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The same for a dark screen: .svg, .pdf, .png or .webp; may be repeated.",
)
@click.option("--rows", metavar="FACTOR", help="Of a study: a row of panels for each level.")
@click.option("--columns", metavar="FACTOR", help="Of a study: a column for each.")
@click.option("--colors", metavar="FACTOR", help="Of a study: a colour for each.")
@click.option("--markers", metavar="FACTOR", help="Of a study: a marker for each.")
@click.option(
    "--flow",
    type=click.IntRange(min=1),
    metavar="N",
    help="Of traces: the flow to show.  [default: all; of a time-sequence the first, or "
    "the largest of those that come and go]",
)
@click.option(
    "--from", "start_s", type=Number(min=0), metavar="SECONDS", help="Of traces: begin there."
)
@click.option("--to", "end_s", type=Number(min=0), metavar="SECONDS", help="Of traces: end there.")
@click.option("--list", "list_plots", is_flag=True, help="List the plots.")
@part_options
@store_option
def command(
    kind: str | None,
    sources: Sequence[str],
    outputs: Sequence[Path],
    dark_outputs: Sequence[Path],
    list_plots: bool,
    store: str,
    part: Part,
    flow: int | None,
    start_s: float | None,
    end_s: float | None,
    **factors: str | None,
) -> None:
    """Draw a plot of KIND.

    SOURCE is the data of the plot: the folder of a run's traces (longfat run --trace), a study
    whose runs are stored, an analysis (longfat analyze --json; - for standard input), or a
    description of orbits.

    Example: longfat plot three-panel traces -o run.png

    Example: longfat plot efficiency-fairness ubr-plus -o scatter.svg

    Example: longfat analyze r.csv --factors a,b --json | longfat plot variation - -o v.pdf
    """
    from longfat import plots
    from longfat.plots.options import PICTURES, Options, check_formats

    if list_plots:
        rows = [[name, plots.find(name).SOURCE, plots.find(name).SUMMARY] for name in plots.PLOTS]
        print_table(["plot", "of", "shows"], rows)
        return
    if kind is None or not sources or not (outputs or dark_outputs):
        raise click.UsageError("KIND, SOURCE and -o FILE are needed, or --list")
    plot = plots.find(kind)
    check_formats(outputs)
    check_formats(dark_outputs, PICTURES)
    options = Options(**factors, flow=flow, start_s=start_s, end_s=end_s)  # type: ignore[arg-type]
    _check_said(kind, plot.SOURCE, options, part)
    for given in sources:
        check_source(given, _kind_of_source(plot.SOURCE))
    source, options = _open(kind, plot.SOURCE, sources, options, part, store)
    try:
        figure = plots.draw(kind, source, options, command_line())
    except plots.NothingToDraw as error:
        advice = _nothing_to_draw(kind, source, sources[0], part, store)
        raise LongfatError(advice) from error
    for drawn, files in ((figure, outputs), (figure.dark(), dark_outputs)):
        for file in files:
            for written in drawn.save(file):
                say(f"drew {written}")


def _check_said(kind: str, wanted: str, options: "Options", part: Part) -> None:
    """Raise `click.UsageError` for options that the plot does not have."""
    from longfat import plots
    from longfat.plots.options import STUDY_SOURCES

    try:
        plots.check_options(kind, options)
    except LongfatError as error:
        raise click.UsageError(str(error)) from error
    if part.arguments and wanted not in STUDY_SOURCES:
        raise click.UsageError(f"{kind} is not of a study, so it has no{part.arguments}")


def _kind_of_source(of: str) -> str:
    """Return the kind of source for what a plot is of."""
    from longfat.plots.options import STUDY_SOURCES

    if of in STUDY_SOURCES:
        return "study"
    return {"traces": "folder of traces", "orbit": "description of orbits"}.get(of, of)


def _open(
    kind: str,
    wanted: str,
    sources: Sequence[str],
    options: "Options",
    part: Part,
    store: str,
) -> "tuple[Any, Options]":
    """Load the data of a plot, and add the levels of its study to the options.

    Raises `LongfatError` if `sources` are of another kind.
    """
    if wanted == "traces":
        return [_traces(kind, source) for source in sources], options
    if len(sources) > 1:
        raise click.UsageError(f"{kind} shows one {wanted}, and {len(sources)} are given")
    (source,) = sources
    if wanted == "analysis":
        return _analysis(source), options
    if wanted == "orbit":
        from longfat.schedules.orbit import orbits_at

        return orbits_at(Path(source)), options
    from longfat.plots.studies import options_of, source_of

    plan, results = _results(source, options, part, store)
    return source_of(kind, plan, results), options_of(plan.study, options)


def _traces(kind: str, source: str) -> "Traces":
    from longfat.traces import load_traces

    try:
        return load_traces(source)
    except LongfatError as error:
        raise LongfatError(f"{kind} shows the traces of a run: {error}") from error


def _results(source: str, options: "Options", part: Part, store: str) -> "tuple[Plan, Results]":
    from longfat.plots.options import check_factors
    from longfat.results.sequential import in_effect
    from longfat.results.stored import load_results
    from longfat.studies.definition import load_study
    from longfat.studies.plan import plan_reference

    study = load_study(source)
    check_factors(options, [factor.name for factor in study.factors])
    plan = plan_reference(study, part.of(study))
    with opened_store(store) as opened:
        plan = in_effect(plan, opened)
        return plan, load_results(plan, opened)


def _analysis(source: str) -> Any:
    from longfat.report.analysis import is_analysis_document

    text = sys.stdin.read() if source == "-" else read_text(Path(source))
    try:
        document = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        document = None
    if not is_analysis_document(document):
        name = "standard input" if source == "-" else source
        is_table = Path(source).suffix == ".csv"
        of = f"{shlex.quote(source)} --factors A,B" if is_table else "STUDY --table NAME"
        raise LongfatError(
            f"{name}: not the output of longfat analyze --json; to create it:\n"
            f"  longfat analyze {of} --response METRIC --json > analysis.json"
        )
    return document


def _nothing_to_draw(kind: str, found: Any, source: str, part: Part, store: str) -> str:
    """Return advice for a plot without data, which suggests no run that is already stored."""
    from longfat import plots
    from longfat.plots.options import STUDY_SOURCES

    wanted = plots.find(kind).SOURCE
    drawn = f"{kind} could draw ({plots.find(kind).SUMMARY})"
    if wanted == "study" and _has_runs(found):
        metrics = ", ".join(dict.fromkeys(table.response.metric for table in found))
        return (
            f"{source} has nothing that {drawn}: its runs are stored, as tables of {metrics}, "
            "which longfat plot responses draws"
        )
    if wanted in STUDY_SOURCES:
        advice = study_command("run", source, part, store)
        return f"{shown(store)} has no runs that {drawn}; if they are missing:\n  {advice}"
    return f"{source} has nothing that {drawn}"


def _has_runs(tables: "Sequence[TableComparison]") -> bool:
    return any(entry.ours is not None for table in tables for entry in table.entries)
