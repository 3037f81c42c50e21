"""`longfat plot`: the named plots, as a picture or as the data drawn."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from longfat.cli.options import Part, part_options, store_option
from longfat.cli.talk import print_table, say
from longfat.errors import BadInput, LongfatError

if TYPE_CHECKING:
    from longfat.plots import Layout


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
@click.option("--rows", metavar="FACTOR", help="A row of panels for each level.  [default: config]")
@click.option("--columns", metavar="FACTOR", help="A column for each.  [default: policy]")
@click.option("--colors", metavar="FACTOR", help="A colour for each.  [default: that of --columns]")
@click.option("--markers", metavar="FACTOR", help="A marker for each.  [default: sources]")
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
    **factors: str | None,
) -> None:
    """Draw a plot of KIND from the stored runs of a STUDY.

    Example: longfat plot efficiency-fairness ubr-plus -o scatter.svg
    """
    from longfat import plots
    from longfat.plan import plan_reference
    from longfat.results import compare_results, load_results
    from longfat.sequential import in_effect
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
    layout = _layout(factors, [factor.name for factor in loaded.factors])
    plan = plan_reference(loaded, part.of(loaded))
    with Store.readable(store) as opened:
        plan = in_effect(plan, opened)
        rows = plot.collect(compare_results(plan, load_results(plan, opened)))
    if not rows:
        raise LongfatError(f"{store} has no runs to draw yet: longfat study run {study} makes them")
    for output in outputs:
        plots.write(plot, rows, output, layout)
        say(f"drew {output}")


def _layout(chosen: Mapping[str, str | None], known: Sequence[str]) -> "Layout":
    """The layout that the options ask for. Raises `BadInput` for a factor that is none."""
    from longfat.plots import Layout

    said = {option: factor for option, factor in chosen.items() if factor is not None}
    problems = [
        f"--{option}: unknown factor {factor!r}; known: {', '.join(known)}"
        for option, factor in said.items()
        if factor not in known
    ]
    if problems:
        raise BadInput(problems)
    if "columns" in said:
        said.setdefault("colors", said["columns"])
    return Layout(**said)
