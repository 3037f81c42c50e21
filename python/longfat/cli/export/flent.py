"""`longfat export flent`: the flows of a run as a data file of flent."""

from pathlib import Path

import click

from longfat.cli.export.flows import flow_option, flows_of, interval_option, traces_argument


@click.command("flent")
@traces_argument
@flow_option
@interval_option(0.2)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("run.flent.gz"),
    show_default=True,
    metavar="FILE",
    help="The file to write.",
)
def command(traces: str, flow: int | None, interval_s: float, output: Path) -> None:
    """Write the flows in TRACES, of `longfat run --trace`, into a data file of flent.

    Each flow is a TCP upload, with its congestion window and the round trips that it measures.

    Example: longfat export flent traces -o run.flent.gz; flent-gui run.flent.gz
    """
    from longfat.base.files import written_whole
    from longfat.traces import load_traces
    from longfat.traces.flent import flent_bytes, flent_document

    run = load_traces(traces)
    content = flent_bytes(flent_document(run, flows_of(run, flow), interval_s))
    with written_whole(output) as partial:
        partial.write_bytes(content)
