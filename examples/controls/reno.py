"""Slow start and congestion avoidance, written out (RFC 5681 section 3).

With `recovery = "newreno"` every packet of a run is where the flavor `newreno` has it.
"""

from longfat.controls import Progress, Window


class Reno:
    """One connection's control; `beta` is what a loss leaves of the window."""

    def __init__(self, beta: float = 0.5) -> None:
        self.beta = beta

    def on_acknowledgment(self, window: Window, progress: Progress) -> None:
        """Grow, for an acknowledgment of new data."""
        if window.in_slow_start:
            window.cwnd += window.mss
        else:
            window.cwnd += window.mss * window.mss / window.cwnd

    def on_loss(self, window: Window, flight: int) -> None:
        """Answer duplicate acknowledgments while `flight` bytes are under way."""
        self._reduce_threshold(window)
        window.cwnd = window.ssthresh

    def on_timeout(self, window: Window, flight: int) -> None:
        """Answer the expiry of the retransmission timer."""
        self._reduce_threshold(window)
        window.cwnd = window.mss

    def _reduce_threshold(self, window: Window) -> None:
        left = min(self.beta * window.cwnd, window.receiver_window)
        window.ssthresh = max(left, 2 * window.mss)
