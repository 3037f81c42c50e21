//! When the retransmission timer expires, and what round trips tell of that.

use super::Connection;
use crate::transport::rto::TimeoutEstimator;
use crate::transport::{Acknowledgment, RoundTripsInRecovery};
use crate::units::Time;

impl Connection {
    /// Measures the round trip that an acknowledgment of new data ends; `is_partial` if a recovery goes on.
    pub fn measure_round_trip(&mut self, now: Time, acknowledgment: &Acknowledgment, is_partial: bool) {
        if let Some(sent) = acknowledgment.echo.filter(|_| self.carries_timestamps) {
            return self.note_round_trip(sent, now);
        }
        let covered = self.timed.filter(|timed| acknowledgment.next > timed.sequence);
        match self.round_trips_in_recovery {
            RoundTripsInRecovery::UntilExit if is_partial => self.inform(|estimator| estimator.end_backoff()),
            RoundTripsInRecovery::Ignored if is_partial => {
                if covered.is_some() {
                    self.timed = None;
                    self.inform(|estimator| estimator.end_backoff());
                }
            }
            _ => {
                if let Some(timed) = covered {
                    self.timed = None;
                    self.note_round_trip(timed.sent, now);
                }
            }
        }
    }

    /// Starts the retransmission timer anew.
    pub fn restart_timer(&mut self, now: Time) {
        self.expires = Some(self.clock.after(now, self.timeout_ticks));
    }

    /// Stops the retransmission timer.
    pub fn stop_timer(&mut self) {
        self.expires = None;
    }

    pub(super) fn note_round_trip(&mut self, sent: Time, now: Time) {
        self.round_trip = Some(now - sent);
        self.smoothed_round_trip.note(now - sent);
        if let Some(pacer) = &mut self.pacer {
            pacer.note_round_trip(now - sent);
        }
        self.statistics.round_trips += 1;
        let ticks = self.clock.elapsed(sent, now);
        self.inform(|estimator| estimator.on_round_trip(ticks));
    }

    /// Tells the estimator something.
    pub(super) fn inform(&mut self, tell: impl FnOnce(&mut dyn TimeoutEstimator)) {
        tell(&mut *self.estimator);
        self.timeout_ticks = self.estimator.timeout_ticks();
    }
}
