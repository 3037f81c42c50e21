//! Round-trip measurement and the retransmission timer.

use longfat_foundation::units::Time;

use super::Connection;
use crate::transport::rto::TimeoutEstimator;
use crate::transport::{Acknowledgment, RoundTripsInRecovery};

impl Connection {
    /// Takes a round-trip sample from an acknowledgment of new data, if it completes one; returns whether it did. `is_partial` during a
    /// recovery.
    #[inline(always)]
    pub fn measure_round_trip(&mut self, now: Time, acknowledgment: &Acknowledgment, is_partial: bool) -> bool {
        let measured = self.statistics.round_trips.count;
        if let Some(echo) = acknowledgment.echo.filter(|_| self.carries_timestamps) {
            self.one_way_delay = echo.one_way_delay();
            self.note_round_trip(echo.sent, now);
        } else if is_partial {
            self.end_timing_in_recovery(now, acknowledgment);
        } else if let Some(timed) = self.timed.filter(|timed| acknowledgment.next > timed.sequence) {
            self.timed = None;
            self.note_round_trip(timed.sent, now);
        }
        self.statistics.round_trips.count > measured
    }

    fn end_timing_in_recovery(&mut self, now: Time, acknowledgment: &Acknowledgment) {
        let covered = self.timed.filter(|timed| acknowledgment.next > timed.sequence);
        match self.round_trips_in_recovery {
            RoundTripsInRecovery::UntilExit => self.inform(|estimator| estimator.end_backoff()),
            RoundTripsInRecovery::Ignored => {
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

    /// Restarts the retransmission timer if data is in flight and stops it otherwise, at an acknowledgment of new data (T-13).
    #[inline]
    pub fn renew_timer(&mut self, now: Time) {
        if self.flight() == 0 {
            self.stop_timer();
        } else {
            self.restart_timer(now);
        }
    }

    /// Restarts the retransmission timer.
    #[inline]
    pub fn restart_timer(&mut self, now: Time) {
        // A restart within the same tick would not change the expiry.
        if now >= self.expires_alike_until {
            self.set_timer(now);
        }
    }

    fn set_timer(&mut self, now: Time) {
        let waits_for_tick = !self.counts_begun_tick && self.clock.is_within_tick(now);
        self.expires = Some(self.clock.after(now, self.timeout_ticks.saturating_add(waits_for_tick.into())));
        let next_tick = self.clock.next_tick(now).unwrap_or(Time::ZERO);
        let is_alike = self.counts_begun_tick || waits_for_tick;
        self.expires_alike_until = if is_alike { next_tick } else { Time::ZERO };
    }

    /// Acts and leaves the retransmission timer as it was.
    pub fn keep_timer(&mut self, act: impl FnOnce(&mut Self)) {
        let timer = (self.expires, self.expires_alike_until);
        act(self);
        (self.expires, self.expires_alike_until) = timer;
    }

    /// Stops the retransmission timer.
    pub fn stop_timer(&mut self) {
        self.expires = None;
        self.expires_alike_until = Time::ZERO;
    }

    #[inline(never)]
    pub(super) fn note_round_trip(&mut self, sent: Time, now: Time) {
        self.round_trip = Some(now - sent);
        self.smoothed_round_trip.note(now - sent);
        if let Some(pacer) = &mut self.pacer {
            pacer.note_round_trip(now - sent);
        }
        self.statistics.round_trips.note(now - sent);
        let ticks = self.clock.elapsed(sent, now);
        let is_first = self.unacknowledged > self.round_ends;
        if is_first {
            self.round_ends = self.highest;
        }
        // RFC 7323 appendix G: an acknowledgment for every second segment.
        let in_round_trip = if self.carries_timestamps { self.flight().div_ceil(2 * self.mss).max(1) } else { 1 };
        self.inform(|estimator| estimator.on_one_of_many(ticks, in_round_trip, is_first));
    }

    /// Tells the estimator something.
    pub(super) fn inform(&mut self, tell: impl FnOnce(&mut dyn TimeoutEstimator)) {
        tell(&mut *self.estimator);
        self.timeout_ticks = self.estimator.timeout_ticks();
        self.expires_alike_until = Time::ZERO;
    }
}
