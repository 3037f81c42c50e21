"""Rates of intervals, as programs that fill a line report them, as the rate of a path."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from longfat.base.errors import BadInput
from longfat.schedules.measured import LARGEST, Direction, Measured, Way

_REST = 0.1
"""Length of an interval that is left out at the end, as a share of the usual length."""


@dataclass(frozen=True)
class Interval:
    """The rate in bit/s from a time in s on, for some seconds."""

    begin_s: float
    length_s: float
    rate_bps: float


def path_of_rates(intervals: Sequence[Interval], direction: Direction, source: str) -> Measured:
    """Return the path with the rate of one direction, from the first interval on.

    A last interval that is much shorter than others is left out: it has what was left over, which
    says little of the rate. Raises `BadInput` for no interval, and for one that no path may have.
    """
    if not intervals:
        raise BadInput([f"{source}: no intervals with rates"])
    for interval in intervals:
        if not 0 < interval.length_s <= LARGEST["time_s"]:
            raise BadInput([f"{source}: an interval of {interval.length_s:g} s"])
    usual_s = median(interval.length_s for interval in intervals)
    if len(intervals) > 1 and intervals[-1].length_s < _REST * usual_s:
        intervals = intervals[:-1]
    first_s = intervals[0].begin_s
    for before, after in pairwise(intervals):
        if after.begin_s <= before.begin_s:
            times = f"{after.begin_s:g} s comes after {before.begin_s:g} s"
            raise BadInput([f"{source}: {times}; the times of intervals must ascend"])
    times_s = tuple(round(interval.begin_s - first_s, 6) for interval in intervals)
    rates = tuple(_whole(interval.rate_bps, source) for interval in intervals)
    way = Way(rate_bps=rates)
    return Measured(times_s, up=way) if direction == "up" else Measured(times_s, down=way)


def _whole(rate_bps: float, source: str) -> int:
    if not 0 <= rate_bps <= LARGEST["rate_bps"]:
        raise BadInput([f"{source}: a rate of {rate_bps:g} bit/s"])
    return round(rate_bps)
