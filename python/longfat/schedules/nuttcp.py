"""Rates of nuttcp: what it prints every interval (`-i`), also with `-fparse`, and CSV made of it.

The CSV has the time at the end of each interval in the column time, and throughput_mbps. Where
nuttcp wrote to a pipe, times that were added may be those at which a buffer was full.
"""

import re
from itertools import pairwise
from statistics import fmean, median

from longfat.base.cells import csv_lines, is_number, shown_cells
from longfat.base.errors import BadInput
from longfat.schedules.measured import Direction, Measured
from longfat.schedules.options import Options
from longfat.schedules.rates import Interval, path_of_rates
from longfat.schedules.sample import Sample
from longfat.schedules.stamps import across_midnight, moment_s

KIND = "the output of nuttcp"
HELP = """Print the rates in FILE, the output of `nuttcp -i`, as CSV for `path.steps`.

FILE may also be a CSV made of it, with the columns time (at the end of an interval) and
throughput_mbps.

Example: nuttcp -r -i 0.5 -T 60 example.net > down.txt; longfat schedule from-nuttcp down.txt
"""
FILES = ("file",)
OPTIONS = ("interval_ms",)

_LINE = re.compile(
    r"MB / +(?P<s>\d{1,9}(?:\.\d{1,9})?) sec = +(?P<rate>\d{1,12}(?:\.\d{1,9})?) Mbps"
    r"|real_seconds=(?P<real_s>\d{1,9}(?:\.\d{1,9})?) .{0,60}"
    r"rate_Mbps=(?P<rate_mbps>\d{1,12}(?:\.\d{1,9})?)",
    re.ASCII,
)
_WAY = re.compile(r"\bnuttcp-([rt]): ", re.ASCII)
_WAYS: dict[str, Direction] = {"r": "down", "t": "up"}
"""Direction in which this end receives or transmits."""

_COLUMNS = ("time", "throughput_mbps")

_MEGABIT = 1e6
_MILLISECONDS = 1000

_ALL = 0.99
"""Share of all intervals that the last line has at least if it is the sum of the others."""

_BUFFERED = 0.1
"""Usual time between two lines from which on the times are those of a buffer, as a share of the
mean."""


def recognizes(sample: Sample) -> bool:
    """True if it has a line of nuttcp, or the header of its CSV."""
    return _is_table(sample) or any(_LINE.search(line) for line in sample.head[:200])


def _is_table(sample: Sample) -> bool:
    names = sample.head[0].split(",") if sample.head else []
    return {name.strip() for name in names} >= set(_COLUMNS)


def measured(files: dict[str, Sample], options: Options) -> Measured:
    """Return the path. Raises `BadInput` for anything else."""
    sample = files["file"]
    if _is_table(sample):
        intervals = _of_table(sample, options.interval_ms)
        return path_of_rates(intervals, "down", sample.source)
    intervals = _of_lines(sample)
    if not intervals:
        expected = "expected lines of `nuttcp -i` such as '4.8750 MB / 0.50 sec = 81.7821 Mbps'"
        raise BadInput([f"{sample.source}: {expected}, found none"])
    way = _WAY.search(sample.text)
    return path_of_rates(intervals, _WAYS[way[1]] if way else "down", sample.source)


def _of_lines(sample: Sample) -> list[Interval]:
    """Return the intervals, one after the other; the last line may be the sum of the others."""
    found = [_LINE.search(line) for line in sample.text.splitlines()]
    lengths = [
        (float(line["s"] or line["real_s"]), float(line["rate"] or line["rate_mbps"]))
        for line in found
        if line
    ]
    total_s = sum(length_s for length_s, _ in lengths[:-1])
    if len(lengths) > 1 and lengths[-1][0] >= _ALL * total_s:
        lengths.pop()
    intervals, now_s = [], 0.0
    for length_s, megabits_per_second in lengths:
        intervals.append(Interval(now_s, length_s, megabits_per_second * _MEGABIT))
        now_s += length_s
    return intervals


def _of_table(sample: Sample, interval_ms: float | None) -> list[Interval]:
    lines = csv_lines(sample.text, sample.source)
    header = lines[0][1]
    moments, rates = [], []
    for number, cells in lines[1:]:
        row = dict(zip(header, cells, strict=False))
        moment = moment_s(row.get("time", ""))
        rate = row.get("throughput_mbps", "")
        if len(cells) != len(header) or moment is None or not is_number(rate):
            expected = "expected a time and a number for time and throughput_mbps"
            raise BadInput([f"{sample.source}:{number}: {expected}, found {shown_cells(cells)}"])
        moments.append(moment)
        rates.append(float(rate) * _MEGABIT)
    if interval_ms is not None:
        interval_s = interval_ms / _MILLISECONDS
        return [Interval(n * interval_s, interval_s, rate) for n, rate in enumerate(rates)]
    return _by_ends(across_midnight(moments), rates, sample.source)


def _by_ends(ends_s: list[float], rates: list[float], source: str) -> list[Interval]:
    """Return the intervals that end at these times."""
    lengths_s = [after - before for before, after in pairwise(ends_s)]
    if not lengths_s:
        raise BadInput([f"{source}: fewer than two rows"])
    usual_s = median(lengths_s)
    if usual_s <= 0 or usual_s < _BUFFERED * fmean(lengths_s):
        problem = (
            f"most rows are {_MILLISECONDS * usual_s:.3g} ms apart, and a few much farther: these "
            "are the times at which a buffer was written; --interval-ms says how far apart the "
            "measurements were"
        )
        raise BadInput([f"{source}: {problem}"])
    begins_s = [ends_s[0] - usual_s, *ends_s[:-1]]
    return [
        Interval(begin_s, end_s - begin_s, rate)
        for begin_s, end_s, rate in zip(begins_s, ends_s, rates, strict=True)
    ]
