"""Samples of senders and receivers at regular times, for the files of other programs."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from longfat.base.errors import InvalidInput
from longfat.base.units import PICOSECONDS_PER_SECOND

if TYPE_CHECKING:
    from longfat.traces import Traces

TABLES = ("throughput", "cwnd", "rtt", "segments")
"""Names of the traces that samples are derived from."""


@dataclass(frozen=True)
class Sample:
    """An interval of a flow, in seconds and bytes.

    The window is that at its end, the round trip the latest that was measured until then; either is
    None before the first.
    """

    start_s: float
    end_s: float
    delivered_bytes: int
    sent_again: int
    cwnd_bytes: float | None
    round_trip_s: float | None

    @property
    def bits_per_second(self) -> float:
        """Mean rate at which data was delivered in order."""
        return 8 * self.delivered_bytes / (self.end_s - self.start_s)


def samples_of(traces: "Traces", interval_s: float, flows: Sequence[int]) -> list[list[Sample]]:
    """Return the intervals of each of the flows.

    They end where intervals of the trace `throughput` do: the last one in each multiple of
    `interval_s`. Raises `InvalidInput` for flows that the run does not have and for intervals
    shorter than those of the trace, and `LongfatError` unless it has recorded all of `TABLES`.
    """
    for flow in flows:
        if not 1 <= flow <= traces.flows:
            raise InvalidInput([f"--flow {flow}: the run has flows 1 to {traces.flows}"])
    traces.check_names(TABLES)
    trace_s = traces.description["interval_ps"] / PICOSECONDS_PER_SECOND
    if interval_s < trace_s:
        told = (
            f"--interval {interval_s:g}: the trace has intervals of {trace_s:g} s; at least that, "
            "or repeat the run with a shorter --trace-interval"
        )
        raise InvalidInput([told])
    ends_s = _ends(traces, interval_s)
    delivered = _sums(traces, "throughput", ends_s, "bytes")
    again = _sums(traces, "segments", ends_s, "is_again")
    windows = _latest(traces, "cwnd", ends_s, "cwnd_bytes")
    trips = _latest(traces, "rtt", ends_s, "rtt_s")
    starts_s = [0.0, *ends_s[:-1]]

    def sample(flow: int, number: int) -> Sample:
        key = flow, number
        return Sample(
            starts_s[number],
            ends_s[number],
            delivered_bytes=int(delivered[key]),
            sent_again=int(again[key]),
            cwnd_bytes=windows.get(key),
            round_trip_s=trips.get(key),
        )

    return [[sample(flow, number) for number in range(len(ends_s))] for flow in flows]


def _ends(traces: "Traces", interval_s: float) -> list[float]:
    """Return the ends of the intervals: of the trace's, the last in each multiple of a length."""
    step_ps, duration_ps = traces.description["interval_ps"], traces.settings["duration_ps"]
    ends_ps = [min(end, duration_ps) for end in range(step_ps, duration_ps + step_ps, step_ps)]
    last = {}
    for end_ps in ends_ps:
        # An end that is a multiple of the length belongs to the interval before it.
        last[-(-end_ps // round(interval_s * PICOSECONDS_PER_SECOND))] = end_ps
    return [end_ps / PICOSECONDS_PER_SECOND for end_ps in last.values()]


def _sums(
    traces: "Traces", name: str, ends_s: Sequence[float], column: str
) -> defaultdict[tuple[int, int], float]:
    """Return the sum of a column by flow and interval; rows of `throughput` are whole intervals."""
    sums: defaultdict[tuple[int, int], float] = defaultdict(float)
    rows = traces.table(name).select("time_s", "flow", column)
    for time_s, flow, value in rows.iter_rows():
        number = min(bisect_right(ends_s, time_s), len(ends_s) - 1)
        sums[flow, number] += value
    return sums


def _latest(
    traces: "Traces", name: str, ends_s: Sequence[float], column: str
) -> dict[tuple[int, int], float]:
    """Return the latest value of a column by flow and interval, from the first value on."""
    latest: dict[tuple[int, int], float] = {}
    reached: dict[int, tuple[int, float]] = {}
    for time_s, flow, value in traces.table(name).select("time_s", "flow", column).iter_rows():
        number = min(bisect_right(ends_s, time_s), len(ends_s) - 1)
        before, kept = reached.get(flow, (number, value))
        latest |= {(flow, skipped): kept for skipped in range(before, number)}
        reached[flow] = number, value
    for flow, (number, value) in reached.items():
        latest |= {(flow, left): value for left in range(number, len(ends_s))}
    return latest
