"""Lengths of runs beside the time constants of their scenario: regrowth of windows, slow start."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from longfat import _engine
from longfat.base.units import BITS_PER_BYTE, PICOSECONDS_PER_SECOND

FEWEST_CYCLES = 10
"""Smallest number of window regrowths within a run that averages over losses."""

LONGEST_START = 0.05
"""Largest share of the measured time that slow start may take without a caution."""

CELL_PAYLOAD_BITS = 48 * BITS_PER_BYTE


@dataclass(frozen=True)
class Path:
    """Time constants of a scenario in seconds, to which the length of a run is compared."""

    duration_s: float
    measured_from_s: float
    round_trip_s: float
    slow_start_s: float
    regrowth_s: float

    @property
    def measured_s(self) -> float:
        """Measured time in seconds: from `measured_from_s` to the end of the run."""
        return self.duration_s - self.measured_from_s

    @property
    def cycles(self) -> float:
        """Number of window regrowths after a loss that fit into the measured time."""
        return self.measured_s / self.regrowth_s if self.regrowth_s else math.inf

    @property
    def start(self) -> float:
        """Share of the measured time that slow start takes."""
        return max(0.0, self.slow_start_s - self.measured_from_s) / self.measured_s


def path_of(settings: Mapping[str, Any]) -> Path | None:
    """Return the time constants of a resolved scenario; None unless its topology is n-source.

    Slow start doubles the window per round trip, up to the receiver window if the buffer is
    unlimited. Otherwise, and after a loss, a window reaches its share of bandwidth-delay product
    and buffer, or the receiver window if that is less. The congestion controls declare their
    regrowth time: for Reno one round trip per segment of half the window (Mathis, Semke, Mahdavi,
    Ott, Computer Communication Review 27, 1997, figure 1), times the segments per acknowledgment.
    """
    topology, tcp = settings["topology"], settings["tcp"]
    if topology.get("kind") != "n-source":
        return None
    round_trip_s = (
        2
        * (2 * topology["access"]["delay_ps"] + topology["bottleneck"]["delay_ps"])
        / PICOSECONDS_PER_SECOND
    )
    buffer_bits = _buffer_bits(settings)
    rate_bps = topology["bottleneck"]["rate_bps"]
    share_bytes = (
        (rate_bps * round_trip_s + (buffer_bits or 0)) / BITS_PER_BYTE / topology["sources"]
    )
    window_bytes = min(share_bytes, tcp["receiver_window_bytes"])
    slow_start_bytes = tcp["receiver_window_bytes"] if buffer_bits is None else window_bytes
    full_round_trip_s = round_trip_s + (buffer_bits or 0) / rate_bps
    return Path(
        duration_s=settings["duration_ps"] / PICOSECONDS_PER_SECOND,
        measured_from_s=settings["measure"].get("from_ps", 0) / PICOSECONDS_PER_SECOND,
        round_trip_s=round_trip_s,
        slow_start_s=math.log2(max(slow_start_bytes / tcp["mss_bytes"], 1)) * round_trip_s,
        regrowth_s=_engine.scenario_regrowth_s(
            json.dumps(settings), window_bytes / tcp["mss_bytes"], full_round_trip_s
        ),
    )


def _buffer_bits(settings: Mapping[str, Any]) -> float | None:
    """Return the size of the bottleneck's buffer in bits; None if it is unlimited."""
    buffer = settings["port"]["buffer_cells"]
    if not isinstance(buffer, str):
        return float(buffer * CELL_PAYLOAD_BITS)
    number, _, unit = buffer.partition(" ")
    if not unit:  # "unlimited"
        return None
    return float(number) * BITS_PER_BYTE * (1 if unit == "B" else settings["tcp"]["mss_bytes"])
