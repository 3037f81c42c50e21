"""A measured run beside simulations of the same scenario with a model of the programs' TCP."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from longfat import _engine
from longfat.base.errors import InvalidInput
from longfat.base.units import PICOSECONDS_PER_SECOND
from longfat.records.record import Record
from longfat.running.run import run
from longfat.scenarios.scenario import Scenario
from longfat.verification.network import flavor_of

FEWEST_SHARE = 0.02
"""Least share of a run's bytes with which a connection is compared; others only open pages."""

_MOST_TIMES_LONGER = 4
"""How much longer than the measured run a simulation may take."""

_LEAST_SECONDS = 1e-6
"""Simulated after the last byte has arrived."""


_OF_PORTS = {
    "mean_queue_cells": "mean queue",
    "max_queue_cells": "max queue",
    "cells_dropped": "dropped",
}


@dataclass(frozen=True)
class Model:
    """The TCP that stands for the programs': a preset, and its congestion control."""

    preset: str
    control: str

    @property
    def flavor(self) -> str:
        """Our name of the control, for which `control` is the kernel's."""
        return flavor_of(self.preset, self.control)


@dataclass(frozen=True)
class Measured:
    """A TCP connection of a measured run: whose it is, when it began, and what it carried."""

    group: int
    address: str
    began_s: float
    bytes: int
    seconds: float
    retransmitted: int
    round_trip_s: float | None


@dataclass(frozen=True)
class Measure:
    """One number of both sides, of each start."""

    name: str
    measured: Sequence[float]
    simulated: Sequence[float]

    @property
    def difference(self) -> float:
        """How far the means are apart, as a share of the measured one."""
        measured, simulated = fmean(self.measured), fmean(self.simulated)
        if measured == simulated:
            return 0.0
        return (simulated - measured) / measured if measured else float("inf")

    def parts(self, tolerance: float) -> bool:
        """Return True if the ranges of both sides are apart by more than `tolerance`, a share."""
        low = max(min(self.measured), min(self.simulated))
        high = min(max(self.measured), max(self.simulated))
        return low - high > tolerance * max(abs(fmean(self.measured)), abs(fmean(self.simulated)))


def connections_of(record: Mapping[str, Any]) -> list[Measured]:
    """Return the connections of a run's programs that carried much, in order of their starts."""
    carried = sum(_bytes_there(connection) for connection in record["emulation"]["tcp"])
    measured = [
        Measured(
            group=_group_of(record["scenario"], connection["connection"] - 1),
            address=connection["address"],
            began_s=connection["there"]["sent"]["began_s"],
            bytes=_bytes_there(connection),
            seconds=_ended_s(connection) - connection["there"]["sent"]["began_s"],
            retransmitted=connection["there"]["sent"]["segments_retransmitted"],
            round_trip_s=connection["there"]["sent"]["mean_round_trip_s"],
        )
        for connection in record["emulation"]["tcp"]
        if _bytes_there(connection) > max(0, FEWEST_SHARE * carried)
    ]
    return sorted(measured, key=lambda connection: connection.began_s)


def _bytes_there(connection: Mapping[str, Any]) -> int:
    received = connection["there"]["received"]
    return received["bytes"] if received else 0


def _ended_s(connection: Mapping[str, Any]) -> float:
    latest: float = connection["there"]["received"]["latest_data_s"]
    return latest


def _group_of(settings: Mapping[str, Any], sender: int) -> int:
    """Return the number of the group of a sender; the engine has one connection a sender here."""
    for number, group in enumerate(settings["connections"]):
        sender -= group["count"]
        if sender < 0:
            return number
    return len(settings["connections"])


def simulate(record: Record, model: Model, start: int, starts: int) -> Record:
    """Simulate the scenario of a measured run with our model in the place of its programs.

    Each of their connections is a simulated one that begins when it began, with a file of the same
    size. Start number `start` of `starts` is later by so many parts of a round trip: what depends
    on the phase differs from start to start. The simulation lasts until the last file has arrived,
    and then as long as the measured run did, so that means over both are of the same.
    """
    measured = connections_of(record)
    theirs, _ = _places(record, measured)
    seconds = record["emulation"]["seconds"]
    scenario = _simulated(record, model, start, starts, _MOST_TIMES_LONGER * seconds)
    first = run(scenario)
    finished = [first["flows"][place]["finished_s"] for place in theirs]
    if None in finished:
        problem = (
            f"simulated as {model.preset} with {model.control}, the files of the measured run do "
            f"not arrive in {_MOST_TIMES_LONGER} times its {seconds:g} s"
        )
        raise InvalidInput([problem])
    idle = seconds - max(connection.began_s + connection.seconds for connection in measured)
    return run(_simulated(record, model, start, starts, max(finished) + max(idle, _LEAST_SECONDS)))


