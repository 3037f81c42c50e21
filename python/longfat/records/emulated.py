"""Lateness, hosts and TCP connections in the record of a run in real time.

Nothing here imports a third-party library: see `longfat.cli.start`.
"""

from __future__ import annotations

from longfat.records.tables import number_text

TYPE_CHECKING = False  # avoids importing typing, which is slow: see longfat.cli.start
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    Part = Mapping[str, Any]

_MICROSECONDS = 1e6

_MOST_CONNECTIONS = 12
"""Most TCP connections that have a row each: those that have carried most."""


def lateness_text(record: Part) -> Iterator[str]:
    """Yield sentences about lateness, priority and what went wrong."""
    account = record["emulation"]
    lateness, scheduling = account["lateness"], account["scheduling"]
    seconds = account["seconds"]
    if lateness["packets"]:
        p50, p99, most = (
            f"{_MICROSECONDS * lateness[name]:,.0f}" for name in ("p50_s", "p99_s", "max_s")
        )
        verdict = "on time" if lateness["is_on_time"] else "LATE"
        yield (
            f"{seconds:.3f} s in real time, {verdict}: packets were {p50} us late in the median, "
            f"{p99} us at p99, {most} us at most (bound of p99: "
            f"{_MICROSECONDS * lateness['bound_s']:,.0f} us)"
        )
    else:
        yield f"{seconds:.3f} s in real time, and no packet arrived"
    policy = scheduling["policy"]
    priority = (
        "no real-time priority" if policy == "normal" else f"{policy} {scheduling['priority']}"
    )
    core = "any core" if scheduling["core"] is None else f"core {scheduling['core']}"
    stolen = scheduling["stolen_s"]
    missed = f"; the machine's own host kept its processors for {stolen:g} s" if stolen else ""
    yield f"scheduled with {priority} on {core}{missed}"
    yield from account["remarks"]
    for host in account["hosts"]:
        if host["packets_dropped_by_interface"]:
            yield (
                f"{host['names'][0]}: {host['packets_dropped_by_interface']} packets dropped "
                "before the run read them, which the scenario did not ask for"
            )
        if host["packets_to_unknown_hosts"]:
            yield f"{host['names'][0]}: {host['packets_to_unknown_hosts']} packets to unknown hosts"
    if account["ended_by"] == "duration":
        yield "ended with the scenario, before the command"


def connection_rows(record: Part) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of the TCP connections that have carried most, there and back."""
    header = ["tcp", "goodput bps", "MB", "retransmitted", "of", "mean round trip s", "finished s"]
    directions = []
    for connection in record["emulation"]["tcp"]:
        for way, arrow in (("there", "->"), ("back", "<-")):
            sent, received = connection[way]["sent"], connection[way]["received"]
            if not sent or not received or not received["bytes"]:
                continue
            name = f"{connection['address']} {arrow} {connection['far_address']}"
            directions.append((received["bytes"], name, sent, received))
    directions.sort(key=lambda direction: direction[0], reverse=True)
    rows = [
        [
            name,
            number_text(received["goodput_bps"] and round(received["goodput_bps"])),
            f"{size / 1e6:,.3f}",
            number_text(sent["segments_retransmitted"]),
            number_text(sent["segments"]),
            number_text(sent["mean_round_trip_s"]),
            number_text(received["finished_s"]),
        ]
        for size, name, sent, received in directions[:_MOST_CONNECTIONS]
    ]
    return header, rows
