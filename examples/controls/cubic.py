"""CUBIC written out (RFC 9438), without fast convergence and HyStart++.

The tests plant faults in copies, which `longfat test-controller` has to find.
"""

from longfat.controls import Progress, Window

C = 0.4
BETA = 0.7


class Cubic:
    """One connection's window, in segments and seconds as the RFC has it."""

    def __init__(self) -> None:
        self.w_max = 0.0
        self.epoch_s: float | None = None
        self.friendly = 0.0

    def on_acknowledgment(self, window: Window, progress: Progress) -> None:
        """Slow start, then the cubic function of the time since the last reduction (4.2, 4.3)."""
        if window.in_slow_start:
            window.cwnd += progress.acknowledged
            return
        cwnd = window.cwnd / window.mss
        if self.epoch_s is None:
            self.epoch_s = progress.now_s
            self.friendly = cwnd
            self.w_max = max(self.w_max, cwnd)
        k = ((self.w_max * (1 - BETA)) / C) ** (1 / 3)
        elapsed_s = progress.now_s - self.epoch_s + (progress.smoothed_round_trip_s or 0.0)
        acknowledged = progress.acknowledged / window.mss
        self.friendly += 3 * (1 - BETA) / (1 + BETA) * acknowledged / cwnd
        target = min(max(C * (elapsed_s - k) ** 3 + self.w_max, cwnd), 1.5 * cwnd)
        if self.friendly > target:
            window.cwnd = max(window.cwnd, self.friendly * window.mss)
        else:
            window.cwnd += (target - cwnd) / cwnd * acknowledged * window.mss

    def on_loss(self, window: Window, flight: int) -> None:
        """Multiplicative decrease (4.6)."""
        self._reduce(window)
        window.cwnd = window.ssthresh

    def on_timeout(self, window: Window, flight: int) -> None:
        """Begin again, with the window of before in mind (4.8)."""
        self._reduce(window)
        window.cwnd = window.mss

    def _reduce(self, window: Window) -> None:
        self.w_max = window.cwnd / window.mss
        self.epoch_s = None
        window.ssthresh = max(BETA * window.cwnd, 2 * window.mss)
