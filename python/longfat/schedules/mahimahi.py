"""Packet-delivery traces of Mahimahi, converted to schedules of a path and back.

A trace has a line for each opportunity to deliver a packet of 1500 bytes: its time in whole
milliseconds from the beginning of the trace, which repeats when it ends (mm-link(1); Netravali et
al. 2015, section 3.3).
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil

from longfat.base.errors import BadInput, LongfatError
from longfat.schedules.measured import Direction, Measured, Way, joined, path_columns
from longfat.schedules.options import Options
from longfat.schedules.sample import Sample
from longfat.schedules.table import read_table

KIND = "a Mahimahi trace"
HELP = """Print the rates of TRACE, a packet-delivery trace of Mahimahi, as CSV for `path.steps`.

Example: longfat schedule from-mahimahi verizon-lte.down > lte.csv
"""
FILES = ("trace",)
MORE_FILES = {"up": "A trace of the other direction, up; TRACE is then down."}
OPTIONS = ("window_ms", "duration_s")

DEFAULT_WINDOW_MS = 100

PACKET_BITS = 8 * 1500
"""Bytes that one opportunity delivers."""

MOST_OPPORTUNITIES = 10_000_000
"""Longest trace in lines: more than 10 Gbit/s for ten seconds."""

MOST_WINDOWS = 1_000_000
"""Most windows of a schedule: more than a day of 100 ms."""

_MILLISECONDS = 1000


@dataclass(frozen=True)
class Rate:
    """A step of a schedule: the rate in bit/s from a time in ms on; 0 during an outage."""

    time_ms: Fraction
    bits_per_second: Fraction


def recognizes(sample: Sample) -> bool:
    """True if all lines are whole numbers that ascend."""
    words = sample.head
    are_whole = all(word.isascii() and word.isdigit() and len(word) <= 12 for word in words)
    return bool(words) and are_whole and all(int(a) <= int(b) for a, b in pairwise(words))


def measured(files: dict[str, Sample], options: Options) -> Measured:
    """Return the path with the rate down, and up if there is a trace of it.

    Two traces repeat each on its own until the longer one ends.
    """
    names: dict[str, Direction] = {"trace": "down", "up": "up"}
    traces = {
        way: read_trace(files[name].text, files[name].source)
        for name, way in names.items()
        if name in files
    }
    window_ms = options.window_ms or DEFAULT_WINDOW_MS
    length_ms = max(trace[-1] for trace in traces.values())
    until_ms = length_ms if options.duration_s is None else options.duration_s * _MILLISECONDS
    return joined([path_of_trace(trace, window_ms, until_ms, way) for way, trace in traces.items()])


def path_of_trace(
    trace: Sequence[int], window_ms: int, duration_ms: int | None, direction: Direction
) -> Measured:
    """Return the path with the mean rates of a trace in one direction.

    Raises `BadInput` for more than `MOST_WINDOWS`.
    """
    steps = schedule_of(trace, window_ms, duration_ms)
    times_s = tuple(float(step.time_ms / _MILLISECONDS) for step in steps)
    way = Way(rate_bps=tuple(round(step.bits_per_second) for step in steps))
    return Measured(times_s, up=way) if direction == "up" else Measured(times_s, down=way)


def read_trace(text: str, source: str) -> list[int]:
    """Return the times of the opportunities of a trace in ms, ascending.

    Raises `BadInput` with the line for a time that is no whole number or not ascending, and for a
    trace with all times 0.
    """
    times: list[int] = []
    for number, line in enumerate(text.splitlines(), start=1):
        word = line.strip()
        if not word:
            continue
        if not (word.isascii() and word.isdigit() and len(word) <= 12):
            problem = f"expected whole milliseconds, found {word[:40]!r}"
            raise BadInput([f"{source}:{number}: {problem}"])
        if times and int(word) < times[-1]:
            problem = f"{word} comes after {times[-1]}; times must ascend"
            raise BadInput([f"{source}:{number}: {problem}"])
        times.append(int(word))
    if not times or times[-1] == 0:
        raise BadInput([f"{source}: a trace must last longer than 0 ms"])
    return times


def schedule_of(trace: Sequence[int], window_ms: int, duration_ms: int | None = None) -> list[Rate]:
    """Return the mean rate of each window; consecutive windows with equal rates are merged.

    The trace repeats until `duration_ms`, by default its own length. A window includes its end, as
    the trace does. Raises `BadInput` for more than `MOST_WINDOWS`.
    """
    length = trace[-1]
    until = length if duration_ms is None else duration_ms
    # An opportunity at 0, which Mahimahi counts too, would belong to the end of a previous
    # repetition.
    windows = Counter(max(time - 1, 0) // window_ms for time in trace)
    rates: list[Rate] = []
    for begin, end, window in _windows(windows, length, window_ms, until):
        rate = Fraction(windows[window] * PACKET_BITS * _MILLISECONDS, end - begin)
        if not rates or rates[-1].bits_per_second != rate:
            rates.append(Rate(Fraction(begin), rate))
    return rates


def _windows(
    known: Collection[int], length: int, window: int, until: int
) -> Iterator[tuple[int, int, int]]:
    """Yield begin, nominal end and index of windows; the last of a trace may be shorter.

    Of windows without opportunities, those not `known`, the first of several in a row is enough.
    """
    last = (length - 1) // window
    telling = sorted({0, *known, *(number + 1 for number in known if number < last)})
    count = len(telling) * ceil(until / length)
    if count > MOST_WINDOWS:
        problem = f"a schedule of {count:,} windows, and {MOST_WINDOWS:,} are the most"
        raise BadInput([f"{problem}; take a longer --window-ms, or a shorter time"])
    for start in range(0, until, length):
        for number in telling:
            begin = number * window
            if start + begin < until:
                yield start + begin, start + min(begin + window, length), number


def trace_of(schedule: Sequence[Rate], duration_ms: int) -> list[int]:
    """Return the opportunities of a schedule in ms: one for each 1500 bytes that the rate carries.

    Raises `LongfatError` for more than `MOST_OPPORTUNITIES`, and for none: a trace cannot be empty.
    """
    trace: list[int] = []
    carried = Fraction(0)  # packets
    ends = [rate.time_ms for rate in schedule[1:]] + [Fraction(duration_ms)]
    for rate, end in zip(schedule, ends, strict=True):
        begin, end = min(rate.time_ms, Fraction(duration_ms)), min(end, Fraction(duration_ms))
        per_ms = rate.bits_per_second / PACKET_BITS / _MILLISECONDS
        if per_ms == 0:
            continue
        after = carried + per_ms * (end - begin)
        if after > MOST_OPPORTUNITIES:
            raise LongfatError(
                f"a trace has a line for each packet, and these would be more than "
                f"{MOST_OPPORTUNITIES:,}: take a shorter --duration-s, or lower rates"
            )
        packets = range(int(carried) + 1, int(after) + 1)
        trace += [ceil(begin + (packet - carried) / per_ms) for packet in packets]
        carried = after
    if not trace:
        raise LongfatError(
            f"within {duration_ms / _MILLISECONDS:g} s these rates do not carry one packet of 1500 "
            "bytes, and a trace has a line for each: take a longer --duration-s, or higher rates"
        )
    return trace


def read_schedule(text: str, source: str, direction: Direction | None = None) -> list[Rate]:
    """Read times and rates of a schedule, those of data or of one direction.

    Raises `BadInput` with the line of an error, and for a schedule without these rates.
    """
    path = read_table(text, source)
    rates = path_columns(path, direction).get("rate_bps")
    if rates is None:
        raise BadInput([f"{source}: a schedule without rate_bps, and a trace has only rates"])
    return [
        Rate(_exact(time_s) * _MILLISECONDS, _exact(rate))
        for time_s, rate in zip(path.times_s, rates, strict=True)
    ]


def _exact(number: float) -> Fraction:
    """Return a number of ordinary size as it is written."""
    return Fraction(repr(number))
