"""Output of ping: of Linux (iputils), macOS and BSD, BusyBox, and Windows in English.

An answer is a line such as `64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=35 ms`, or `Reply from
192.0.2.1: bytes=32 time=35ms TTL=57`. Before it may stand the time at which it came, as `ping -D`,
`--apple-time` or a program such as `ts` writes it. Numbers that are missing were lost.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from longfat.base.errors import BadInput
from longfat.schedules.measured import Measured, with_notes
from longfat.schedules.options import Options
from longfat.schedules.probes import MOST_LOST, Probe, path_of
from longfat.schedules.sample import Sample
from longfat.schedules.stamps import across_midnight, moment_s

KIND = "the output of ping"
HELP = """Print the delays and losses in LOG, the output of ping, as CSV for `path.steps`.

Reads ping of Linux, macOS, BSD, BusyBox and Windows (in English), with or without times before its
lines.

Example: ping -D -i 0.2 example.net > ping.log; longfat schedule from-ping ping.log > path.csv
"""
FILES = ("log",)
OPTIONS = ("interval_ms", "window_ms", "elsewhere_ms", "jitter")

_ANSWER = re.compile(
    r"(?:icmp_)?seq[=:](\d{1,9}) .{0,80}?time[=<](\d{1,9}(?:\.\d{1,9})?) ?ms", re.ASCII
)
_UNANSWERED = re.compile(
    r"(?:no answer yet for|Request timeout for|From \S{1,80}(?: \(\S{1,80}\))?:?) icmp_seq[= ]"
    r"(\d{1,9})",
    re.ASCII,
)
_OF_WINDOWS = re.compile(
    r"(?P<answer>Reply from \S{1,80}: (?:bytes=\d+ )?time[=<](\d{1,9}) ?ms)"
    r"|(?P<late>Request timed out)"
    r"|Reply from \S{1,80}: [A-Z]|PING: transmit failed|General failure\.|Destination [a-z]+ unre",
    re.ASCII,
)
"""Lines of the ping of Windows, of which there is one for each request."""

_BEGIN = re.compile(r"\d{1,5} bytes\b|Reply from |Request time|no answer yet|From ", re.ASCII)
"""Beginnings of a line, after a time if there is one."""

_SENT = re.compile(
    r"(\d{1,9}) packets transmitted(?:.{0,120}, time (\d{1,12}) ?ms)?|Packets: Sent = (\d{1,9}),",
    re.ASCII,
)

_DEFAULT_INTERVAL_S = 1.0
"""Interval of ping unless it is told another."""

_TIMEOUT_OF_WINDOWS_S = 4.0
"""Time for which the ping of Windows waits for an answer before it sends the next request."""

_SEQUENCES = 2**16
"""Sequence numbers of requests wrap around at this value."""

_MILLISECONDS = 1000

_DISAGREEMENT = 0.1
"""Difference of two lengths of a log that is said, as a share of the longer."""

_FEW = 5
"""Requests from which on two lengths of a log are compared: times are rounded, and answers vary."""


@dataclass
class _Log:
    """Lines of a log: round trips and times of answers by number, and what ping says at its end."""

    round_trips: dict[int, float] = field(default_factory=dict)
    stamps: dict[int, float] = field(default_factory=dict)
    numbers: set[int] = field(default_factory=set)
    late: set[int] = field(default_factory=set)
    is_of_windows: bool = False
    unknown: str = ""
    """Words before an answer that are no time."""
    sent: int | None = None
    took_s: float | None = None
    """Seconds from the first to the last request."""
    has_more: bool = False
    """Whether answers follow what ping says at its end."""


def recognizes(sample: Sample) -> bool:
    """True if a line is one of ping's."""
    return any(
        _ANSWER.search(line) or _OF_WINDOWS.search(line) or _SENT.search(line)
        for line in sample.head[:200]
    )


def measured(files: dict[str, Sample], options: Options) -> Measured:
    """Return the path. Raises `BadInput` for a text with fewer than two answers."""
    sample = files["log"]
    probes, notes = read(sample, options.interval_ms)
    return with_notes(path_of(probes, options, sample.source), *notes)


