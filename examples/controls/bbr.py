"""BBR's first version written out (draft-cardwell-iccrg-bbr-congestion-control-00), in short.

Without long-term sampling, restart from idle and packet conservation. The tests plant faults in
copies, which `longfat test-controller` has to find.
"""

from longfat.controls import Delivery, Progress, Window

STARTUP_GAIN = 2.89
DRAIN_GAIN = 1 / STARTUP_GAIN
CYCLE = (1.25, 0.75, 1, 1, 1, 1, 1, 1)
ROUNDS_OF_BANDWIDTH = 10
ROUND_TRIP_EXPIRES_S = 10.0
PROBE_ROUND_TRIP_S = 0.2
LEAST_SEGMENTS = 4


class BBR:
    """One connection's model of its path, and the phase that it is in."""

    def __init__(self) -> None:
        self.phase = "startup"
        self.rates: list[tuple[int, float]] = []
        self.shortest_s = float("inf")
        self.shortest_at_s = 0.0
        self.round, self.round_ends_at = 0, 0
        self.full_rate, self.rounds_without_growth = 0.0, 0
        self.cycle, self.cycle_began_s = 0, 0.0
        self.probe_ends_s: float | None = None

    def on_acknowledgment(self, window: Window, progress: Progress) -> None:
        """Leave all to `on_delivery`."""

    def on_loss(self, window: Window, flight: int) -> None:
        """Leave the window as it is: losses say nothing of the model."""

    def on_timeout(self, window: Window, flight: int) -> None:
        """Send a segment again; `on_delivery` sets the window by the model."""
        window.cwnd = window.mss

    def pacing_rate(self, window: Window) -> float | None:
        """Return the bandwidth times the gain of the phase, in bytes per second."""
        return None if not self.rates else self._gain() * self._bandwidth()

    def on_delivery(self, window: Window, delivery: Delivery) -> None:
        """Update the model, then the phase, then the window."""
        begins = delivery.total_when_sent >= self.round_ends_at
        if begins:
            self.round_ends_at = delivery.total
            self.round += 1
        self._measure(delivery)
        if begins:
            self._check_full(delivery)
        self._next_phase(delivery)
        self._set_window(window)

    def _measure(self, delivery: Delivery) -> None:
        rate = delivery.rate
        if rate is not None and not (delivery.is_application_limited and rate < self._bandwidth()):
            self.rates = [
                (number, old)
                for number, old in self.rates
                if old > rate and number > self.round - ROUNDS_OF_BANDWIDTH
            ] + [(self.round, rate)]
        expired = delivery.now_s > self.shortest_at_s + ROUND_TRIP_EXPIRES_S
        if delivery.round_trip_s is not None:
            if delivery.round_trip_s <= self.shortest_s or expired:
                self.shortest_s = delivery.round_trip_s
                self.shortest_at_s = delivery.now_s
            if expired and self.phase != "probe round trip":
                self.phase, self.probe_ends_s = "probe round trip", None

    def _check_full(self, delivery: Delivery) -> None:
        if self.phase != "startup" or delivery.is_application_limited:
            return
        if self._bandwidth() >= 1.25 * self.full_rate:
            self.full_rate, self.rounds_without_growth = self._bandwidth(), 0
            return
        self.rounds_without_growth += 1
        if self.rounds_without_growth >= 3:
            self.phase = "drain"

    def _next_phase(self, delivery: Delivery) -> None:
        if self.phase == "drain" and delivery.in_flight <= self._product():
            self._begin_cycle(delivery.now_s)
        elif self.phase == "probe bandwidth":
            self._advance_cycle(delivery)
        elif self.phase == "probe round trip":
            self._probe_round_trip(delivery)

    def _begin_cycle(self, now_s: float) -> None:
        self.phase, self.cycle, self.cycle_began_s = "probe bandwidth", 2, now_s

    def _advance_cycle(self, delivery: Delivery) -> None:
        elapsed = delivery.now_s - self.cycle_began_s > self.shortest_s
        gain = CYCLE[self.cycle]
        if gain > 1:
            elapsed &= delivery.lost > 0 or delivery.in_flight_before >= gain * self._product()
        elif gain < 1:
            elapsed |= delivery.in_flight_before <= self._product()
        if elapsed:
            self.cycle, self.cycle_began_s = (self.cycle + 1) % len(CYCLE), delivery.now_s

    def _probe_round_trip(self, delivery: Delivery) -> None:
        few = delivery.in_flight <= LEAST_SEGMENTS * 1500
        if self.probe_ends_s is None and few:
            self.probe_ends_s = delivery.now_s + PROBE_ROUND_TRIP_S
        if self.probe_ends_s is not None and delivery.now_s > self.probe_ends_s:
            self.shortest_at_s = delivery.now_s
            self._begin_cycle(delivery.now_s)

    def _gain(self) -> float:
        if self.phase == "probe bandwidth":
            return CYCLE[self.cycle]
        return {"startup": STARTUP_GAIN, "drain": DRAIN_GAIN}.get(self.phase, 1.0)

    def _bandwidth(self) -> float:
        return max((rate for _, rate in self.rates), default=0.0)

    def _product(self) -> float:
        return self._bandwidth() * self.shortest_s if self.rates else 0.0

    def _set_window(self, window: Window) -> None:
        if not self.rates or self.shortest_s == float("inf"):
            return
        gain = 2.0 if self.phase == "probe bandwidth" else STARTUP_GAIN
        if self.phase == "probe round trip":
            window.cwnd = LEAST_SEGMENTS * window.mss
        else:
            window.cwnd = max(gain * self._product(), LEAST_SEGMENTS * window.mss, window.mss * 10)
