"""Round trips measured by ping or irtt, converted to schedules of a path.

In each window the path has the median round trip and the share of lost answers. A request and its
answer cross the path once each: the one-way delay is half a round trip, after subtracting the delay
of other links, and the one-way loss p is such that two independent crossings lose the measured
share, 1 - (1 - p)^2.

With jitter, the extra delay of a crossing is uniform from 0 to a maximum J. The shortest round trip
of a window is then two one-way delays, and the mean exceeds it by J, J/2 for each crossing.
"""

import gzip
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from statistics import fmean, median
from typing import Any

from longfat.base.errors import BadInput

_ANSWER = re.compile(r"(?:icmp_)?seq=(\d{1,9}) .*?time[=<](\d{1,9}(?:\.\d{1,9})?) ?ms", re.ASCII)
_SENT = re.compile(r"^(\d{1,9}) packets transmitted", re.ASCII | re.MULTILINE)
_STAMP = re.compile(r"^\[(\d{1,12}\.\d{1,9})\]", re.ASCII)

_SEQUENCES = 2**16
"""Sequence numbers of requests wrap around at this value."""

_NANOSECONDS = 10**9

_MILLISECONDS = 1000

_CENTURY_S = 3.2e9

_ENOUGH = 5
"""Requests in a window at least: with fewer, one lost request dominates its loss share."""


@dataclass(frozen=True)
class Ping:
    """A request: when it was sent and its round trip, both in s; None if no answer arrived."""

    sent_s: float
    round_trip_s: float | None


@dataclass(frozen=True)
class Crossing:
    """A step of a schedule: one-way delay in s and loss probability, from a time on.

    The extra delay of a packet is uniform from 0 to `jitter_s`; None leaves jitter out.
    """

    time_s: float
    delay_s: float
    loss: float
    jitter_s: float | None = None

    def follows(self, other: "Crossing") -> bool:
        """True if only the time differs from `other`."""
        return replace(self, time_s=other.time_s) == other


def read_ping(text: str, source: str, interval_s: float) -> list[Ping]:
    """Read the output of ping (of iputils, BSD, macOS or BusyBox).

    Requests were sent every `interval_s`, or at the times that `ping -D` prints. Sequence numbers
    missing between the first and the last answer are lost, and those before and after it as far as
    ping reports how many it sent. Raises `BadInput` for a text with fewer than two answers.
    """
    round_trips: dict[int, float] = {}
    stamps: dict[int, float] = {}
    latest = 0
    for line in text.splitlines():
        answer = _ANSWER.search(line)
        if answer is None:
            continue
        round_trip_s = float(answer[2]) / _MILLISECONDS
        number = latest = _unwound(int(answer[1]), latest)
        round_trips.setdefault(number, round_trip_s)
        if stamp := _STAMP.match(line):
            stamps.setdefault(number, float(stamp[1]) - round_trip_s)
    if len(round_trips) < 2:
        expected = (
            "expected lines of ping such as '64 bytes from ...: icmp_seq=1 ttl=57 time=35 ms'"
        )
        raise BadInput([f"{source}: {expected}, found {len(round_trips)} of them"])
    first, last = min(round_trips), max(round_trips)
    if first in stamps and last in stamps:
        interval_s = (stamps[last] - stamps[first]) / (last - first)
    if interval_s <= 0:
        raise BadInput([f"{source}: the times of the first and the last answer do not ascend"])
    # Numbered from 1, or from 0 if that was answered; unknown after the numbers wrapped around.
    begin, end = first, last + 1
    if (said := _SENT.search(text)) and last < _SEQUENCES:
        begin = min(first, 1)
        end = max(end, begin + int(said[1]))
    return [
        Ping((number - begin) * interval_s, round_trips.get(number)) for number in range(begin, end)
    ]


def _unwound(number: int, latest: int) -> int:
    """Unwrap a sequence number: return the candidate nearest to the latest one."""
    rounds = round((latest - number) / _SEQUENCES)
    return number + rounds * _SEQUENCES


def read_irtt(content: bytes, source: str) -> list[Ping]:
    """Read the JSON of `irtt client -o FILE`, compressed or not.

    Raises `BadInput` for anything else, with the place.
    """
    try:
        if content.startswith(b"\x1f\x8b"):
            content = gzip.decompress(content)
        document = json.loads(content)
        trips: list[dict[str, Any]] = document["round_trips"]
        pings = [_of_irtt(trip) for trip in trips]
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
        what = "the JSON of `irtt client -o`, with its round_trips"
        detail = f"{type(error).__name__}: {error}"
        raise BadInput([f"{source}: expected {what}; {detail}"]) from None
    if sum(ping.round_trip_s is not None for ping in pings) < 2:
        raise BadInput([f"{source}: fewer than two round trips"])
    if not all(map(_is_plausible, pings)):
        raise BadInput([f"{source}: times and round trips are nanoseconds, less than a century"])
    first = min(ping.sent_s for ping in pings)
    return sorted(
        (Ping(ping.sent_s - first, ping.round_trip_s) for ping in pings),
        key=lambda ping: ping.sent_s,
    )


