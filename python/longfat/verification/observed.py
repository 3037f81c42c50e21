"""A run of Linux and one of longfat, reduced to the same observations.

What the recorder could see of the kernel decides: windows just before acknowledgments, the queue
with the packet on the line, waiting times second by second.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from longfat.base.extras import need
from longfat.verification.disciplines import is_shaped
from longfat.verification.network import packet_s
from longfat.verification.recordings import Experiment, Recording

TRACES = ("cwnd", "ssthresh", "segments", "acknowledgments", "queue-by-flow", "drops")
"""Traces of longfat that the observations are made of."""

UNLIMITED = 1e6
"""Segments from which on a threshold is none."""


@dataclass
class Flow:
    """A connection as its sender saw it."""

    control: str
    began_s: float
    established_s: float | None = None
    windows: list[tuple[float, float, float | None]] = field(default_factory=list)
    """Time, window and threshold in segments (None: no threshold), before acknowledgments."""
    resent: list[float] = field(default_factory=list)
    """Times of retransmissions of data."""
    acknowledged: Callable[[float], float] | None = None
    """Bytes acknowledged by a time; None for one of many connections."""
    completed_s: float | None = None


@dataclass
class Observed:
    """One run, of either side."""

    flows: list[Flow]
    queue: list[tuple[float, float]]
    """Packets that wait or are on the line, at the times of the kernel's samples."""
    waits: list[tuple[int, float, float, float]]
    """Of each second the number of packets, mean and 95th percentile of their waiting time in s."""
    drops: int
    marks: int
    until_s: float
    """Time of the kernel's last sample of connections, up to which bytes count."""


def of_linux(experiment: Experiment, recording: Recording) -> Observed:
    """Return the observations of a recording."""
    end = experiment.declared["seconds"]
    flows = []
    until = end
    for number, connection in enumerate(recording.connections):
        resent = [
            float(time)
            for row in recording.rows(f"retransmissions {number}")
            for time in row
            if not time.endswith("r")
        ]
        established = connection.established_s
        samples = [
            (float(row[0]) / 1e3, float(row[8])) for row in recording.rows(f"tcp_info {number}")
        ]
        samples = [sample for sample in samples if sample[0] <= end]
        if samples:
            until = min(until, samples[-1][0])
        flows.append(
            Flow(
                connection.control,
                connection.began_s,
                established,
                _recorded_windows(recording.rows(f"window {number}"), end),
                [time for time in resent if established is not None and established < time <= end],
                _running(samples) if samples else None,
                connection.completed_s,
            )
        )
    return Observed(
        flows,
        [(float(row[0]) / 1e3, float(row[1])) for row in recording.rows("queue")],
        [
            (int(row[0]), float(row[1]), float(row[2]) / 1e6, float(row[3]) / 1e6)
            for row in recording.rows("waiting")
        ],
        _counter(recording.discipline_at_end, "dropped"),
        sum(
            _counter(recording.discipline_at_end, name)
            for name in ("ecn_mark", "marked", "marks", "ce_mark")
        ),
        until,
    )


def _recorded_windows(
    rows: Sequence[Sequence[str]], end: float
) -> list[tuple[float, float, float | None]]:
    """Return the recorded windows with their slow start thresholds.

    The kernel's probe shows `tcp_current_ssthresh`: outside of a reduction it is three quarters of
    the window when that is above the threshold, which then is what it was before.
    """
    windows = []
    known: float | None = None
    for time, window, threshold, _ in rows:
        if threshold != "-" and int(threshold) != int(window) // 2 + int(window) // 4:
            known = float(threshold)
        if float(time) <= end:
            windows.append((float(time), float(window), known))
    return windows


def _counter(text: str, name: str) -> int:
    """Return the counter of the innermost discipline in what `tc -s qdisc` prints."""
    found = re.findall(rf"\b{name} (\d+)", text)
    return int(found[-1]) if found else 0


def _running(samples: Sequence[tuple[float, float]]) -> Callable[[float], float]:
    """Return the sum of increases up to a time, as a function of the time."""
    times, total = [], 0.0
    sums = [0.0]
    for time, increase in samples:
        times.append(time)
        total += increase
        sums.append(total)
    return lambda time: sums[bisect_right(times, time)]


