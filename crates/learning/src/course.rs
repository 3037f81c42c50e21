//! What is decided in the course of a connection, and what it has seen meanwhile.

use longfat_engine::transport::{Delivery, Window};
use longfat_engine::units::{Span, Time};

use crate::Interval;

/// What decisions change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steers {
    /// The congestion window.
    Window,
    /// The rate at which segments leave; the window is twice what such a rate has in the network in the shortest round trip.
    Rate,
}

/// How often decisions are made, and about what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The time between two decisions, not zero.
    pub interval: Span,
    /// What they change.
    pub steers: Steers,
}

impl Steers {
    /// Its name in Python.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Window => "window",
            Self::Rate => "rate",
        }
    }

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Window, Self::Rate].into_iter().find(|known| known.name() == name)
    }
}

/// The smallest window at a rate, in segments: enough for a loss to be noticed without a timeout (as BBR's `MinPipeCwnd`).
const LEAST_SEGMENTS: f64 = 4.0;
/// The window at a rate, in what the rate has in the network in the shortest round trip (as BBR's `cwnd_gain`).
const WINDOW_OF_RATE: f64 = 2.0;

/// Decisions and observations of one connection. It outlives the law that carries them out, as a simulation may have to begin again.
#[derive(Debug)]
pub struct Course {
    settings: Settings,
    decisions: Vec<f64>,
    /// Intervals that are over, and decisions that are carried out.
    closed: usize,
    carried_out: usize,
    open: Interval,
    round_trips_s: f64,
    /// What has happened since the last acknowledgment, or with the one that is being taken in: it counts with that one.
    untold: Untold,
    rate: Option<f64>,
}

/// Sums of what happens between acknowledgments.
#[derive(Debug, Default)]
struct Untold {
    lost_bytes: f64,
    marked_bytes: f64,
    losses: f64,
    timeouts: f64,
}

impl Course {
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            decisions: Vec::new(),
            closed: 0,
            carried_out: 0,
            open: Interval::default(),
            round_trips_s: 0.0,
            untold: Untold::default(),
            rate: None,
        }
    }

    /// From the beginning, with the decisions that were made.
    pub fn begin_again(&mut self) {
        let decisions = std::mem::take(&mut self.decisions);
        *self = Self { decisions, ..Self::new(self.settings) };
    }

    /// Decides what comes of the first interval without a decision: a power of two by which window or rate change, at most twofold.
    pub fn decide(&mut self, power: f64) {
        self.decisions.push(power.clamp(-1.0, 1.0));
    }

    /// The first interval that is over at `now`, if its decision has still to be made.
    pub fn close_undecided(&mut self, now: Time) -> Option<Interval> {
        while self.end() <= now {
            let seen = self.close();
            if self.closed > self.decisions.len() {
                return Some(seen);
            }
        }
        None
    }

    /// When the interval ends that is open.
    fn end(&self) -> Time {
        Time::ZERO + Span(self.settings.interval.0 * (self.closed as u64 + 1))
    }

    fn close(&mut self) -> Interval {
        let mut seen = self.open;
        seen.end_s = self.end().as_seconds();
        seen.rate_bytes = self.rate.unwrap_or(0.0);
        if seen.round_trips > 0.0 {
            seen.round_trip_s = self.round_trips_s / seen.round_trips;
        }
        self.open = Interval {
            round_trip_s: seen.round_trip_s,
            shortest_round_trip_s: seen.shortest_round_trip_s,
            in_flight_bytes: seen.in_flight_bytes,
            window_bytes: seen.window_bytes,
            ..Interval::default()
        };
        self.round_trips_s = 0.0;
        self.closed += 1;
        seen
    }

    /// Carries out the last decision that is due. Those before it came since the last acknowledgment, when nothing was to be seen of them:
    /// all together they would blow up the window of a connection that waits, or has not begun.
    pub fn carry_out(&mut self, window: &mut Window) {
        let due = self.closed.min(self.decisions.len());
        if due == self.carried_out {
            return;
        }
        self.carried_out = due;
        // Of `libm`, which is the same on every machine.
        let factor = libm::exp2(self.decisions[due - 1]);
        match self.settings.steers {
            Steers::Window => window.set((window.cwnd * factor).min(largest(window)).max(window.mss())),
            Steers::Rate => self.rate = self.rate.map(|rate| rate * factor),
        }
    }

    /// Takes in what an acknowledgment tells, after all that is decided is carried out.
    #[expect(clippy::cast_precision_loss, reason = "bytes of an interval are far below 2^53")]
    pub fn take_in(&mut self, delivery: &Delivery, window: &mut Window) {
        let untold = std::mem::take(&mut self.untold);
        let open = &mut self.open;
        open.lost_bytes += untold.lost_bytes;
        open.marked_bytes += untold.marked_bytes;
        open.losses += untold.losses;
        open.timeouts += untold.timeouts;
        open.delivered_bytes += delivery.bytes as f64;
        open.in_flight_bytes = delivery.standing.in_flight as f64;
        if let Some(round_trip) = delivery.round_trip {
            let seconds = round_trip.as_seconds();
            open.round_trips += 1.0;
            self.round_trips_s += seconds;
            let is_first = open.shortest_round_trip_s == 0.0;
            open.shortest_round_trip_s = if is_first { seconds } else { open.shortest_round_trip_s.min(seconds) };
        }
        if self.settings.steers == Steers::Rate {
            self.follow_rate(window);
        }
        // So that the end of a recovery leaves it as it is.
        window.ssthresh = window.cwnd;
        self.open.window_bytes = window.cwnd;
    }

    /// The first rate is the initial window in a round trip. It is never less than a segment in a round trip: a connection from which no
    /// acknowledgment comes could not be told to send more.
    fn follow_rate(&mut self, window: &mut Window) {
        let shortest_s = self.open.shortest_round_trip_s;
        if shortest_s > 0.0 {
            let rate = self.rate.unwrap_or(window.cwnd / shortest_s);
            let rate = rate.min(largest(window) / shortest_s).max(window.mss() / shortest_s);
            self.rate = Some(rate);
            window.set((WINDOW_OF_RATE * rate * shortest_s).max(LEAST_SEGMENTS * window.mss()));
        }
    }

    pub fn rate(&self) -> Option<f64> {
        self.rate
    }

    #[expect(clippy::cast_precision_loss, reason = "bytes of an interval are far below 2^53")]
    pub fn note_lost(&mut self, bytes: u64) {
        self.untold.lost_bytes += bytes as f64;
    }

    #[expect(clippy::cast_precision_loss, reason = "bytes of an interval are far below 2^53")]
    pub fn note_marked(&mut self, bytes: u64) {
        self.untold.marked_bytes += bytes as f64;
    }

    pub fn note_loss(&mut self) {
        self.untold.losses += 1.0;
    }

    pub fn note_timeout(&mut self) {
        self.untold.timeouts += 1.0;
    }
}

/// What the receiver has room for: no larger window is ever used, and one that grew on would have to come back first.
#[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
fn largest(window: &Window) -> f64 {
    window.receiver_window() as f64
}