def read(sample: Sample, interval_ms: float | None = None) -> tuple[list[Probe], list[str]]:
    """Return the requests, with remarks.

    Requests were sent at the times before the answers, less the round trips. Without times, the
    interval is `interval_ms`, or what ping reports at its end as the time of all requests. If that
    is missing too, it is assumed to be 1 s, and a remark says so; also when these disagree.
    Sequence numbers missing between the first and the last answer are lost, and those before and
    after it as far as ping reports how many it sent. Raises `BadInput` for a text with fewer than
    two answers.
    """
    log = _read_lines(sample.text.splitlines())
    if len(log.round_trips) < 2:
        expected = (
            "expected lines of ping such as '64 bytes from ...: icmp_seq=1 ttl=57 time=35 ms'"
        )
        raise BadInput([f"{sample.source}: {expected}, found {len(log.round_trips)} of them"])
    begin, end = _range_of(log)
    if end - begin - len(log.round_trips) > MOST_LOST:
        raise BadInput([f"{sample.source}: more than {MOST_LOST:,} requests without an answer"])
    times_s, notes = _times(log, begin, end, interval_ms)
    if log.has_more:
        notes.append("another run of ping follows in the file, and is left out")
    probes = [
        Probe(time_s, log.round_trips.get(number))
        for number, time_s in zip(range(begin, end), times_s, strict=True)
    ]
    return probes, [f"warning: {sample.source}: {note}" for note in notes]


def _read_lines(lines: Sequence[str]) -> _Log:
    log = _Log()
    latest = 0
    moments: list[tuple[int, float]] = []
    rest = iter(lines)
    for line in rest:
        if answer := _ANSWER.search(line):
            number = latest = _unwound(int(answer[1]), latest)
            if _note_answer(log, number, float(answer[2]), line):
                moments += _stamp(log, number, line)
        elif missing := _UNANSWERED.search(line):
            latest = _unwound(int(missing[1]), latest)
            log.numbers.add(latest)
        elif of_windows := _OF_WINDOWS.search(line):
            log.is_of_windows = True
            latest += 1
            log.numbers.add(latest)
            if of_windows["late"]:
                log.late.add(latest)
            if of_windows["answer"] and _note_answer(log, latest, float(of_windows[2]), line):
                moments += _stamp(log, latest, line)
        elif said := _SENT.search(line):
            log.sent = int(said[1] or said[3])
            log.took_s = int(said[2]) / _MILLISECONDS if said[2] else None
            log.has_more = any(_ANSWER.search(more) or _OF_WINDOWS.search(more) for more in rest)
            break
    unwrapped = across_midnight([moment for _, moment in moments])
    log.stamps = {number: at for (number, _), at in zip(moments, unwrapped, strict=True)}
    return log


def _note_answer(log: _Log, number: int, round_trip_ms: float, line: str) -> bool:
    """Note the first answer to a request; return False for a further one."""
    log.numbers.add(number)
    if number in log.round_trips or "(DUP!)" in line:
        return False
    log.round_trips[number] = round_trip_ms / _MILLISECONDS
    return True


def _stamp(log: _Log, number: int, line: str) -> list[tuple[int, float]]:
    """Return (number, time) of an answer, if its line begins with a time."""
    begin = _BEGIN.search(line)
    words = line[: begin.start()].strip() if begin else ""
    moment = moment_s(words) if words else None
    if moment is None:
        log.unknown = log.unknown or words
        return []
    return [(number, moment)]


def _unwound(number: int, latest: int) -> int:
    """Unwrap a sequence number: return the candidate nearest to the latest one."""
    rounds = round((latest - number) / _SEQUENCES)
    return number + rounds * _SEQUENCES


def _range_of(log: _Log) -> tuple[int, int]:
    """Return the first number, and one more than the last."""
    begin, end = min(log.numbers), max(log.numbers) + 1
    # Numbered from 1, or from 0 if that was seen; unknown after the numbers wrapped around.
    if log.sent is not None and end <= _SEQUENCES:
        begin = min(begin, 1)
        end = max(end, begin + log.sent)
    return begin, end


