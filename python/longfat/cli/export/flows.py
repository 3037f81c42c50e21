"""Options of the verbs that export flows from traces."""

from collections.abc import Callable
from typing import Any

import click

from longfat.cli.options import Number
from longfat.cli.sources import SourceType

OVER_UDP = "udp"
"""Congestion control of flows that have none, as records call it."""

MOST_FLOWS = 1000
"""Flows of a file: programs that read these files show a line for each."""

traces_argument = click.argument("traces", metavar="TRACES", type=SourceType("folder of traces"))

flow_option = click.option(
    "--flow", type=int, metavar="N", help="Export one flow alone.  [default: all that carry data]"
)


def interval_option(default_s: float) -> Callable[[Any], Any]:
    """Return the option of the length of an interval in seconds."""
    return click.option(
        "--interval",
        "interval_s",
        type=Number(min=0, min_open=True),
        default=default_s,
        show_default=True,
        metavar="SECONDS",
        help="Length of an interval.",
    )


def flows_of(traces: Any, flow: int | None) -> list[int]:
    """Return the numbers of the flows to export, which use TCP.

    Raises `LongfatError` for too many, for none, and for a flow over UDP.
    """
    from longfat.base.errors import LongfatError

    over_tcp = [
        number for number in range(1, traces.flows + 1) if traces.flavor_of(number) != OVER_UDP
    ]
    if flow is not None and 1 <= flow <= traces.flows and flow not in over_tcp:
        raise LongfatError(
            f"--flow {flow}: uses UDP, and the file is about TCP; its delays are in the trace delay"
        )
    if flow is not None:
        return [flow]
    if not over_tcp:
        raise LongfatError(f"{traces.folder}: no flow uses TCP, and the file is about TCP")
    if traces.flows > MOST_FLOWS:
        raise LongfatError(
            f"{traces.folder}: {traces.flows:,} flows, and at most {MOST_FLOWS:,} go into a file; "
            "choose one with --flow"
        )
    return over_tcp
