"""`longfat export iperf3`: the flows of a run as the JSON of iperf3."""

import click

from longfat.cli.export.flows import flow_option, flows_of, interval_option, traces_argument
from longfat.cli.talk import print_json


@click.command("iperf3")
@traces_argument
@flow_option
@interval_option(1.0)
def command(traces: str, flow: int | None, interval_s: float) -> None:
    """Print the flows in TRACES, of `longfat run --trace`, as the JSON of `iperf3 --json`.

    Each flow is a stream of a client that sends. Bytes are those that its receiver delivered in
    order; the window and the round trip are those at the end of an interval.

    Example: longfat export iperf3 traces > run.json
    """
    from longfat.traces import load_traces
    from longfat.traces.iperf3 import iperf3_document

    run = load_traces(traces)
    print_json(iperf3_document(run, flows_of(run, flow), interval_s))