def _simulated(record: Record, model: Model, start: int, starts: int, seconds: float) -> Scenario:
    settings = json.loads(json.dumps(record["scenario"]))
    settings["duration_ps"] = round(seconds * PICOSECONDS_PER_SECOND)
    measured = connections_of(record)
    if not measured:
        raise InvalidInput(
            ["no TCP connection of the measured run carried data from the sender to the receiver"]
        )
    outside = json.loads(_engine.outside_connections(json.dumps(settings)))
    round_trip_ps = max(connection["round_trip_ps"] for connection in outside)
    later_ps = start * round_trip_ps // starts
    groups: list[dict[str, Any]] = []
    for number, group in enumerate(settings["connections"]):
        own = [connection for connection in measured if connection.group == number]
        if not _is_outside(group, settings):
            groups.append(group)
            continue
        kept = {key: value for key, value in group.items() if key not in ("stack", "traffic")}
        groups.extend(_simulated_group(kept, connection, model, later_ps) for connection in own)
    added = sum(group["count"] for group in groups) - sum(
        group["count"] for group in settings["connections"]
    )
    settings["connections"] = groups
    settings.pop("stack", None)
    if "sources" in settings["topology"]:
        settings["topology"]["sources"] += added
    elif added and "hosts" not in settings["topology"]:
        raise InvalidInput(
            [f"topology {settings['topology']['kind']} has no room for {added} more connections"]
        )
    settings["replication"] = start
    text = json.dumps(settings).encode()
    return Scenario(_engine.resolve_scenario(text, "scenario.json"))


def _is_outside(group: Mapping[str, Any], settings: Mapping[str, Any]) -> bool:
    stack = group.get("stack") or settings.get("stack") or {}
    return bool(stack.get("kind") == "outside")


def _simulated_group(
    group: Mapping[str, Any],
    connection: Measured,
    model: Model,
    later_ps: int,
) -> dict[str, Any]:
    began_ps = round(connection.began_s * PICOSECONDS_PER_SECOND) + later_ps
    return {
        **group,
        "count": 1,
        "tcp": {"preset": model.preset},
        "flavor": model.flavor,
        "traffic": {"kind": "finite", "size_bytes": connection.bytes},
        **({"later_ps": began_ps} if began_ps else {}),
    }


def measures(measured: Sequence[Record], simulations: Sequence[Record]) -> Iterator[Measure]:
    """Yield the numbers of both sides: of each connection of programs, of others, of each port.

    The connections of programs are numbered in the order of their starts.
    """
    each = [connections_of(record) for record in measured]
    theirs, others = _places(measured[0], each[0])
    for number in range(min(map(len, each))):
        own = [connections[number] for connections in each]
        flows = [record["flows"][theirs[number]] for record in simulations]
        seconds = [flow["finished_s"] - flow["started_s"] for flow in flows]
        name = f"tcp {number + 1}"
        yield Measure(f"{name} seconds", [one.seconds for one in own], seconds)
        yield Measure(
            f"{name} goodput bps",
            [8 * one.bytes / one.seconds for one in own],
            [8 * flow["bytes_delivered"] / each for flow, each in zip(flows, seconds, strict=True)],
        )
        yield Measure(
            f"{name} retransmitted",
            [one.retransmitted for one in own],
            [flow["segments_retransmitted"] for flow in flows],
        )
        yield Measure(
            f"{name} mean round trip s",
            [one.round_trip_s for one in own if one.round_trip_s is not None],
            [flow["round_trips"]["mean_s"] for flow in flows if flow["round_trips"]["count"]],
        )
    for before, after in others:
        yield Measure(
            f"{measured[0]['flows'][before]['name']} goodput bps",
            [record["flows"][before]["goodput_bps"] for record in measured],
            [record["flows"][after]["goodput_bps"] for record in simulations],
        )
    for number, port in enumerate(measured[0]["ports"]):
        for key, words in _OF_PORTS.items():
            yield Measure(
                f"{port['name']} {words}",
                [record["ports"][number][key] for record in measured],
                [record["ports"][number][key] for record in simulations],
            )


def _places(
    record: Record, measured: Sequence[Measured]
) -> tuple[list[int], list[tuple[int, int]]]:
    """Return where simulated records have the connections of programs, and the others.

    Of the programs' by the order of their starts; of others in both records.
    """
    settings = record["scenario"]
    groups = settings["connections"]
    theirs: dict[int, int] = {}
    others = []
    before = after = 0
    for number, group in enumerate(groups):
        if _is_outside(group, settings):
            for order, connection in enumerate(measured):
                if connection.group == number:
                    theirs[order] = after
                    after += 1
            before += group["count"]
            continue
        for _ in range(group["count"]):
            others.append((before, after))
            before, after = before + 1, after + 1
    while before < len(record["flows"]):
        others.append((before, after))
        before, after = before + 1, after + 1
    return [theirs[order] for order in sorted(theirs)], others
