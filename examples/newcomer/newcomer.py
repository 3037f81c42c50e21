"""A window that keeps the wait in queues near a target, and halves when packets are lost.

Each round trip tells how long its segment has waited: what it takes beyond the shortest one. Below
the target the window grows, above it shrinks, the more the further off (the idea of TCP Vegas and
LEDBAT, RFC 6817 section 2.4.2).
"""

from longfat.controls import Delivery, Progress, Window


class Delay:
    """One connection's control: the wait that it aims at, and how fast it goes there."""

    def __init__(self, target_ms: float = 5.0, gain: float = 1.0) -> None:
        self.target_s = target_ms / 1000
        self.gain = gain
        self.shortest_s = float("inf")

    def on_acknowledgment(self, window: Window, progress: Progress) -> None:
        """Leave growth to `on_delivery`, which hears of every acknowledgment."""

    def on_delivery(self, window: Window, delivery: Delivery) -> None:
        """Go towards the target, by a segment in a round trip at most."""
        if delivery.round_trip_s is None or delivery.is_recovering:
            return
        self.shortest_s = min(self.shortest_s, delivery.round_trip_s)
        waited_s = delivery.round_trip_s - self.shortest_s
        if window.in_slow_start and waited_s < self.target_s / 2:
            window.cwnd += delivery.bytes
            return
        window.ssthresh = min(window.ssthresh, window.cwnd)
        off = max(-1.0, (self.target_s - waited_s) / self.target_s)
        window.cwnd += self.gain * off * delivery.bytes * window.mss / window.cwnd

    def on_loss(self, window: Window, flight: int) -> None:
        """Halve, as Reno does."""
        window.ssthresh = max(flight / 2, 2 * window.mss)
        window.cwnd = window.ssthresh

    def on_timeout(self, window: Window, flight: int) -> None:
        """Begin again."""
        window.ssthresh = max(flight / 2, 2 * window.mss)
        window.cwnd = window.mss
