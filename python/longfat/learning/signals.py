"""Observations and rewards from the intervals of agents.

Intervals are an array of shape (agents, 12) with columns named by `longfat.controls.Interval`, or a
single `Interval`.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from longfat.controls import Interval

Floats = NDArray[np.float64]

COLUMN = {name: column for column, name in enumerate(Interval._fields)}
"""Column of each field of an interval."""

RELATIVE = (
    "queueing",
    "loss",
    "marks",
    "timeouts",
    "use",
    "turnover",
    "round_trip",
    "window",
)
"""Signals that `relative` returns, in order."""


def column(intervals: ArrayLike, name: str) -> Floats:
    """Return a column of intervals by its name."""
    numbers: Floats = np.asarray(intervals, dtype=np.float64)
    return numbers[..., COLUMN[name]]


def relative(intervals: ArrayLike) -> Floats:
    """Return dimensionless signals of intervals, so that a policy transfers between paths.

    Shape (..., 8): `queueing`, the queueing delay as a multiple of the shortest round trip; `loss`
    and `marks`, the shares of bytes lost and marked; `timeouts`, 1 if there was one; `use`, the
    share of the window in flight; `turnover`, bytes delivered in the interval in windows;
    `round_trip` and `window`, the shortest round trip and the window mapped to 0 to 1 by x / (x +
    100 ms) and x / (x + 100 kB). Signals without data are 0, and all are at most 10. Only the four
    basic operations are used, so that results are identical on every machine.
    """
    delivered, lost = column(intervals, "delivered_bytes"), column(intervals, "lost_bytes")
    window, shortest = column(intervals, "window_bytes"), column(intervals, "shortest_round_trip_s")
    round_trips = column(intervals, "round_trips")
    excess = np.where(round_trips > 0, column(intervals, "round_trip_s") - shortest, 0.0)
    signals = [
        _share(excess, shortest),
        _share(lost, lost + delivered),
        _share(column(intervals, "marked_bytes"), delivered),
        np.minimum(column(intervals, "timeouts"), 1.0),
        _share(column(intervals, "in_flight_bytes"), window),
        _share(delivered, window),
        shortest / (shortest + 0.1),
        window / (window + 100e3),
    ]
    seen: Floats = np.minimum(np.stack(signals, axis=-1), 10.0)
    return seen


def power(intervals: ArrayLike, capacity_bytes: ArrayLike) -> Floats:
    """Return Kleinrock's network power, from 0 to about 1: throughput over delay, less losses.

    Throughput is relative to `capacity_bytes`, the bottleneck's capacity in the interval, and
    response time relative to the shortest round trip so far. The power is 1 if the full capacity is
    delivered with an empty queue. In a short interval, or just after the path changed, deliveries
    may exceed the capacity; without capacity the power is 0. Shape (...) for intervals (..., 12).
    """
    delivered, lost = column(intervals, "delivered_bytes"), column(intervals, "lost_bytes")
    throughput = _share(delivered, np.asarray(capacity_bytes, dtype=np.float64))
    quickness: Floats = _share(
        column(intervals, "shortest_round_trip_s"), column(intervals, "round_trip_s")
    )
    return throughput * quickness * (1.0 - _share(lost, lost + delivered))


def _share(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
