"""`longfat plot`: the named plots, as a picture or as the data drawn."""

from collections.abc import Sequence
from pathlib import Path

import click

from longfat.cli.options import Part, part_options, store_option
from longfat.cli.talk import print_table, say
from longfat.errors import LongfatError


@click.command("plot")
@click.argument("kind", required=False)
@click.argument("study", required=False)
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where to draw: .svg, .pdf, .png, or .csv for the data drawn; may be repeated.",
)
@click.option("--list", "list_plots", is_flag=True, help="List the plots.")
@part_options
@store_option
def command(
    kind: str | None,
    study: str | None,
    outputs: Sequence[Path],
    list_plots: bool,
    store: str,
    part: Part,
) -> None:
    """Draw a plot of KIND from the stored runs of a STUDY.

    Example: longfat plot efficiency-fairness ubr-plus -o scatter.svg
    """
    from longfat import plots
    from longfat.plan import plan_reference
    from longfat.results import compare_results, load_results
    from longfat.store import Store
    from longfat.study import load_study

    if list_plots:
        print_table(["plot", "shows"], [[name, plots.find(name).SUMMARY] for name in plots.PLOTS])
        return
    if kind is None or study is None or not outputs:
        raise click.UsageError("KIND, STUDY and -o FILE are needed, or --list")
    plot = plots.find(kind)
    plots.check_formats(outputs)
    loaded = load_study(study)
    plan = plan_reference(loaded, part.of(loaded))
    with Store.readable(store) as opened:
        rows = plot.collect(compare_results(plan, load_results(plan, opened)))
    if not rows:
        raise LongfatError(f"{store} has no runs to draw yet: longfat study run {study} makes them")
    for output in outputs:
        plots.write(plot, rows, output)
        say(f"drew {output}")
