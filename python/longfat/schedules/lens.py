"""Files of LENS, a data set of satellite networks (Zhao and Pan, MMSys 2024), made into CSV.

Those of irtt have the time of a request in ns, and its round trip, uplink and downlink in ms. Where
it was lost, -1 stands in the column of the way, or of the round trip if the way is unknown, and 0
in the others. Those of ping have the time of an answer in s, and the round trip in ms; a request
without an answer has no line. What LENS calls raw are files of irtt and ping themselves.
"""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from longfat.base.errors import BadInput
from longfat.schedules.measured import Direction, Measured, with_notes
from longfat.schedules.options import Options
from longfat.schedules.probes import MOST_LOST, Probe, check, path_of
from longfat.schedules.sample import Sample

KIND = "a CSV of LENS"
HELP = """Print the delays and losses in FILE, a CSV of LENS, as CSV for `path.steps`.

FILE is made of irtt's results (timestamp, rtt, uplink, downlink) or of ping's (timestamp, rtt). The
raw files of LENS are for from-irtt and from-ping.

Example: longfat schedule from-lens irtt-10ms-1h-2024-01-20.csv --window-ms 100 > path.csv
"""
FILES = ("file",)
OPTIONS = ("window_ms", "elsewhere_ms", "jitter")

_OF_IRTT = ("timestamp", "rtt", "uplink", "downlink")
_OF_PING = ("timestamp", "rtt")

_MILLISECONDS = 1000
_NANOSECONDS = 10**9


def recognizes(sample: Sample) -> bool:
    """True if the header is one of LENS."""
    return is_of_irtt(sample) or _header(sample) == list(_OF_PING)


def is_of_irtt(sample: Sample) -> bool:
    """True if the header is that of irtt's results."""
    return _header(sample) == list(_OF_IRTT)


def _header(sample: Sample) -> list[str]:
    return [name.strip() for name in sample.head[0].split(",")] if sample.head else []


def measured(files: dict[str, Sample], options: Options) -> Measured:
    """Return the path. Raises `BadInput` with the line of an error."""
    sample = files["file"]
    if is_of_irtt(sample):
        return path_of(read_irtt(sample), options, sample.source)
    answers, spacing_s = read_ping(sample)
    note = (
        f"warning: {sample.source}: the file has answers only; requests are taken to be "
        f"{_MILLISECONDS * spacing_s:.4g} ms apart, and lost where two answers are farther apart"
    )
    return with_notes(path_of(answers, options, sample.source), note)


def read_irtt(sample: Sample) -> list[Probe]:
    """Return the requests of a CSV of irtt's results."""
    return [_of_irtt(values) for _, values in sample.rows(_OF_IRTT)]


def _of_irtt(values: Sequence[float]) -> Probe:
    sent_ns, round_trip_ms, up_ms, down_ms = values
    lost: dict[Direction, bool] = {"up": up_ms == -1, "down": down_ms == -1}
    way = next((way for way, is_lost in lost.items() if is_lost), None)
    # A measured delay may be negative, where clocks differ, but not with a round trip of 0.
    if round_trip_ms == -1 or (way is not None and round_trip_ms == 0):
        return Probe(sent_ns / _NANOSECONDS, lost_on=way)
    trip_s, up_s, down_s = (ms / _MILLISECONDS for ms in (round_trip_ms, up_ms, down_ms))
    return Probe(sent_ns / _NANOSECONDS, trip_s, up_s, down_s)


def read_ping(sample: Sample) -> tuple[list[Probe], float]:
    """Return the requests of a CSV of ping's answers, and how far apart they are in s.

    Those of which there is no answer were lost where two answers are farther apart than others.
    """
    answers = [
        Probe(at_s - trip_ms / _MILLISECONDS, trip_ms / _MILLISECONDS)
        for _, (at_s, trip_ms) in sample.rows(_OF_PING)
    ]
    check(answers, sample.source)
    answers.sort(key=lambda probe: probe.sent_s)
    spacing_s = median(after.sent_s - before.sent_s for before, after in pairwise(answers))
    if spacing_s <= 0:
        raise BadInput([f"{sample.source}: most answers have the time of another"])
    probes = answers[:1]
    span_s = answers[-1].sent_s - answers[0].sent_s
    if span_s / spacing_s - len(answers) > MOST_LOST:
        raise BadInput([f"{sample.source}: more than {MOST_LOST:,} requests without an answer"])
    for before, after in pairwise(answers):
        missing = max(0, round((after.sent_s - before.sent_s) / spacing_s) - 1)
        step_s = (after.sent_s - before.sent_s) / (missing + 1)
        probes += [Probe(before.sent_s + number * step_s) for number in range(1, missing + 1)]
        probes.append(after)
    return probes, spacing_s
