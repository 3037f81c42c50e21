"""Probes and their answers, as delays, jitter and losses of a path by windows of time.

In each window a direction has the median delay of a crossing and the share of packets lost in it.
Where only round trips are known, a request and its answer cross the path once each: the one-way
delay is half a round trip, after subtracting the delay of other links, and the one-way loss p is
such that two independent crossings lose the measured share, 1 - (1 - p)^2.

With jitter, the extra delay of a crossing is uniform from 0 to a maximum J. The delay is then the
shortest crossing of the window, and the mean exceeds it by J/2. Half a round trip counts as a
crossing: two crossings exceed two delays by J on average.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import fmean, median

from longfat.base.errors import BadInput
from longfat.schedules.measured import (
    DIRECTIONS,
    LARGEST,
    Column,
    Direction,
    Measured,
    Way,
    with_notes,
)
from longfat.schedules.options import Options

DEFAULT_WINDOW_MS = 1000

_MILLISECONDS = 1000

_CENTURY_S = 3.2e9

_ENOUGH = 5
"""Requests in a window at least: with fewer, one lost request dominates its loss share."""

MOST_LOST = 1_000_000
"""Most requests without a line of their own: nearly three hours at a hundred a second."""

_MOST_TRIP_S = 2 * LARGEST["delay_s"]
"""Longest round trip, of two crossings."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A request: when it was sent and its round trip, both in s; None if no answer arrived.

    `up_s` and `down_s` are the delays of the ways, in s, if they were measured. `lost_on` is the
    way on which it was lost, None if it was not, or if that is unknown.
    """

    sent_s: float
    round_trip_s: float | None = None
    up_s: float | None = None
    down_s: float | None = None
    lost_on: Direction | None = None

    @property
    def has_ways(self) -> bool:
        """True if both one-way delays were measured."""
        return self.up_s is not None and self.down_s is not None

    def crossing_s(self, direction: Direction) -> float | None:
        """Return the delay of a direction."""
        return self.up_s if direction == "up" else self.down_s


def path_of(probes: Sequence[Probe], options: Options, source: str) -> Measured:
    """Return the path of each window in which a request was sent.

    A window without answers keeps the delay of the window before. Raises `BadInput` for fewer than
    two answers, for times beyond a century, and for crossings that are not longer than the part of
    the round trip that is elsewhere.
    """
    check(probes, source)
    first_s = min(probe.sent_s for probe in probes)
    window_s = (options.window_ms or DEFAULT_WINDOW_MS) / _MILLISECONDS
    elsewhere_s = options.elsewhere_ms / _MILLISECONDS
    windows = list(_windows(probes, first_s, window_s))
    has_ways = any(probe.has_ways for probe in probes)
    note = clocks(probes, source) if has_ways else None
    is_split = has_ways and note is None
    times_s = tuple(round(begin_s, 7) for begin_s, _ in windows)
    losses = [losses_of(within) for _, within in windows]
    ways = {}
    for number, direction in enumerate(DIRECTIONS):
        crossings = [_crossings(within, direction if is_split else None) for _, within in windows]
        delays, jitters = _delays(crossings, options.jitter)
        ways[direction] = Way(
            delay_s=_shortened(delays, elsewhere_s / 2, times_s, source),
            jitter_s=jitters if options.jitter else None,
            loss=tuple(round(loss[number], 6) for loss in losses),
        )
    path = Measured(times_s, ways["up"], ways["down"])
    return with_notes(path, note, how_coarse(probes, window_s, source))


def check(probes: Sequence[Probe], source: str) -> None:
    """Raise `BadInput` unless two were answered, in the time that two crossings may take.

    Times and one-way delays are within a century, which also excludes infinity and NaN.
    """
    answered = [probe for probe in probes if probe.round_trip_s is not None]
    if len(answered) < 2:
        raise BadInput([f"{source}: fewer than two answers"])
    for probe in probes:
        numbers = (probe.sent_s, probe.round_trip_s, probe.up_s, probe.down_s)
        if not all(number is None or abs(number) < _CENTURY_S for number in numbers):
            raise BadInput([f"{source}: a time or a delay of more than a century"])
        if probe.round_trip_s is not None and not 0 <= probe.round_trip_s <= _MOST_TRIP_S:
            problem = (
                f"a round trip of {probe.round_trip_s:g} s, and {_MOST_TRIP_S:g} s is the most"
            )
            raise BadInput([f"{source}: {problem}"])
    span_s = max(probe.sent_s for probe in probes) - min(probe.sent_s for probe in probes)
    if span_s <= 0:
        raise BadInput([f"{source}: all requests have the same time"])


def clocks(probes: Sequence[Probe], source: str) -> str | None:
    """Return a remark if one-way delays show that the clocks of the ends differ; or None."""
    shortest = [
        min(delay for probe in probes if (delay := probe.crossing_s(way)) is not None)
        for way in DIRECTIONS
    ]
    if min(shortest) > 0:
        return None
    apart_s = abs(shortest[0] - shortest[1]) / 2
    return (
        f"warning: {source}: the clocks of the two ends are about {apart_s:.3g} s apart, so "
        "one-way delays are unknown; both directions have half of the round trip"
    )


def losses_of(probes: Sequence[Probe]) -> tuple[float, float]:
    """Return the chances that a packet is lost up, and down.

    Those that were lost down had come up. Where a packet was lost without a trace, both directions
    take an equal part in it.
    """
    lost = Counter(probe.lost_on for probe in probes if probe.round_trip_s is None)
    answered = len(probes) - lost.total()
    up = _share(answered + lost["down"], lost["up"])
    down = _share(answered, lost["down"])
    if up * down > 0:
        untold = (answered / len(probes) / (up * down)) ** 0.5
        up, down = up * untold, down * untold
    return 1 - up, 1 - down


def _share(passed: int, lost: int) -> float:
    return passed / (passed + lost) if passed + lost else 1.0


def _crossings(probes: Sequence[Probe], direction: Direction | None) -> list[float]:
    """Return the delays of a direction in s, or halves of round trips if it is None."""
    if direction is None:
        return [probe.round_trip_s / 2 for probe in probes if probe.round_trip_s is not None]
    found = (probe.crossing_s(direction) for probe in probes if probe.has_ways)
    return [delay for delay in found if delay is not None]


def _delays(windows: Sequence[Sequence[float]], with_jitter: bool) -> tuple[Column, Column]:
    """Return delay and jitter of each window, of an empty one those of the window before."""
    known = next(crossings for crossings in windows if crossings)
    delays, jitters = [], []
    for crossings in windows:
        known = crossings or known
        delays.append(min(known) if with_jitter else median(known))
        jitters.append(round(2 * (fmean(known) - min(known)), 7))
    return tuple(delays), tuple(max(0.0, jitter) for jitter in jitters)


def _shortened(delays: Column, elsewhere_s: float, times_s: Column, source: str) -> Column:
    """Return the delays without what is elsewhere, in s."""
    for delay_s, time_s in zip(delays, times_s, strict=True):
        if delay_s <= elsewhere_s:
            trip_ms = 2 * _MILLISECONDS * delay_s
            problem = f"round trips of {trip_ms:g} ms at {time_s:g} s do not exceed what"
            raise BadInput([f"{source}: {problem} --elsewhere-ms subtracts"])
    return tuple(round(delay_s - elsewhere_s, 7) for delay_s in delays)


def how_coarse(probes: Sequence[Probe], window_s: float, source: str) -> str | None:
    """Return a remark if windows have so few requests that losing one is an outage; or None."""
    sent_s = [probe.sent_s for probe in probes]
    spacing_s = (max(sent_s) - min(sent_s)) / (len(probes) - 1)
    has_enough = window_s > (_ENOUGH - 0.5) * spacing_s  # spacing varies a little
    if has_enough or all(probe.round_trip_s is not None for probe in probes):
        return None
    enough_ms = ceil(round(_MILLISECONDS * spacing_s * _ENOUGH, 3))
    return (
        f"warning: {source}: requests are {_MILLISECONDS * spacing_s:.4g} ms apart: one lost "
        f"request is a large share of a window of {_MILLISECONDS * window_s:g} ms, or an outage; "
        f"--window-ms {enough_ms} has {_ENOUGH} in each"
    )


def _windows(
    probes: Sequence[Probe], first_s: float, window_s: float
) -> Iterator[tuple[float, list[Probe]]]:
    """Yield (begin in s, requests) for each window in which a request was sent."""
    of_windows: dict[int, list[Probe]] = {}
    for probe in probes:
        of_windows.setdefault(int((probe.sent_s - first_s) / window_s + 1e-9), []).append(probe)
    for number in sorted(of_windows):
        yield number * window_s, of_windows[number]
