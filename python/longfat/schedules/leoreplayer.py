"""Traces of LeoReplayer, the recorder of Starlink of LeoCC (Lai et al., SIGCOMM 2025).

Rates are a packet-delivery trace as Mahimahi's. Delays are a line for each 10 ms: the one-way delay
in ms.
"""

from itertools import pairwise
from statistics import median

from longfat.base.cells import is_number
from longfat.base.errors import BadInput
from longfat.schedules import mahimahi
from longfat.schedules.measured import LARGEST, Measured, Way, joined
from longfat.schedules.options import Options
from longfat.schedules.sample import Sample

KIND = "a trace of LeoReplayer"
HELP = """Print the RATES and DELAYS of LeoReplayer as CSV for `path.steps`.

RATES has a line in whole milliseconds for each 1500 bytes, DELAYS a line in ms for each 10 ms. In
each window the rate is the mean, the delay the median.

Example: longfat schedule from-leoreplayer bw_1.txt delay_1.txt > path.csv
"""
FILES = ("rates", "delays")
OPTIONS = ("window_ms",)

_SLOT_MS = 10
"""Time for which a delay counts."""

_MISTAKES = 0.05
"""Share of lines that descend at least in delays: a trace has them by mistake only."""

_MILLISECONDS = 1000
_MOST_MS = LARGEST["delay_s"] * _MILLISECONDS


def recognizes(sample: Sample) -> bool:
    """True for a trace as Mahimahi's, and for lines of ordinary delays, of which many descend."""
    if mahimahi.recognizes(sample):
        return True
    numbers = [float(line) for line in sample.head if is_number(line)]
    if len(numbers) != len(sample.head) or not all(0 < number <= _MOST_MS for number in numbers):
        return False
    descents = sum(after < before for before, after in pairwise(numbers))
    return descents > _MISTAKES * len(numbers)


def measured(files: dict[str, Sample], options: Options) -> Measured:
    """Return the path, as long as both files. Raises `BadInput` with the line of an error."""
    window_ms = options.window_ms or mahimahi.DEFAULT_WINDOW_MS
    times = mahimahi.read_trace(files["rates"].text, files["rates"].source)
    rates = mahimahi.path_of_trace(times, window_ms, None, "down")
    return joined([rates, _delays(files["delays"], max(1, window_ms // _SLOT_MS))])


def _delays(sample: Sample, slots: int) -> Measured:
    """Return the median delay of each number of slots, in both directions."""
    delays_ms: list[float] = []
    for number, line in enumerate(sample.text.splitlines(), start=1):
        if not line.strip():
            continue
        if not is_number(line) or not 0 < float(line) <= _MOST_MS:
            expected = f"expected a one-way delay in ms, at most {_MOST_MS:,.0f}"
            problem = f"{expected}, found {line.strip()[:40]!r}"
            raise BadInput([f"{sample.source}:{number}: {problem}"])
        delays_ms.append(float(line))
    if not delays_ms:
        raise BadInput([f"{sample.source}: no delays"])
    begins = range(0, len(delays_ms), slots)
    times_s = tuple(begin * _SLOT_MS / _MILLISECONDS for begin in begins)
    column = tuple(
        round(median(delays_ms[begin : begin + slots]) / _MILLISECONDS, 7) for begin in begins
    )
    return Measured(times_s, Way(delay_s=column), Way(delay_s=column))
