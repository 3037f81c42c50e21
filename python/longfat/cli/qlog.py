"""`longfat qlog`: the traces of a flow in the format of QUIC's implementations."""

from pathlib import Path

import click


@click.command("qlog")
@click.argument("traces", metavar="TRACES", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--flow", type=int, default=1, show_default=True, metavar="N", help="The number of the flow."
)
def command(traces: Path, flow: int) -> None:
    """Print what a flow did as qlog, from the folder TRACES that `longfat run --trace` has left.

    Values are as exact as the traces; --trace-error 0 keeps every change. Viewers such as qvis read
    it from a file called .sqlog.

    Example: longfat qlog traces --flow 2 > flow-2.sqlog
    """
    from longfat.qlog import qlog_lines
    from longfat.traces import load_traces

    for line in qlog_lines(load_traces(traces), flow):
        click.echo(line, nl=False)
