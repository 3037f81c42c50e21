"""The first event in which a run of longfat differs from a recording, packet by packet."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Any

from longfat.verification.observed import Flow, Observed


@dataclass(frozen=True)
class Divergence:
    """The first retransmission or change of a threshold that differs, and how many did not."""

    agreed: int
    time_s: float | None
    """None if nothing differs."""
    event: str = ""
    linux: str = ""
    longfat: str = ""

    def document(self) -> dict[str, Any]:
        """Return it for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        if self.time_s is None:
            return f"none in {self.agreed} events"
        return (
            f"{self.event} at {self.time_s:.4f} s: Linux {self.linux}, longfat {self.longfat};"
            f" {self.agreed} events agree"
        )


def first_divergence(
    linux: Observed, longfat: Observed, packet_s: float, round_trip_s: float
) -> Divergence:
    """Compare retransmissions and thresholds of each flow in order.

    Times of retransmissions may differ by one and a half transmissions of a packet, one place in
    the queue. Thresholds are whole segments and must be equal; they are known at acknowledgments
    only, so their times may differ by a round trip. Times are since a connection was
    established, which another measure compares.
    """
    found: list[tuple[float, str, str, str]] = []
    agreements: list[float] = []
    for number, (theirs, ours) in enumerate(zip(linux.flows, longfat.flows, strict=True), 1):
        of_flow = f" of flow {number}" if len(linux.flows) > 1 else ""
        later = (theirs.established_s or 0.0) - (ours.established_s or 0.0)
        for kind, pairs, tolerance in (
            ("retransmission", zip_longest(_resent(theirs), _resent(ours)), 1.5 * packet_s),
            ("threshold", zip_longest(_thresholds(theirs), _thresholds(ours)), round_trip_s),
        ):
            for place, (their, our) in enumerate(pairs, 1):
                if their is None or our is None or _differ(their, our, later, tolerance):
                    time = min(event[0] for event in (their, our) if event is not None)
                    found.append((time, f"{kind} {place}{of_flow}", _told(their), _told(our)))
                    break
                agreements.append(their[0])
    if not found:
        return Divergence(len(agreements), None)
    time, event, their_text, our_text = min(found)
    return Divergence(sum(at < time for at in agreements), time, event, their_text, our_text)


Seen = tuple[float, float | None]


def _differ(their: Seen, our: Seen, later: float, tolerance: float) -> bool:
    return abs(their[0] - our[0] - later) > tolerance or their[1] != our[1]


def _resent(flow: Flow) -> Iterator[Seen]:
    return ((time, None) for time in flow.resent)


def _thresholds(flow: Flow) -> Iterator[Seen]:
    """Yield changes of the threshold, each at the first acknowledgment that finds it changed."""
    last = None
    for time, _, threshold in flow.windows:
        if threshold != last:
            yield time, threshold
        last = threshold


def _told(seen: Any) -> str:
    if seen is None:
        return "none"
    time, threshold = seen
    return f"{time:.4f} s" if threshold is None else f"{threshold:g} segments at {time:.4f} s"
