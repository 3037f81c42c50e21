"""What an agent sees of an interval, and what it is worth.

Intervals come as an array of shape (agents, 12), whose columns `longfat.controls.Interval` names; a
single `Interval` will do as well.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from longfat.controls import Interval

Floats = NDArray[np.float64]

COLUMN = {name: column for column, name in enumerate(Interval._fields)}
"""Where each number of an interval stands."""

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
"""What `relative` gives, in order."""


def column(intervals: ArrayLike, name: str) -> Floats:
    """A column of intervals by its name."""
    numbers: Floats = np.asarray(intervals, dtype=np.float64)
    return numbers[..., COLUMN[name]]


def relative(intervals: ArrayLike) -> Floats:
    """Intervals without units, so that what is learned on one path can be tried on others.

    Shape (..., 8): `queueing`, by how much of the shortest round trip round trips are longer than
    it; `loss` and `marks`, the shares of what was lost and of what was marked; `timeouts`, whether
    there was one; `use`, the part of the window that is in the network; `turnover`, windows
    delivered in the interval; `round_trip` and `window`, how large the shortest round trip and the
    window are, from 0 to 1: x / (x + 100 ms) and x / (x + 100 kB). All is 0 of which nothing is
    known yet, and no number is beyond 10. Nothing but the four operations makes it, so that it is
    the same on every machine.
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
    """Network power, from 0 to about 1: throughput over response time, less what is lost.

    It is Kleinrock's. The throughput is a part of the `capacity_bytes` that the bottleneck could
    carry in the interval, the response time one of the shortest round trip so far. It is 1 where
    everything that the line can carry is delivered with an empty queue. In a short interval, or
    where the path has just changed, more may be delivered than it could carry meanwhile; where it
    could carry nothing this is 0. Shape (...) for intervals (..., 12).
    """
    delivered, lost = column(intervals, "delivered_bytes"), column(intervals, "lost_bytes")
    throughput = _share(delivered, np.asarray(capacity_bytes, dtype=np.float64))
    quickness: Floats = _share(
        column(intervals, "shortest_round_trip_s"), column(intervals, "round_trip_s")
    )
    return throughput * quickness * (1.0 - _share(lost, lost + delivered))


def _share(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
