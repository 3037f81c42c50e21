//! What a connection has come to know in an interval.

/// What the acknowledgments of an interval have told: what decisions rest on. Sizes in bytes, times in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// When it ended.
    pub end_s: f64,
    /// What was newly delivered, in order or not.
    pub delivered_bytes: f64,
    /// What was found to be lost, by a recovery that knows segment by segment.
    pub lost_bytes: f64,
    /// What was delivered with marks of congestion.
    pub marked_bytes: f64,
    /// How many round trips were measured.
    pub round_trips: f64,
    /// Their mean; that of the last interval that had any, and 0 before there was one.
    pub round_trip_s: f64,
    /// The shortest so far, of the whole connection.
    pub shortest_round_trip_s: f64,
    /// What is in the network at the end.
    pub in_flight_bytes: f64,
    /// The congestion window at the end.
    pub window_bytes: f64,
    /// The rate at the end at which segments leave, a second; 0 if they leave as the window allows.
    pub rate_bytes: f64,
    /// How often a loss, or a mark that was the first of its window, asked for less.
    pub losses: f64,
    /// How often the retransmission timer has expired.
    pub timeouts: f64,
}

impl Interval {
    /// The names of the numbers, in order.
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
