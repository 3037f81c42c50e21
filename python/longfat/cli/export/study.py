"""`longfat export study`: a study with its stored runs as a research object."""

from pathlib import Path

import click

from longfat.cli.options import Part, opened_store, part_options, store_option, study_argument
from longfat.cli.talk import say


@click.command("study")
@study_argument
@part_options
@store_option
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("crate"),
    show_default=True,
    metavar="FOLDER",
    help="The folder to make.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["parquet", "csv"]),
    default="parquet",
    show_default=True,
    help="Format of the table of runs.",
)
@click.option("--license", "license_", metavar="URL", help="The license of the data.")
def command(
    study: str, part: Part, store: str, folder: Path, form: str, license_: str | None
) -> None:
    """Export the stored runs of STUDY as an RO-Crate, with their provenance.

    It has a table with a row for each run (identity, factors, metrics), the files of the study, and
    ro-crate-metadata.json, which names the engine, the digests of all files, and when it ran.

    Example: longfat export study ubr-plus --quick --to ubr-plus
    """
    from longfat.report.crate import write_crate
    from longfat.results.sequential import in_effect
    from longfat.results.stored import load_results
    from longfat.studies.definition import load_study
    from longfat.studies.plan import plan_combinations, reference_rows

    defined = load_study(study)
    selection = part.of(defined)
    designed = () if selection.tables else defined.combinations
    chosen = dict.fromkeys([*designed, *reference_rows(defined, selection)])
    plan = plan_combinations(defined, selection, list(chosen))
    with opened_store(store) as opened:
        plan = in_effect(plan, opened)
        results = load_results(plan, opened)
        count = write_crate(plan, results, opened, folder, form, license_)
    missing = plan.distinct_runs - count
    say(
        f"{folder}: {count:,} runs" + (f"; {missing:,} planned runs are not stored" * bool(missing))
    )
