"""Groups of a run's connections, and quantiles of their results within a group.

Nothing here imports a third-party library: see `longfat.cli.start`.
"""

from __future__ import annotations

from itertools import chain, repeat

TYPE_CHECKING = False  # avoids importing typing, which is slow: see longfat.cli.start
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    Part = Mapping[str, Any]
    Kind = tuple[str, ...]
    Group = tuple[str, list[Part]]
    """Name of a group and its flows, as in the record."""
    Measure = tuple[str, list[float], int]
    """Name with its unit, the values of the flows that have one, and the number of flows."""

MOST_GROUPS = 4
"""Largest number of groups on a screen: with more, connections that are alike share one."""


def groups_of(record: Part) -> list[Group]:
    """Divide the flows of a record as finely as the scenario does, but in `MOST_GROUPS` at most.

    The finest groups are the entries of `connections`. Then follow those of one congestion
    control, traffic and pair of hosts, of one control and traffic, and of one control. The name of
    a group says what its flows have in common and others have not; of an entry also their numbers.
    """
    kinds = kinds_of_flows(record)
    found: list[Group] = []
    for key in (kinds, *([kind[1:last] for kind in kinds] for last in (4, 3, 2, 1))):
        members: dict[Kind, list[int]] = {}
        for place, kind in enumerate(key):
            members.setdefault(kind, []).append(place)
        found = [
            (name, [record["flows"][place] for place in places])
            for name, places in zip(_names(members, key is kinds), members.values(), strict=True)
        ]
        if len(found) <= MOST_GROUPS:
            break
    return found


def kinds_of_flows(record: Part) -> list[Kind]:
    """Return entry of `connections`, congestion control, traffic and hosts of each flow."""
    settings = record["scenario"]
    entries = settings.get("connections", [])
    numbered = chain.from_iterable(
        repeat((str(place), entry), entry.get("count", 1)) for place, entry in enumerate(entries)
    )
    alike = settings["traffic"]["kind"]
    kinds: list[Kind] = []
    of_flows = zip(record["flows"], chain(numbered, repeat(("", {}))), strict=False)
    for flow, (place, entry) in of_flows:
        traffic = entry.get("traffic", {}).get("kind", alike)
        hosts = f"{entry['from']} to {entry['to']}" if {"from", "to"} <= entry.keys() else ""
        kinds.append((place, flow["flavor"], traffic, hosts))
    return kinds


def _names(members: Mapping[Kind, Sequence[int]], by_entry: bool) -> Iterator[str]:
    """Yield the names of groups, each of flows with the same kind."""
    if len(members) == 1:
        yield "all"
        return
    # Words that all groups share tell nobody which is which.
    tells = [len(set(column)) > 1 for column in zip(*members, strict=True)]
    for kind, places in members.items():
        words = [word for word, tell in zip(kind, tells, strict=True) if tell and word]
        if by_entry:
            first, last = places[0] + 1, places[-1] + 1
            numbers = f"flow {first}" if first == last else f"flows {first}-{last}"
            words = [numbers, *words[bool(kind[0]) :]]
        yield ", ".join(words)


def files_of(record: Part) -> list[Part]:
    """Return the flows that deliver one file each."""
    kinds = kinds_of_flows(record)
    return [
        flow
        for flow, (_, _, traffic, _) in zip(record["flows"], kinds, strict=True)
        if traffic == "finite"
    ]


def file_times_s(files: Sequence[Part]) -> list[float]:
    """Return the seconds that each delivered file took, from the first data to the last byte."""
    return [
        flow["finished_s"] - flow["started_s"] for flow in files if flow["finished_s"] is not None
    ]


def measures_of(flows: Sequence[Part], of_files: bool) -> list[Measure]:
    """Return the results of a group's flows, the most telling first; with times if `of_files`."""
    told = [("goodput bps", [flow["goodput_bps"] for flow in flows])]
    if all("datagrams" in flow for flow in flows):
        told = [*_of_datagrams([flow["datagrams"] for flow in flows]), *told]
        return [(name, values, len(flows)) for name, values in told]
    if of_files:
        told.append(("file time s", file_times_s(flows)))
    shares = [
        100 * flow["segments_retransmitted"] / flow["segments_sent"]
        for flow in flows
        if flow["segments_sent"]
    ]
    told.append(("retransmitted %", shares))
    trips = [flow["round_trips"]["mean_s"] for flow in flows if flow["round_trips"]["count"]]
    told.append(("mean round trip s", trips))
    return [(name, values, len(flows)) for name, values in told]


def _of_datagrams(datagrams: Sequence[Part]) -> Iterator[tuple[str, list[float]]]:
    """Yield the results of flows over UDP, of those that have any."""
    for name, key in (
        *(("p99 delay s", "delay_p99_s"), ("mean delay s", "delay_mean_s")),
        *(("lost share", "loss_ratio"), ("mean jitter s", "mean_jitter_s")),
        ("reordered share", "reordered_ratio"),
    ):
        yield name, [own[key] for own in datagrams if own[key] is not None]


def quantiles(values: Sequence[float]) -> list[float | None]:
    """Return the minimum, the median, the 95th percentile and the maximum; None of no values."""
    return [nearest_rank(values, percent) for percent in (0, 50, 95, 100)]


def nearest_rank(values: Sequence[float], percent: int) -> float | None:
    """Return the smallest value that `percent` of the values do not exceed; None of no values."""
    rank = max(-(-percent * len(values) // 100), 1)
    return sorted(values)[rank - 1] if values else None
