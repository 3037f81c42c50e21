"""Round trips measured by ping or irtt, converted to schedules of a path.

In each window the path has the median round trip and the share of lost answers. A request and its
answer cross the path once each: the one-way delay is half a round trip, after subtracting the delay
of other links, and the one-way loss p is such that two independent crossings lose the measured
share, 1 - (1 - p)^2.

With jitter, the extra delay of a crossing is uniform from 0 to a maximum J. The shortest round trip
of a window is then two one-way delays, and the mean exceeds it by J, J/2 for each crossing.
"""

import gzip
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import ceil
from statistics import fmean, median
from typing import Any, Literal

from longfat.base.errors import BadInput
from longfat.base.files import MOST_BYTES

_ANSWER = re.compile(r"(?:icmp_)?seq=(\d{1,9}) .*?time[=<](\d{1,9}(?:\.\d{1,9})?) ?ms", re.ASCII)
_SENT = re.compile(
    r"^(?:\[[^\]\n]{1,40}\] )?(\d{1,9}) packets transmitted(?:.*, time (\d{1,12}) ?ms)?",
    re.ASCII | re.MULTILINE,
)
_STAMP = re.compile(r"^\[(\d{1,12}\.\d{1,9})\]", re.ASCII)
_DATE = re.compile(r"^\[(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d{1,6})?)\]", re.ASCII)
_SENT_BY_WINDOWS = re.compile(r"Packets: Sent = (\d{1,9}),()", re.ASCII)
_OF_WINDOWS = re.compile(r"Reply from [^ ]{1,80}: |Request timed out")
"""Lines of which there is one for each request."""

_DEFAULT_INTERVAL_S = 1.0
"""Interval of ping unless it is told another."""

_SEQUENCES = 2**16
"""Sequence numbers of requests wrap around at this value."""

_NANOSECONDS = 10**9

_MILLISECONDS = 1000

_CENTURY_S = 3.2e9

_ENOUGH = 5
"""Requests in a window at least: with fewer, one lost request dominates its loss share."""


_ALIKE = 0.1
"""Largest difference of two directions without a warning, as a share of the larger."""


@dataclass(frozen=True)
class Ping:
    """A request: when it was sent and its round trip, both in s; None if no answer arrived.

    `crossings` of the path are those in which it could be lost: 2, or 1 if its loss is known to be
    in one direction; 0 if the packet was lost before it could cross in this direction.
    """

    sent_s: float
    round_trip_s: float | None
    crossings: int = 2


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


def read_ping(
    text: str, source: str, interval_s: float | None = None
) -> tuple[list[Ping], str | None]:
    """Read the output of ping (iputils, BSD, macOS, BusyBox or Windows); return it with a warning.

    Requests were sent at the times before the answers, in seconds as `ping -D` prints them or as
    dates. Without times, the interval is `interval_s`, or what ping reports at its end as the time
    of all requests. If that is missing too, it is assumed to be 1 s, and the warning says so.
    Sequence numbers missing between the first and the last answer are lost, and those before and
    after it as far as ping reports how many it sent. Raises `BadInput` for a text with fewer than
    two answers.
    """
    round_trips: dict[int, float] = {}
    stamps: dict[int, float] = {}
    latest = 0
    for line in _numbered(text.splitlines()):
        answer = _ANSWER.search(line)
        if answer is None:
            continue
        round_trip_s = float(answer[2]) / _MILLISECONDS
        number = latest = _unwound(int(answer[1]), latest)
        round_trips.setdefault(number, round_trip_s)
        stamp_s = _stamp_s(line)
        if stamp_s is not None:
            stamps.setdefault(number, stamp_s - round_trip_s)
    if len(round_trips) < 2:
        expected = (
            "expected lines of ping such as '64 bytes from ...: icmp_seq=1 ttl=57 time=35 ms'"
        )
        raise BadInput([f"{source}: {expected}, found {len(round_trips)} of them"])
    first, last = min(round_trips), max(round_trips)
    said = _SENT.search(text) or _SENT_BY_WINDOWS.search(text)
    warning = None
    if first in stamps and last in stamps:
        # Clocks since 1970 are floats of a quarter of a microsecond.
        interval_s = round((stamps[last] - stamps[first]) / (last - first), 7)
    elif interval_s is None and said and said[2] and int(said[1]) > 1:
        interval_s = int(said[2]) / _MILLISECONDS / (int(said[1]) - 1)
    elif interval_s is None:
        interval_s = _DEFAULT_INTERVAL_S
        warning = (
            f"warning: {source}: no times of requests, and no total time at the end; assumed one "
            "request a second (--interval-ms says otherwise)"
        )
    if interval_s <= 0:
        raise BadInput([f"{source}: the times of the first and the last answer do not ascend"])
    # Numbered from 1, or from 0 if that was answered; unknown after the numbers wrapped around.
    begin, end = first, last + 1
    if said and last < _SEQUENCES:
        begin = min(first, 1)
        end = max(end, begin + int(said[1]))
    pings = [
        Ping((number - begin) * interval_s, round_trips.get(number)) for number in range(begin, end)
    ]
    return pings, warning