def _times(
    log: _Log, begin: int, end: int, interval_ms: float | None
) -> tuple[list[float], list[str]]:
    """Return when each request was sent, in s, with remarks."""
    said_s = log.took_s / (log.sent - 1) if log.took_s and log.sent and log.sent > 1 else None
    stamped_s = _stamped_interval_s(log)
    notes: list[str] = []
    if stamped_s is not None and not (said_s and _disagree(log, stamped_s, said_s)):
        if interval_ms is not None:
            notes.append("--interval-ms is not used: the lines have times")
        return _by_stamps(log, begin, end, stamped_s), notes
    if stamped_s is not None and said_s is not None:
        notes.append(
            f"the times before the lines make {stamped_s * _MILLISECONDS:.4g} ms between requests, "
            f"and ping says {said_s * _MILLISECONDS:.4g} ms at its end, which is taken; times that "
            "another program adds may be those of a buffer"
        )
    elif log.unknown:
        notes.append(f"no time that is known: {log.unknown[:40]!r} before the lines")
    if interval_ms is not None:
        interval_s = interval_ms / _MILLISECONDS
        if said_s and _disagree(log, interval_s, said_s):
            notes.append(
                f"--interval-ms {interval_ms:g} is taken, but ping says at its end that requests "
                f"were {said_s * _MILLISECONDS:.4g} ms apart"
            )
    elif said_s is not None:
        interval_s = said_s
    else:
        interval_s = _DEFAULT_INTERVAL_S
        notes.append(
            "no times of requests, and no total time at the end; assumed one request a second "
            "(--interval-ms says otherwise)"
        )
    return _evenly(log, begin, end, interval_s), notes


def _stamped_interval_s(log: _Log) -> float | None:
    """Return the mean time between requests by the times before the lines, or None."""
    first, last = min(log.round_trips), max(log.round_trips)
    if first not in log.stamps or last not in log.stamps:
        return None
    span_s = _sent_s(log, last) - _sent_s(log, first)
    if span_s <= 0:
        return None
    # Clocks since 1970 are floats of a quarter of a microsecond.
    return round(span_s / (last - first), 7)


def _sent_s(log: _Log, number: int) -> float:
    return log.stamps[number] - log.round_trips[number]


def _disagree(log: _Log, one_s: float, other_s: float) -> bool:
    """True if two intervals make two lengths of the log that are apart."""
    count = len(log.numbers)
    return count >= _FEW and abs(one_s - other_s) > _DISAGREEMENT * max(one_s, other_s)


def _by_stamps(log: _Log, begin: int, end: int, interval_s: float) -> list[float]:
    """Return the times of requests, of those without an answer evenly between the others'.

    Times in whole seconds only say how far apart requests are on average.
    """
    known = sorted(number for number in log.round_trips if number in log.stamps)
    if all(log.stamps[number].is_integer() for number in known):
        return [(number - begin) * interval_s for number in range(begin, end)]
    origin_s = _sent_s(log, known[0]) - (known[0] - begin) * interval_s
    times = [origin_s + (number - begin) * interval_s for number in range(begin, known[0])]
    for before, after in pairwise(known):
        from_s, to_s = _sent_s(log, before), _sent_s(log, after)
        step_s = (to_s - from_s) / (after - before)
        times += [from_s + number * step_s for number in range(after - before)]
    last_s = _sent_s(log, known[-1])
    times += [last_s + number * interval_s for number in range(end - known[-1])]
    return [round(time_s - origin_s, 6) for time_s in times]


def _evenly(log: _Log, begin: int, end: int, interval_s: float) -> list[float]:
    """Return times that are this far apart; the ping of Windows waits longer for a lost answer."""
    times_s, now_s = [], 0.0
    for number in range(begin, end):
        times_s.append(now_s if log.late else (number - begin) * interval_s)
        now_s += max(interval_s, _TIMEOUT_OF_WINDOWS_S) if number in log.late else interval_s
    return times_s
