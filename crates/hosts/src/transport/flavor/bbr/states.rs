//! The states of BBR, and what they go by.

use longfat_foundation::random::Stream;
use longfat_foundation::units::Time;

use super::{FlightAt, Law, LossResponse};
use crate::transport::{Delivery, Window};

/// Phases of `ProbeBW`, and the pacing gain of the second, which drains (section 4.3.4.1). The first probes, the others keep the rate.
const PHASES: usize = 8;
const DRAINING_GAIN: f64 = 0.75;
/// Rounds without this growth after which the pipe counts as full (section 4.3.2.2).
const FULL_ROUNDS: u32 = 3;
const FULL_GROWTH: f64 = 1.25;

/// The states of BBR (section 4.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum State {
    Startup,
    Drain,
    /// In a phase of the gain cycle since a time.
    ProbeBandwidth {
        phase: usize,
        since: Time,
    },
    /// Until a time that is set once the flight is small enough, and until a round has passed.
    ProbeRoundTrip {
        until: Option<Time>,
        round_is_over: bool,
    },
}

impl Law {
    pub(super) fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => self.units.high_gain(),
            State::Drain => self.units.drain_gain(),
            State::ProbeBandwidth { phase: 0, .. } if self.policer.rate().is_none() => self.variant.probing_gain,
            State::ProbeBandwidth { phase: 1, .. } if self.policer.rate().is_none() => DRAINING_GAIN,
            State::ProbeBandwidth { .. } | State::ProbeRoundTrip { .. } => 1.0,
        }
    }

    /// The amount in flight by which phases end, in bytes, of `in_flight` at an acknowledgment.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn flight(&self, in_flight: u64, delivery: &Delivery) -> f64 {
        if self.settings.flight_at == FlightAt::Acknowledgment {
            return in_flight as f64;
        }
        let goes_then = if self.gain > 1.0 { self.units.bytes(self.send_quantum().into()) } else { 0.0 };
        let arrives = self.bandwidth() * (delivery.standing.departs - delivery.now).as_seconds();
        let arrives =
            if self.units.is_kernel() { (arrives / self.units.mss).floor() * self.units.mss } else { arrives };
        (in_flight as f64 + goes_then - arrives).max(0.0)
    }

    /// Section 4.3.4.3.
    pub(super) fn check_cycle(&mut self, window: &Window, delivery: &Delivery) {
        let State::ProbeBandwidth { phase, since } = self.state else { return };
        let now = self.clock(delivery.now);
        let has_lasted = self.round_trip.is_some_and(|(round_trip, _)| now - since > round_trip);
        let in_flight = self.flight(delivery.standing.in_flight_before, delivery);
        let gain = self.gain;
        let is_over = if gain > 1.0 {
            has_lasted && (delivery.standing.lost > 0 || in_flight >= self.in_flight_for(gain, window))
        } else {
            has_lasted || (gain < 1.0 && in_flight <= self.in_flight_for(1.0, window))
        };
        if is_over {
            self.state = State::ProbeBandwidth { phase: (phase + 1) % PHASES, since: now };
        }
    }

    /// Begins with any phase but the one that drains (section 4.3.4.2).
    pub(super) fn probe_bandwidth(&mut self, now: Time) {
        const FIRST: [usize; PHASES - 1] = [0, 2, 3, 4, 5, 6, 7];
        let word = self.chance.as_mut().map_or(0, Stream::draw);
        #[expect(clippy::cast_possible_truncation, reason = "below seven")]
        let phase = FIRST[((u128::from(word) * FIRST.len() as u128) >> 64) as usize];
        self.state = State::ProbeBandwidth { phase, since: self.clock(now) };
    }

    /// The time by which phases last: in the kernel, that of the latest delivery.
    fn clock(&self, now: Time) -> Time {
        if self.units.is_kernel() { self.delivered.0 } else { now }
    }

    /// Section 4.3.2.2.
    pub(super) fn check_full_pipe(&mut self, window: &mut Window, delivery: &Delivery) {
        if self.known.retreats() && !self.pipe_is_full {
            return self.fill(window);
        }
        if self.pipe_is_full || !self.rounds.starts || delivery.is_application_limited {
            return;
        }
        let bandwidth = self.bandwidth.get();
        if bandwidth >= self.units.bandwidth(self.full_bandwidth * FULL_GROWTH) {
            (self.full_bandwidth, self.full_rounds) = (bandwidth, 0);
            return;
        }
        self.full_rounds += 1;
        if self.full_rounds >= FULL_ROUNDS {
            self.fill(window);
        }
    }

    /// The pipe is full. BBR has no threshold; the one that is set says that Startup, its slow start, is over.
    fn fill(&mut self, window: &mut Window) {
        self.pipe_is_full = true;
        let full = self.in_flight_for(1.0, window);
        window.ssthresh = if self.units.is_kernel() { full } else { 2.0 * window.mss() };
    }

    /// Section 4.3.3.
    pub(super) fn check_drain(&mut self, window: &Window, delivery: &Delivery) {
        if self.state == State::Startup && self.pipe_is_full {
            self.state = State::Drain;
            self.variant.starts_anew = None;
        }
        if self.state == State::Drain
            && self.flight(delivery.standing.in_flight, delivery) <= self.in_flight_for(1.0, window)
        {
            self.known.end();
            self.probe_bandwidth(delivery.now);
        }
    }

    /// Records a round trip (section 4.1.2.3); returns whether the minimum had expired.
    pub(super) fn update_round_trip(&mut self, delivery: &Delivery) -> bool {
        let lifetime = self.variant.round_trip_lifetime;
        let is_old = self.round_trip.is_some_and(|(_, stamp)| self.units.is_past(stamp + lifetime, delivery.now));
        if let Some(sample) = delivery.round_trip.map(|sample| self.units.round_trip(sample)) {
            let is_better = self.round_trip.is_none_or(|(shortest, _)| {
                sample < shortest || (sample == shortest && self.settings.equal_round_trips_refresh)
            });
            if is_better || is_old {
                self.round_trip = Some((sample, delivery.now));
            }
        }
        is_old
    }

    /// Section 4.3.5.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    pub(super) fn check_probe_of_round_trip(&mut self, window: &mut Window, delivery: &Delivery, is_old: bool) {
        let may_begin = match self.state {
            State::ProbeRoundTrip { .. } => false,
            State::ProbeBandwidth { .. } => true,
            State::Startup | State::Drain => !self.variant.measures_round_trip_anew,
        };
        let is_due = is_old || self.variant.starts_anew.is_some();
        if may_begin && is_due && !self.restarts_from_idle {
            if self.settings.loss_response == LossResponse::Draft {
                self.save_window(window);
            }
            self.state = State::ProbeRoundTrip { until: None, round_is_over: false };
            // The kernel saves the window in this state already: one that was saved before and is larger stays.
            if self.settings.loss_response == LossResponse::Kernel {
                self.save_window(window);
            }
        }
        let most_in_flight = self.probe_window(window);
        if let State::ProbeRoundTrip { until, round_is_over } = &mut self.state {
            if let Some(until) = *until {
                *round_is_over |= self.rounds.starts;
                if *round_is_over && self.units.is_past(until, delivery.now) {
                    self.end_probe_of_round_trip(window, delivery);
                }
            } else if delivery.standing.in_flight as f64 <= most_in_flight {
                (*until, *round_is_over) = (Some(delivery.now + self.variant.probe_duration), false);
                self.rounds.begin(delivery.total);
            }
        }
        if delivery.bytes > 0 {
            self.restarts_from_idle = false;
        }
    }

    fn end_probe_of_round_trip(&mut self, window: &mut Window, delivery: &Delivery) {
        if let Some((shortest, stamp)) = &mut self.round_trip {
            *stamp = delivery.now;
            if let Some(sample) = delivery.round_trip.filter(|_| self.variant.measures_round_trip_anew) {
                *shortest = self.units.round_trip(sample);
            }
        }
        window.set(window.cwnd.max(self.window_before));
        if let Some(bandwidth) = self.variant.starts_anew {
            self.state = State::Startup;
            (self.pipe_is_full, self.full_bandwidth, self.full_rounds) = (false, 0.0, 0);
            self.bandwidth.reset(self.rounds.count, bandwidth);
        } else if self.pipe_is_full {
            self.probe_bandwidth(delivery.now);
        } else {
            self.state = State::Startup;
        }
    }
}
