//! Prague. Section numbers are those of draft-briscoe-iccrg-prague-congestion-control-04.

use super::{Classical, Dctcp, Progress, Window, WindowLaw};
use crate::transport::SmoothedRoundTrip;
use crate::units::Span;

/// What is chosen for a Prague.
#[derive(Clone, Copy, Debug)]
pub struct PragueConstants {
    /// The weight of a new share of marked bytes.
    pub gain: f64,
    /// Windows grow as if no round trip were shorter.
    pub least_round_trip: Span,
    /// After so many round trips.
    pub rounds_before: u64,
}

/// DCTCP's answer to marks, paced, growing at short round trips as others do at longer ones.
pub struct Prague {
    constants: PragueConstants,
    marks: Dctcp,
    smoothed_round_trip: SmoothedRoundTrip,
    /// Round trips so far, and what is to be acknowledged to end this one.
    rounds: u64,
    round_end: u64,
    unacknowledged: u64,
    /// The window before marks have reduced it last, for as long as this is not acknowledged.
    before_marks: Option<(f64, u64)>,
}

impl Prague {
    /// Of a new connection.
    #[must_use]
    pub fn new(constants: PragueConstants) -> Self {
        Self {
            constants,
            marks: Dctcp::new(constants.gain),
            smoothed_round_trip: SmoothedRoundTrip::default(),
            rounds: 0,
            round_end: 0,
            unacknowledged: 0,
            before_marks: None,
        }
    }

    /// How much more slowly the window grows than by a segment in a round trip: by the square of how much shorter the round trip is, so that
    /// the rate grows as at the longer one (section 2.4.4).
    fn growth(&self) -> f64 {
        let Some(round_trip) = self.smoothed_round_trip.get() else { return 1.0 };
        let is_dependent = self.rounds < self.constants.rounds_before || round_trip >= self.constants.least_round_trip;
        if is_dependent {
            1.0
        } else {
            (round_trip.as_seconds() / self.constants.least_round_trip.as_seconds()).powi(2)
        }
    }
}

impl WindowLaw for Prague {
    /// Slow start as the classical law; then a segment in a (virtual) round trip, also after marks.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if let Some(sample) = progress.sample {
            self.smoothed_round_trip.note(sample);
        }
        if window.in_slow_start() {
            Classical.on_acknowledgment(window, progress);
        } else {
            window.grow(self.growth() * window.mss() * progress.acknowledged as f64 / window.cwnd);
        }
    }

    fn observes_marks(&self) -> bool {
        true
    }

    fn observe_marks(&mut self, acknowledged: u64, marked: u64, unacknowledged: u64, highest: u64) {
        self.marks.observe_marks(acknowledged, marked, unacknowledged, highest);
        self.unacknowledged = unacknowledged;
        if unacknowledged > self.round_end {
            self.rounds += 1;
            self.round_end = highest;
        }
    }

    fn on_mark(&mut self, window: &mut Window, flight: u64) {
        self.before_marks = Some((window.cwnd, self.unacknowledged + flight));
        self.marks.on_mark(window, flight);
    }

    /// As the classical law: losses are congestion of a queue that does not mark. What marks have taken in the same round trip is not taken
    /// again.
    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        if let Some((before, until)) = self.before_marks.take()
            && self.unacknowledged < until
        {
            window.cwnd = window.cwnd.max(before);
        }
        Classical.on_loss(window, flight);
    }

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        Classical.on_timeout(window, flight);
    }

    fn is_paced(&self) -> bool {
        true
    }

    /// A window in a round trip, and twice that in slow start, so that a queue sees no bursts.
    fn pacing_rate(&mut self, window: &Window) -> Option<f64> {
        let round_trip = self.smoothed_round_trip.get().filter(|round_trip| *round_trip > Span::ZERO)?;
        let gain = if window.in_slow_start() { 2.0 } else { 1.0 };
        Some(gain * window.cwnd / round_trip.as_seconds())
    }
}
