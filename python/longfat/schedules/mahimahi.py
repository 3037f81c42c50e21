"""Packet-delivery traces of Mahimahi, converted to schedules of a path and back.

A trace has a line for each opportunity to deliver a packet of 1500 bytes: its time in whole
milliseconds from the beginning of the trace, which repeats when it ends (mm-link(1); Netravali et
al. 2015, section 3.3).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from longfat.base.cells import csv_lines, is_number
from longfat.base.errors import BadInput, LongfatError, few

PACKET_BITS = 8 * 1500
"""Bytes that one opportunity delivers."""

MOST_OPPORTUNITIES = 10_000_000
"""Longest trace in lines: more than 10 Gbit/s for ten seconds."""

_MILLISECONDS = 1000


@dataclass(frozen=True)
class Rate:
    """A step of a schedule: the rate in bit/s from a time in ms on; 0 during an outage."""

    time_ms: Fraction
    bits_per_second: Fraction


def read_trace(text: str, source: str) -> list[int]:
    """Return the times of the opportunities of a trace in ms, ascending.

    Raises `BadInput` with the line for a time that is no whole number or not ascending, and for a
    trace with all times 0.
    """
    problems: list[str] = []
    times: list[int] = []
    for number, line in enumerate(text.splitlines(), start=1):
        word = line.strip()
        if not word:
            continue
        if not (word.isascii() and word.isdigit() and len(word) <= 12):
            problems.append(f"{source}:{number}: expected whole milliseconds, found {word[:40]!r}")
        elif times and int(word) < times[-1]:
            problems.append(f"{source}:{number}: {word} comes after {times[-1]}; times must ascend")
        else:
            times.append(int(word))
    if not problems and (not times or times[-1] == 0):
        problems.append(f"{source}: a trace must last longer than 0 ms")
    if problems:
        raise BadInput(few(problems, source))
    return times


def schedule_of(trace: Sequence[int], window_ms: int, duration_ms: int | None = None) -> list[Rate]:
    """Return the mean rate of each window; consecutive windows with equal rates are merged.

    The trace repeats until `duration_ms`, by default its own length. A window includes its end, as
    the trace does.
    """
    length = trace[-1]
    until = length if duration_ms is None else duration_ms
    # An opportunity at 0, which Mahimahi counts too, would belong to the end of a previous
    # repetition.
    windows = Counter(max(time - 1, 0) // window_ms for time in trace)
    rates: list[Rate] = []
    for begin, end, window in _windows(length, window_ms, until):
        rate = Fraction(windows[window] * PACKET_BITS * _MILLISECONDS, end - begin)
        if not rates or rates[-1].bits_per_second != rate:
            rates.append(Rate(Fraction(begin), rate))
    return rates


def _windows(length: int, window: int, until: int) -> Iterator[tuple[int, int, int]]:
    """Yield begin, nominal end and index of each window; the last of a trace may be shorter."""
    for start in range(0, until, length):
        for number, begin in enumerate(range(0, length, window)):
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


def read_schedule(text: str, source: str) -> list[Rate]:
    """Read times and rates of the CSV of `path.kind = "schedule"`; ignores other columns.

    Raises `BadInput` with the line of an error.
    """
    lines = iter(csv_lines(text, source))
    first, header = next(lines, (1, []))
    if "time_s" not in header or "rate_bps" not in header:
        problem = f"expected the columns time_s and rate_bps, found {', '.join(header) or 'none'}"
        raise BadInput([f"{source}:{first}: {problem}"])
    rates: list[Rate] = []
    for number, cells in lines:
        row = dict(zip(header, cells, strict=False))
        pair = [row.get("time_s", ""), row.get("rate_bps", "")]
        if len(cells) != len(header) or not all(map(is_number, pair)):
            expected = f"expected {len(header)} numbers for {','.join(header)}"
            raise BadInput([f"{source}:{number}: {expected}, found {','.join(cells)[:80]}"])
        time, rate = (Fraction(repr(float(cell))) for cell in pair)  # of an ordinary size
        if time < 0 or rate < 0 or (rates and time * _MILLISECONDS <= rates[-1].time_ms):
            raise BadInput([f"{source}:{number}: times must ascend, and no number be negative"])
        rates.append(Rate(time * _MILLISECONDS, rate))
    if not rates:
        raise BadInput([f"{source}: no rows below the header"])
    return rates


def schedule_text(schedule: Sequence[Rate]) -> str:
    """Return the schedule as CSV, with times in s and rates in whole bit/s."""
    lines = [f"{_decimal(rate)},{round(rate.bits_per_second)}" for rate in schedule]
    return "\n".join(["time_s,rate_bps", *lines])


def _decimal(rate: Rate) -> str:
    return f"{float(rate.time_ms / _MILLISECONDS):.3f}".rstrip("0").rstrip(".")
