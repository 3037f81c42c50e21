//! The long-term bound on the flight, and the window within all bounds (sections 5.3.3.9 and 5.6.4).

use longfat_foundation::units::Time;

use super::congestion::{self, ShortTerm};
use super::cycle::MOST_UP_ROUNDS;
use super::{Feedback, LEAST_WINDOW, Law, PROBE_DURATION, PROBE_WINDOW_GAIN, Repair, State};
use crate::transport::{Delivery, LostSegment, Window};

impl Law {
    /// `AdaptLongTermModel`; returns whether it has changed the state.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    pub(super) fn adapt_long_term(&mut self, window: &Window, delivery: &Delivery) -> bool {
        if self.probe.feedback == Feedback::Starting && self.rounds.starts {
            self.probe.feedback = Feedback::Probing;
        }
        if self.probe.feedback == Feedback::Stopping && self.rounds.starts {
            (self.probe.is_sampled, self.probe.feedback) = (false, Feedback::None);
            if self.probes_bandwidth_by_cycles() {
                if !delivery.is_application_limited {
                    self.path.begin_cycle();
                }
                if self.probe.was_precautionary && !self.probe.was_too_high {
                    self.begin_refill(delivery);
                    return true;
                }
            }
        }
        let is_safe = !congestion::is_too_much(delivery.lost_since_sent, delivery.in_flight_when_sent);
        if is_safe && self.long_term.is_finite() {
            self.long_term = self.long_term.max(delivery.in_flight_when_sent as f64);
            if self.state == State::Up {
                self.raise_long_term(window, delivery);
            }
        }
        false
    }

    /// `RaiseInflightLongtermSlope`.
    pub(super) fn raise_slope(&mut self, window: &Window) {
        let growth = f64::from(1_u32 << self.probe.up_rounds);
        self.probe.up_rounds = (self.probe.up_rounds + 1).min(MOST_UP_ROUNDS);
        self.probe.acknowledged_per_increment = (window.cwnd / growth).max(window.mss());
    }

    /// `ProbeInflightLongtermUpward`.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn raise_long_term(&mut self, window: &Window, delivery: &Delivery) {
        if !self.window_limits() || window.cwnd < self.long_term {
            return;
        }
        self.probe.up_acknowledged += delivery.bytes as f64;
        let increments = (self.probe.up_acknowledged / self.probe.acknowledged_per_increment).floor();
        if increments >= 1.0 {
            self.probe.up_acknowledged -= increments * self.probe.acknowledged_per_increment;
            self.long_term += increments * window.mss();
        }
        if self.rounds.starts {
            self.raise_slope(window);
        }
    }

    /// `HandleLostPacket` (section 5.5.10.2).
    pub(super) fn learn_from_loss(&mut self, window: &Window, lost: &LostSegment, now: Time) {
        self.note_loss(lost.total);
        self.losses.note_range(lost);
        let is_too_much = congestion::is_too_much(lost.lost_since_sent, lost.in_flight_when_sent);
        if self.probe.is_sampled && is_too_much {
            let in_flight = congestion::in_flight_at_loss(lost);
            self.take_in_flight_for_too_high(window, in_flight, lost.is_application_limited, now);
        }
    }

    /// `NoteLoss`.
    pub(super) fn note_loss(&mut self, total: u64) {
        self.losses.note_loss(total);
    }

    /// `HandleInflightTooHigh`.
    pub(super) fn take_in_flight_for_too_high(&mut self, window: &Window, in_flight: f64, is_limited: bool, now: Time) {
        (self.probe.was_too_high, self.probe.is_sampled) = (true, false);
        if !is_limited {
            self.long_term = in_flight.max(congestion::cut(self.target(window)));
        }
        if self.state == State::Up {
            self.begin_down(now, self.total);
        }
    }

    /// `CheckProbeRTT` (section 5.3.4.3), when the recent minimum round trip has expired.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    pub(super) fn check_probe_of_round_trip(&mut self, window: &mut Window, delivery: &Delivery, is_due: bool) {
        let is_probing = matches!(self.state, State::ProbeRoundTrip { .. });
        if !is_probing && is_due && !self.restarts_from_idle {
            self.save_window(window);
            self.state = State::ProbeRoundTrip { until: None, round_is_over: false };
            self.probe.feedback = Feedback::Stopping;
            self.rounds.begin(delivery.total);
        }
        let enough = self.probe_window(window);
        if let State::ProbeRoundTrip { until, round_is_over } = &mut self.state {
            if let Some(until) = *until {
                *round_is_over |= self.rounds.starts;
                if *round_is_over && delivery.now > until {
                    self.end_probe_of_round_trip(window, delivery);
                }
            } else if delivery.standing.in_flight as f64 <= enough {
                (*until, *round_is_over) = (Some(delivery.now + PROBE_DURATION), false);
                self.rounds.begin(delivery.total);
            }
        }
        self.restarts_from_idle = false;
    }

    fn end_probe_of_round_trip(&mut self, window: &mut Window, delivery: &Delivery) {
        self.path.end_round_trip_probe(delivery.now);
        window.set(window.cwnd.max(self.window_before));
        self.short_term = ShortTerm::UNLIMITED;
        if self.full.was_ever {
            self.begin_down(delivery.now, delivery.total);
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }

    /// `ProbeRTTCwnd`.
    fn probe_window(&self, window: &Window) -> f64 {
        self.product(self.bandwidth(), PROBE_WINDOW_GAIN, window).max(LEAST_WINDOW * window.mss())
    }

    /// `SetCwnd` (sections 5.6.4.5 to 5.6.4.7).
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    pub(super) fn set_window(&mut self, window: &mut Window, delivery: &Delivery) {
        let floor = self.known.floor();
        let product = self.product(self.bandwidth().max(floor), self.window_gain(), window);
        let most = self.with_budget(product + self.path.extra(), window);
        let initial = self.rate.initial_window(window);
        if self.full.was_ever {
            window.set((window.cwnd + delivery.bytes as f64).min(most));
        } else if window.cwnd < most || (delivery.total as f64) < initial {
            window.grow(delivery.bytes as f64);
        }
        if floor > 0.0 {
            window.set(window.cwnd.max(most));
        }
        let least = LEAST_WINDOW * window.mss();
        window.set(window.cwnd.max(least));
        if matches!(self.state, State::ProbeRoundTrip { .. }) {
            window.cwnd = window.cwnd.min(self.probe_window(window));
        }
        let long_term = match self.state {
            State::Down | State::Refill | State::Up => self.long_term,
            State::Cruise | State::ProbeRoundTrip { .. } => self.long_term_with_headroom(window),
            State::Startup | State::Drain { .. } => f64::INFINITY,
        };
        window.cwnd = window.cwnd.min(long_term.min(self.short_term.in_flight).max(least));
    }

    /// Restores the window when all losses are repaired (section 5.6.4.4).
    pub(super) fn check_repair(&mut self, window: &mut Window, delivery: &Delivery) {
        let standing = &delivery.standing;
        let is_over = match &mut self.repair {
            Repair::None => false,
            Repair::Losses => !standing.is_recovering,
            Repair::Timeout { recovery_point } => {
                standing.unacknowledged >= *recovery_point.get_or_insert(standing.highest)
            }
        };
        if is_over {
            self.repair = Repair::None;
            window.set(window.cwnd.max(self.window_before));
        }
    }

    /// `SaveCwnd` (section 5.6.4.4).
    pub(super) fn save_window(&mut self, window: &Window) {
        let is_unchanged = self.repair == Repair::None && !matches!(self.state, State::ProbeRoundTrip { .. });
        self.window_before = if is_unchanged { window.cwnd } else { self.window_before.max(window.cwnd) };
    }
}

#[cfg(test)]
mod tests;
