"""Data files of flent (`.flent.gz`): rates of its TCPs, and round trips of its pings.

A file has series of values at `x_values`, in s, and for many the `raw_values` of the tool, with the
number of each ping (flent's documentation, "The Data File Format"). Units are Mbit/s and ms.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from longfat.base.cells import shown_cells
from longfat.base.errors import BadInput
from longfat.schedules.measured import (
    DIRECTIONS,
    Column,
    Direction,
    Measured,
    Way,
    joined,
    with_notes,
)
from longfat.schedules.options import Options
from longfat.schedules.probes import Probe, check, clocks, path_of
from longfat.schedules.sample import Sample, document_of, list_in, number_in, object_in

KIND = "a data file of flent"
HELP = """Print the rates and delays in FILE, a data file of flent, as CSV for `path.steps`.

Rates are the sums of its TCPs. Where these fill the line, pings wait in its queue: the delay is
then half of the shortest round trip. A file with pings alone gives delays and losses by windows.

Example: longfat schedule from-flent rrul-2026-01-20.flent.gz > path.csv
"""
FILES = ("file",)
OPTIONS = ("window_ms", "elsewhere_ms", "jitter")

_TCP: Mapping[Direction, str] = {"up": "TCP upload", "down": "TCP download"}
"""Beginnings of the names of series with rates."""

_COMPUTED = ("avg", "fairness", "sum", "totals")
"""Ends of the names of series that flent computes of others."""

_PING = "Ping (ms)"

_OWN_WAYS: Mapping[Direction, str] = {"up": "owd_up", "down": "owd_down"}
"""Names of one-way delays among the raw values of irtt."""

_MEGABIT = 1e6
_MILLISECONDS = 1000


def recognizes(sample: Sample) -> bool:
    """True if it is JSON with flent's series."""
    return sample.is_json and b'"x_values"' in sample.content and b'"results"' in sample.content


def measured(files: dict[str, Sample], options: Options) -> Measured:
    """Return the path. Raises `BadInput` for anything else, with the place."""
    sample = files["file"]
    document = document_of(sample, "a data file of flent, with its x_values and results")
    times = list_in(document, "x_values", sample.source)
    times_s = [number_in({"x_values": time}, "x_values", sample.source) for time in times]
    results = object_in(document, "results", sample.source)
    rates = {way: _rates(results, way, len(times_s), sample.source) for way in DIRECTIONS}
    pings = _pings(document, times_s, results, sample.source)
    parts = [
        _rate_path(times_s, values, way) for way, values in rates.items() if any(_known(values))
    ]
    if not parts:
        if len(pings) < 2:
            raise BadInput([f"{sample.source}: neither rates of TCP nor round trips of ping"])
        return path_of(pings, options, sample.source)
    path = joined(_aligned(parts, sample.source))
    if not pings:
        return path
    note = (
        f"warning: {sample.source}: pings waited in the queue that TCP filled; the delay is half "
        "of the shortest round trip, for the whole time"
    )
    return joined([path, with_notes(_shortest(pings, options, sample.source), note)])


def _rates(
    results: Mapping[str, Any], way: Direction, count: int, source: str
) -> list[float | None]:
    """Return the sum of all TCPs of a direction at each time in bit/s; None before any has one."""
    named = {name: values for name, values in results.items() if name.startswith(_TCP[way])}
    own = [
        _series(values, count, f"{source}: {shown_cells([name])}")
        for name, values in named.items()
        if not name.endswith(_COMPUTED) and "::tcp_" not in name
    ]
    if f"{_TCP[way]} sum" in named:
        own = [_series(named[f"{_TCP[way]} sum"], count, f"{source}: {_TCP[way]} sum")]
    sums: list[float | None] = []
    for values in zip(*own, strict=True):
        known = [value for value in values if value is not None]
        sums.append(round(sum(known) * _MEGABIT) if known else None)
    return sums


def _series(values: Any, count: int, where: str) -> list[float | None]:
    if not isinstance(values, list) or len(values) != count:
        raise BadInput([f"{where}: expected a list of {count} values, as many as x_values"])
    return [
        None if value is None else number_in({"value": value}, "value", where) for value in values
    ]


