"""`longfat qlog`: the traces of a flow in qlog, the format of QUIC implementations."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from longfat.base.errors import InvalidInput
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

    TRACES may also be a capture of `longfat emulate --pcap`. Its flows are the TCP connections of
    programs, the first that which carried most, with what their headers tell.

    Example: longfat qlog traces --flow 2 > flow-2.sqlog
    """
    of = _of_folder if not Path(traces).is_file() else _of_capture
    for line in of(traces, flow, schema):
        click.echo(line, nl=False)


def _of_folder(traces: str, flow: int | None, schema: "Schema") -> Iterator[str]:
    from longfat.traces import load_traces
    from longfat.traces.qlog import qlog_lines

    run = load_traces(traces)
    if flow is None and run.flows > 1:
        say(f"flow 1 of {run.flows:,}; --flow N for another")
    return qlog_lines(run, 1 if flow is None else flow, schema)


def _of_capture(file: str, flow: int | None, schema: "Schema") -> Iterator[str]:
    from longfat.traces.captured import read_capture
    from longfat.traces.qlog import captured_lines

    found = read_capture(Path(file))
    number = 1 if flow is None else flow
    if not found:
        raise InvalidInput([f"{file}: no TCP connection in it carries data"])
    if not 1 <= number <= len(found):
        raise InvalidInput([f"--flow {flow}: the capture has flows 1 to {len(found)}"])
    if flow is None and len(found) > 1:
        say(f"{found[0].name}, flow 1 of {len(found):,}; --flow N for another")
    return captured_lines(found[number - 1], Path(file).name, schema)
