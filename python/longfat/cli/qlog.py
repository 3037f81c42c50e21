"""`longfat qlog`: the traces of a flow in qlog, the format of QUIC implementations."""

from typing import TYPE_CHECKING

import click

from longfat.cli.sources import SourceType
from longfat.cli.talk import say

if TYPE_CHECKING:
    from longfat.traces.qlog import Schema


@click.command("qlog")
@click.argument("traces", metavar="TRACES", type=SourceType("folder of traces"))
@click.option("--flow", type=int, metavar="N", help="The number of the flow.  [default: 1]")
@click.option(
    "--schema",
    type=click.Choice(["0.3", "sequential"]),
    default="0.3",
    show_default=True,
    help="qlog 0.3, which qvis reads, or the sequential file of the drafts since 2025.",
)
def command(traces: str, flow: int | None, schema: "Schema") -> None:
    """Print the events of a flow as qlog, from the folder TRACES of `longfat run --trace`.

    Values are as accurate as the traces; --trace-error 0 keeps every change. Viewers such as qvis
    read it from a file called .sqlog.

    Example: longfat qlog traces --flow 2 > flow-2.sqlog
    """
    from longfat.traces import load_traces
    from longfat.traces.qlog import qlog_lines

    run = load_traces(traces)
    if flow is None and run.flows > 1:
        say(f"flow 1 of {run.flows:,}; --flow N for another")
    for line in qlog_lines(run, 1 if flow is None else flow, schema):
        click.echo(line, nl=False)