def _known(values: Sequence[float | None]) -> list[bool]:
    return [value is not None for value in values]


def _rate_path(
    times_s: Sequence[float], values: Sequence[float | None], way: Direction
) -> Measured:
    """Return the path from the first rate to the last; a rate that is missing is that before."""
    known = _known(values)
    first, last = known.index(True), len(known) - 1 - known[::-1].index(True)
    rates: list[float] = []
    for value in values[first : last + 1]:
        rates.append(value if value is not None else rates[-1])
    column = Way(rate_bps=tuple(rates))
    own = tuple(times_s[first : last + 1])
    return Measured(own, up=column) if way == "up" else Measured(own, down=column)


def _aligned(parts: Sequence[Measured], source: str) -> list[Measured]:
    """Return the parts with times from the first of all on."""
    first_s = min(part.times_s[0] for part in parts)
    moved = []
    for part in parts:
        times_s = tuple(round(time_s - first_s, 6) for time_s in part.times_s)
        moved.append(Measured(times_s, part.up, part.down).checked(source))
    return moved


def _pings(
    document: Mapping[str, Any], times_s: Sequence[float], results: Mapping[str, Any], source: str
) -> list[Probe]:
    """Return the pings of the first series with some, by their raw values if they have numbers."""
    names = [name for name in results if name.startswith(_PING) and not name.endswith(_COMPUTED)]
    raw = document.get("raw_values")
    for name in names:
        own = raw.get(name) if isinstance(raw, dict) else None
        if isinstance(own, list) and own and all(_has_number(one) for one in own):
            return _raw_pings(own, f"{source}: raw_values, {shown_cells([name])}")
    for name in names:
        values = _series(results[name], len(times_s), f"{source}: {shown_cells([name])}")
        pairs = zip(times_s, values, strict=True)
        return [Probe(time_s, trip / _MILLISECONDS) for time_s, trip in pairs if trip is not None]
    return []


def _has_number(value: Any) -> bool:
    return isinstance(value, dict) and {"seq", "t", "val"} <= value.keys()


def _raw_pings(values: Sequence[Any], where: str) -> list[Probe]:
    """Return the pings, and those whose numbers are missing as lost, evenly between the others."""
    probes: list[Probe] = []
    before: tuple[float, float] | None = None
    for value in values:
        number, answered_s = number_in(value, "seq", where), number_in(value, "t", where)
        trip_s = number_in(value, "val", where) / _MILLISECONDS
        up_s, down_s = (
            number_in(value, name, where) / _MILLISECONDS if name in value else None
            for name in _OWN_WAYS.values()
        )
        sent_s = answered_s - trip_s
        if before is not None and 1 < number - before[0] < 65536:
            missing = int(number - before[0]) - 1
            step_s = (sent_s - before[1]) / (missing + 1)
            probes += [Probe(before[1] + step_s * lost) for lost in range(1, missing + 1)]
        before = number, sent_s
        probes.append(Probe(sent_s, trip_s, up_s, down_s))
    return probes


def _shortest(pings: Sequence[Probe], options: Options, source: str) -> Measured:
    """Return a path with one delay in each direction: the shortest of all crossings."""
    check(pings, source)
    has_ways = any(ping.has_ways for ping in pings)
    note = clocks(pings, source) if has_ways else None
    shortest = min(ping.round_trip_s for ping in pings if ping.round_trip_s is not None) / 2
    delays: dict[Direction, float] = dict.fromkeys(DIRECTIONS, shortest)
    if has_ways and note is None:
        for way in DIRECTIONS:
            found = (ping.crossing_s(way) for ping in pings if ping.has_ways)
            delays[way] = min(delay for delay in found if delay is not None)
    elsewhere_s = options.elsewhere_ms / 2 / _MILLISECONDS
    if min(delays.values()) <= elsewhere_s:
        raise BadInput([f"{source}: round trips do not exceed what --elsewhere-ms subtracts"])
    columns: dict[Direction, Column] = {
        way: (round(delay - elsewhere_s, 7),) for way, delay in delays.items()
    }
    path = Measured((0.0,), Way(delay_s=columns["up"]), Way(delay_s=columns["down"]))
    return with_notes(path, note)
