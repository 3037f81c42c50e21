"""`longfat report`: a study's results as one page of HTML."""

from pathlib import Path

import click

from longfat.base.errors import LongfatError
from longfat.base.location import in_commands
from longfat.cli.options import (
    Part,
    confidence_option,
    opened_store,
    part_options,
    store_option,
    study_argument,
    study_command,
)
from longfat.cli.talk import say


@click.command("report")
@study_argument
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The page to write, such as report.html.",
)
@confidence_option(above=0.5, meaning="Confidence of each verdict and interval.")
@click.option(
    "--traces/--no-traces",
    "with_traces",
    default=True,
    help="Whether to repeat the worst and the typical run, to show them over time.",
)
@part_options
@store_option
def command(
    study: str,
    output: Path,
    confidence: float,
    with_traces: bool,
    part: Part,
    store: str,
) -> None:
    """Write the results of a study's stored runs into one self-contained page of HTML.

    It includes its figures, data and provenance, works without a network and prints on A4. Only two
    runs are repeated, for their time series.

    Example: longfat report ubr-plus -o report.html
    """
    from longfat.base.files import written_whole
    from longfat.report.from_store import NothingToReport, report
    from longfat.report.study_report.contents import Said
    from longfat.studies.definition import load_study

    if output.suffix != ".html":
        raise LongfatError(f"{output}: the suffix must be .html")
    loaded = load_study(study)
    said = Said(study, part.tables, part.where, part.replications, part.quick, in_commands(store))
    advice = f"to run them:\n  {study_command('run', study, part, store)}"
    try:
        with opened_store(store):
            made = report(loaded, part.of(loaded), store, said, confidence, with_traces=with_traces)
    except NothingToReport as error:
        raise LongfatError(f"{error}; {advice}") from error
    with written_whole(output) as temporary:
        temporary.write_text(made.html, encoding="utf-8")
    say(f"wrote {output} ({len(made.html.encode()) / 1e6:.1f} MB)")
    if made.done < made.planned:
        say(f"{made.planned - made.done} of {made.planned} runs have no result; {advice}")
