//! Decisions and observations over the course of a connection.

use longfat_engine::transport::{Delivery, Window};
use longfat_engine::units::{Span, Time};

use crate::Interval;

/// Variable that decisions change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steers {
    /// The congestion window.
    Window,
    /// The pacing rate; the window is twice its bandwidth-delay product with the minimum round trip.
    Rate,
}

/// Timing and subject of decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Time between decisions; nonzero.
    pub interval: Span,
    /// Variable that they change.
    pub steers: Steers,
}

impl Steers {
    /// Name in Python.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Window => "window",
            Self::Rate => "rate",
        }
    }

    /// The variant with that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Window, Self::Rate].into_iter().find(|known| known.name() == name)
    }
}

/// Smallest window with a rate, in segments: enough to detect a loss without a timeout (like BBR's `MinPipeCwnd`).
const LEAST_SEGMENTS: f64 = 4.0;
/// Window with a rate, in bandwidth-delay products with the minimum round trip (like BBR's `cwnd_gain`).
const WINDOW_OF_RATE: f64 = 2.0;

/// Decisions and observations of one connection. It outlives the law, because a simulation may have to restart.
#[derive(Debug)]
pub struct Course {
    settings: Settings,
    decisions: Vec<f64>,
    /// Number of closed intervals, and of decisions carried out.
    closed: usize,
    carried_out: usize,
    open: Interval,
    round_trips_s: f64,
    /// Events since the last acknowledgment, including the one in progress; they count with that one.
    pending: SinceAcknowledgment,
    rate: Option<f64>,
}

/// Sums over the events between acknowledgments.
#[derive(Debug, Default)]
struct SinceAcknowledgment {
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
            pending: SinceAcknowledgment::default(),
            rate: None,
        }
    }

    /// Restarts with the decisions made so far.
    pub fn begin_again(&mut self) {
        let decisions = std::mem::take(&mut self.decisions);
        *self = Self { decisions, ..Self::new(self.settings) };
    }

    /// Decides for the first undecided interval: window or rate change by 2^`power`, at most twofold.
    pub fn decide(&mut self, power: f64) {
        self.decisions.push(power.clamp(-1.0, 1.0));
    }

    /// The first interval that has ended by `now`, if it is undecided.
    pub fn close_undecided(&mut self, now: Time) -> Option<Interval> {
        while self.end() <= now {
            let seen = self.close();
            if self.closed > self.decisions.len() {
                return Some(seen);
            }
        }
        None
    }

    /// End of the open interval.
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

    /// Carries out the latest decision that is due. Earlier ones, made since the last acknowledgment, are skipped: they had no visible
    /// effect to respond to, and together they would inflate the window of a connection that waits or has not begun.
    pub fn carry_out(&mut self, window: &mut Window) {
        let due = self.closed.min(self.decisions.len());
        if due == self.carried_out {
            return;
        }
        self.carried_out = due;
        // From `libm`, which gives the same bits on every machine.
        let factor = libm::exp2(self.decisions[due - 1]);
        match self.settings.steers {
            Steers::Window => window.set((window.cwnd * factor).min(largest(window)).max(window.mss())),
            Steers::Rate => self.rate = self.rate.map(|rate| rate * factor),
        }
    }

    /// Processes an acknowledgment, after carrying out all decisions that are due.
    #[expect(clippy::cast_precision_loss, reason = "bytes of an interval are far below 2^53")]
    pub fn take_in(&mut self, delivery: &Delivery, window: &mut Window) {
        let pending = std::mem::take(&mut self.pending);
        let open = &mut self.open;
        open.lost_bytes += pending.lost_bytes;
        open.marked_bytes += pending.marked_bytes;
        open.losses += pending.losses;
        open.timeouts += pending.timeouts;
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
        // Keeps the window unchanged at the end of a recovery.
        window.ssthresh = window.cwnd;
        self.open.window_bytes = window.cwnd;
    }

    /// The initial rate is the initial window per round trip. The rate is at least a segment per round trip: without acknowledgments, a
    /// connection could not be made to send more.
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
        self.pending.lost_bytes += bytes as f64;
    }

    #[expect(clippy::cast_precision_loss, reason = "bytes of an interval are far below 2^53")]
    pub fn note_marked(&mut self, bytes: u64) {
        self.pending.marked_bytes += bytes as f64;
    }

    pub fn note_loss(&mut self) {
        self.pending.losses += 1.0;
    }

    pub fn note_timeout(&mut self) {
        self.pending.timeouts += 1.0;
    }
}

/// Largest useful window: the receiver window. A larger one is never used, and would take time to shrink.
#[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
fn largest(window: &Window) -> f64 {
    window.receiver_window() as f64
}