def of_longfat(
    experiment: Experiment, recording: Recording, record: dict[str, Any], traces: Path
) -> Observed:
    """Return the same observations of a run with `TRACES` in a folder."""
    connections = recording.connections
    packet = packet_s(experiment, max(connection.segment_bytes for connection in connections))
    table = {name: by_flow(traces / f"{name}.parquet") for name in TRACES if name != "drops"}
    flows = []
    for number, (connection, run) in enumerate(zip(connections, record["flows"], strict=True), 1):
        answers = table["acknowledgments"][number]
        sent = table["segments"][number]
        times = [row["time_ps"] / 1e12 for row in answers]
        flows.append(
            Flow(
                connection.control,
                connection.began_s,
                sent[0]["time_ps"] / 1e12 if sent else None,
                _windows(times, table, number, connection.segment_bytes)
                if recording.rows(f"window {number - 1}")
                else [],
                [row["time_ps"] / 1e12 for row in sent if row["is_again"]],
                sampled(answers, recording.rows(f"tcp_info {number - 1}")),
                run["finished_s"],
            )
        )
    port = record["ports"][0]
    until = of_linux(experiment, recording).until_s
    samples = [float(row[0]) / 1e3 for row in recording.rows("queue")]
    waits, queue = queues(table["queue-by-flow"], packet, samples, is_shaped(experiment))
    return Observed(
        flows,
        queue,
        waits,
        port["packets_dropped"],
        port.get("queue", {}).get("packets_marked", 0),
        until,
    )


def by_flow(file: Path) -> dict[int, list[dict[str, Any]]]:
    """Return the rows of a trace, those of each flow in order."""
    need("analysis", "reading traces", "polars")
    import polars

    rows: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in polars.read_parquet(file).iter_rows(named=True):
        rows[row["flow"]].append(row)
    return rows


def sampled(
    answers: Sequence[dict[str, Any]], samples: Sequence[Sequence[str]]
) -> Callable[[float], float] | None:
    """Return the bytes acknowledged by a time, known at the kernel's samples only."""
    if not samples:
        return None
    times = [row["time_ps"] / 1e12 for row in answers]
    highest = [0.0, *accumulate((float(row["next"]) for row in answers), max)]
    at = [float(row[0]) / 1e3 for row in samples]
    sums = [highest[bisect_right(times, time)] for time in at]
    increases = [after - before for before, after in pairwise([0.0, *sums])]
    return _running(list(zip(at, increases, strict=True)))


def _windows(
    times: Sequence[float], table: dict[str, Any], number: int, segment: int
) -> list[tuple[float, float, float | None]]:
    """Return window and threshold just before each acknowledgment."""
    windows = [
        (row["time_ps"] / 1e12, row["cwnd_bytes"] / segment) for row in table["cwnd"][number]
    ]
    thresholds = [
        (row["time_ps"] / 1e12, row["ssthresh_bytes"] / segment)
        for row in table["ssthresh"][number]
    ]
    rows = []
    for time in times:
        threshold = _before(thresholds, time)
        rows.append(
            (
                time,
                _before(windows, time),
                None if threshold > UNLIMITED else float(int(threshold + 1e-6)),
            )
        )
    return rows


def _before(steps: Sequence[tuple[float, float]], time: float) -> float:
    """Return the value of a step function just before a time."""
    return steps[max(0, bisect_left(steps, (time,)) - 1)][1]


def queues(
    by_flow: dict[int, list[dict[str, Any]]],
    packet: float,
    samples: Sequence[float],
    shaped: bool,
) -> tuple[list[tuple[int, float, float, float]], list[tuple[float, float]]]:
    """Return waiting times by seconds, and the queue at the kernel's sampling times.

    Within a flow every discipline is first in, first out, so its waiting times follow from the
    changes of its queue. netem counts a packet until its last bit is sent, a shaper until its
    first is.
    """
    own = 0.0 if shaped else packet
    waits: dict[int, list[float]] = defaultdict(list)
    changes: list[tuple[float, int]] = []
    for rows in by_flow.values():
        entered: deque[float] = deque()
        for row in rows:
            time = row["time_ps"] / 1e12
            while len(entered) < row["cells"]:
                entered.append(time)
                changes.append((time, 1))
            while len(entered) > row["cells"]:
                waits[int(time + own)].append(time - entered.popleft() + own)
                changes.append((time + own, -1))
    changes.sort()
    times = [time for time, _ in changes]
    lengths = [0]
    for _, change in changes:
        lengths.append(lengths[-1] + change)
    seconds: list[tuple[int, float, float, float]] = []
    for second, of_second in sorted(waits.items()):
        of_second.sort()
        mean = sum(of_second) / len(of_second)
        seconds.append((second, len(of_second), mean, of_second[len(of_second) * 95 // 100]))
    return seconds, [(time, float(lengths[bisect_right(times, time)])) for time in samples]
