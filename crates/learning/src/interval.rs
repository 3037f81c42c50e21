//! Observations of a connection in an interval.

/// Observations from the acknowledgments of an interval, on which decisions are based. Sizes in bytes, times in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// End of the interval.
    pub end_s: f64,
    /// Data newly delivered, in order or not.
    pub delivered_bytes: f64,
    /// Data detected as lost, by a recovery that tracks segments.
    pub lost_bytes: f64,
    /// Data delivered with ECN marks.
    pub marked_bytes: f64,
    /// Number of round trips measured.
    pub round_trips: f64,
    /// Mean round trip; that of the last interval with any, and 0 before the first.
    pub round_trip_s: f64,
    /// Minimum round trip of the connection so far.
    pub shortest_round_trip_s: f64,
    /// Bytes in the network at the end.
    pub in_flight_bytes: f64,
    /// Congestion window at the end.
    pub window_bytes: f64,
    /// Pacing rate at the end, per second; 0 without pacing.
    pub rate_bytes: f64,
    /// Number of congestion events: losses, and first marks of a window.
    pub losses: f64,
    /// Number of expiries of the retransmission timer.
    pub timeouts: f64,
}

impl Interval {
    /// Names of the numbers, in order.
    pub const NAMES: [&str; 12] = [
        "end_s",
        "delivered_bytes",
        "lost_bytes",
        "marked_bytes",
        "round_trips",
        "round_trip_s",
        "shortest_round_trip_s",
        "in_flight_bytes",
        "window_bytes",
        "rate_bytes",
        "losses",
        "timeouts",
    ];

    /// The numbers, in the order of their names.
    #[must_use]
    pub fn numbers(&self) -> [f64; Self::NAMES.len()] {
        [
            self.end_s,
            self.delivered_bytes,
            self.lost_bytes,
            self.marked_bytes,
            self.round_trips,
            self.round_trip_s,
            self.shortest_round_trip_s,
            self.in_flight_bytes,
            self.window_bytes,
            self.rate_bytes,
            self.losses,
            self.timeouts,
        ]
    }
}