def _of_irtt(trip: dict[str, Any]) -> Ping:
    sent_s = trip["timestamps"]["client"]["send"]["monotonic"] / _NANOSECONDS
    is_lost = trip["lost"] not in (False, "false")  # "true_up" and "true_down" are lost
    return Ping(sent_s, None if is_lost else trip["delay"]["rtt"] / _NANOSECONDS)


def _is_plausible(ping: Ping) -> bool:
    """True if times are within a century, which excludes infinity and NaN."""
    numbers = [ping.sent_s, ping.round_trip_s or 0.0]
    return all(abs(number) < _CENTURY_S for number in numbers)


def schedule_of(
    pings: Sequence[Ping],
    window_s: float,
    elsewhere_s: float,
    source: str,
    *,
    with_jitter: bool = False,
) -> list[Crossing]:
    """Return the path of each window; consecutive equal windows are merged.

    `elsewhere_s` of each round trip is delay outside the path and is subtracted. A window without
    answers loses everything and keeps the delay of the window before. Raises `BadInput` for round
    trips that do not exceed `elsewhere_s`.
    """
    crossings: list[Crossing] = []
    known = [ping.round_trip_s for ping in pings if ping.round_trip_s is not None][:1]
    for begin_s, within in _windows(pings, window_s):
        answered = [ping.round_trip_s for ping in within if ping.round_trip_s is not None]
        known = answered or known
        round_trip_s = min(known) if with_jitter else median(known)
        delay_s = (round_trip_s - elsewhere_s) / 2
        if delay_s <= 0:
            shortest_ms = 2 * _MILLISECONDS * delay_s + _MILLISECONDS * elsewhere_s
            problem = f"round trips of {shortest_ms:g} ms at {begin_s:g} s do not exceed what"
            raise BadInput([f"{source}: {problem} --elsewhere-ms subtracts"])
        loss = 1 - (len(answered) / len(within)) ** 0.5
        jitter_s = round(fmean(known) - round_trip_s, 7) if with_jitter else None
        crossing = Crossing(begin_s, round(delay_s, 7), round(loss, 6), jitter_s)
        if not crossings or not crossing.follows(crossings[-1]):
            crossings.append(crossing)
    return crossings


def how_coarse(pings: Sequence[Ping], window_s: float, source: str) -> str | None:
    """Return a warning if windows have so few requests that losing one is an outage; or None."""
    spacing_s = (pings[-1].sent_s - pings[0].sent_s) / (len(pings) - 1)
    has_enough = window_s > (_ENOUGH - 0.5) * spacing_s  # spacing varies a little
    if has_enough or all(ping.round_trip_s is not None for ping in pings):
        return None
    enough_ms = ceil(round(_MILLISECONDS * spacing_s * _ENOUGH, 3))
    return (
        f"warning: {source}: requests are {_MILLISECONDS * spacing_s:.4g} ms apart: one lost "
        f"request is a large share of a window of {_MILLISECONDS * window_s:g} ms, or an outage; "
        f"--window-ms {enough_ms} has {_ENOUGH} in each"
    )


def _windows(pings: Sequence[Ping], window_s: float) -> Iterator[tuple[float, list[Ping]]]:
    """Yield (begin in s, requests) for each window in which a request was sent."""
    of_windows: dict[int, list[Ping]] = {}
    for ping in pings:
        of_windows.setdefault(int(ping.sent_s / window_s + 1e-9), []).append(ping)
    for number in sorted(of_windows):
        yield number * window_s, of_windows[number]


def schedule_text(schedule: Sequence[Crossing]) -> str:
    """Return the schedule as CSV."""
    columns = ["time_s", "delay_s", "jitter_s", "loss"]
    if any(crossing.jitter_s is None for crossing in schedule):
        columns.remove("jitter_s")
    lines = [
        ",".join(_plain(getattr(crossing, column)) for column in columns) for crossing in schedule
    ]
    return "\n".join([",".join(columns), *lines])


def _plain(number: float) -> str:
    return f"{number:.7f}".rstrip("0").rstrip(".")