def _numbered(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines with the sequence numbers that the ping of Windows leaves out."""
    number = 0
    for line in lines:
        if _OF_WINDOWS.match(line):
            number += 1
            yield f"seq={number} {line}"
        else:
            yield line


def _stamp_s(line: str) -> float | None:
    """Return the time before an answer in s since any moment, or None without one."""
    if stamp := _STAMP.match(line):
        return float(stamp[1])
    if date := _DATE.match(line):
        try:
            return datetime.fromisoformat(date[1]).replace(tzinfo=UTC).timestamp()
        except ValueError:  # no date of the calendar
            return None
    return None


def _unwound(number: int, latest: int) -> int:
    """Unwrap a sequence number: return the candidate nearest to the latest one."""
    rounds = round((latest - number) / _SEQUENCES)
    return number + rounds * _SEQUENCES


Direction = Literal["up", "down"]
"""Way of a packet: to the server of irtt, or back."""

_FIELDS: Mapping[Direction, str] = {"up": "send", "down": "receive"}
"""Names of the one-way delays in irtt's JSON."""


def read_irtt(
    content: bytes, source: str, direction: Direction | None = None
) -> tuple[list[Ping], str | None]:
    """Read the JSON of `irtt client -o FILE`, compressed or not; return it with a warning.

    With a `direction`, a round trip is two one-way delays of this direction, and only its losses
    count. Without, the warning has the figures of both directions if they differ. Raises `BadInput`
    for anything else, with the place, and for a direction that was not measured.
    """
    try:
        if content.startswith(b"\x1f\x8b"):
            content = _unpacked(content, source)
        document = json.loads(content)
        trips: list[dict[str, Any]] = document["round_trips"]
        pings = [_of_irtt(trip, direction) for trip in trips]
        warning = None if direction or not trips else _difference(trips, source)
    except RecursionError:
        raise BadInput([f"{source}: JSON that is nested too deeply"]) from None
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
        what = "the JSON of `irtt client -o`, with its round_trips"
        if direction is not None:
            what += f" and the one-way delays that --direction {direction} needs"
        detail = f"{type(error).__name__}: {error}"
        raise BadInput([f"{source}: expected {what}; {detail}"]) from None
    if sum(ping.round_trip_s is not None for ping in pings) < 2:
        raise BadInput([f"{source}: fewer than two round trips"])
    if not all(map(_is_plausible, pings)):
        raise BadInput([f"{source}: times and round trips are nanoseconds, less than a century"])
    first = min(ping.sent_s for ping in pings)
    moved = (replace(ping, sent_s=ping.sent_s - first) for ping in pings)
    return sorted(moved, key=lambda ping: ping.sent_s), warning


def _unpacked(content: bytes, source: str) -> bytes:
    """Return the text of a gzip file, which may be small and unpack to very much."""
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
        text = file.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise BadInput([f"{source}: unpacks to more than {MOST_BYTES / 2**20:,.0f} MiB"])
    return text


def _of_irtt(trip: dict[str, Any], direction: Direction | None) -> Ping:
    sent_s = trip["timestamps"]["client"]["send"]["monotonic"] / _NANOSECONDS
    is_lost = trip["lost"] not in (False, "false")  # "true_up" and "true_down" are lost
    if direction is None:
        return Ping(sent_s, None if is_lost else trip["delay"]["rtt"] / _NANOSECONDS)
    if trip["lost"] == f"true_{direction}":
        return Ping(sent_s, None, crossings=1)
    if is_lost:  # on the other way, so that it says nothing of this one, or unknown where
        return Ping(sent_s, None, crossings=0)
    return Ping(sent_s, 2 * trip["delay"][_FIELDS[direction]] / _NANOSECONDS, crossings=1)


def _difference(trips: Sequence[dict[str, Any]], source: str) -> str | None:
    """Return a warning with the figures of both directions; None if they are alike or unknown."""
    answered = [trip["delay"] for trip in trips if trip["lost"] in (False, "false")]
    figures: dict[Direction, tuple[float, float]] = {}
    for direction, name in _FIELDS.items():
        delays = [delay[name] for delay in answered if name in delay]
        lost = sum(trip["lost"] == f"true_{direction}" for trip in trips)
        delay_ms = median(delays) / _NANOSECONDS * _MILLISECONDS if delays else 0.0
        figures[direction] = delay_ms, lost / len(trips)
    (up_ms, lost_up), (down_ms, lost_down) = figures.values()
    are_delays_alike = abs(up_ms - down_ms) <= _ALIKE * max(up_ms, down_ms)
    if are_delays_alike and abs(lost_up - lost_down) <= _ALIKE * max(lost_up, lost_down):
        return None
    return (
        f"warning: {source}: the directions differ: {up_ms:.4g} ms and {lost_up:.1%} lost up, "
        f"{down_ms:.4g} ms and {lost_down:.1%} lost down; the schedule has the mean of both, "
        "--direction up or --direction down takes one"
    )


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
        loss = _loss(within, len(answered))
        jitter_s = round(fmean(known) - round_trip_s, 7) if with_jitter else None
        crossing = Crossing(begin_s, round(delay_s, 7), round(loss, 6), jitter_s)
        if not crossings or not crossing.follows(crossings[-1]):
            crossings.append(crossing)
    return crossings


def _loss(pings: Sequence[Ping], answered: int) -> float:
    """Return the chance that a crossing loses a packet."""
    if pings[0].crossings == 2:
        return float(1 - (answered / len(pings)) ** 0.5)
    crossed = sum(ping.crossings for ping in pings)
    return 1 - answered / crossed if crossed else 0.0


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
