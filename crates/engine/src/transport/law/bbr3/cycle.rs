//! The phases in which bandwidth is probed, given back, and probed again (section 5.3.3).

use super::congestion::ShortTerm;
use super::{Bbr3, State};
use crate::random::Stream;
use crate::transport::{Delivery, Window};
use crate::units::{Span, Time};

/// Bandwidth is probed after as many rounds as Reno would take to lose something: a segment each, but no more (section 5.3.3.8).
const MOST_ROUNDS: f64 = 63.0;
/// Or after so many seconds, and up to one more.
const PROBE_WAIT_SECONDS: f64 = 2.0;
/// The long-term bound grows no faster than by 2^30 segments in a round.
pub(super) const MOST_UP_ROUNDS: u32 = 30;

/// What acknowledgments tell of a probe of the bandwidth (`BBR.ack_phase`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Feedback {
    None,
    Refilling,
    Starting,
    Probing,
    Stopping,
}

/// The probes of the bandwidth (section 2.14).
#[derive(Clone, Copy, Debug)]
pub(super) struct BandwidthProbe {
    pub feedback: Feedback,
    /// `BBR.is_bw_probe_sample`, `BBR.prev_probe_too_high`, `BBR.prev_probe_precautionary`.
    pub is_sampled: bool,
    pub was_too_high: bool,
    pub was_precautionary: bool,
    /// `BBR.cycle_stamp`, `BBR.bw_probe_wait`, `BBR.rounds_since_probe_up`.
    pub since: Time,
    pub wait: Span,
    pub rounds: u64,
    /// `BBR.bw_probe_up_rounds`, `BBR.bw_probe_up_acked`, `BBR.probe_up_acked_per_inc`.
    pub up_rounds: u32,
    pub up_acknowledged: f64,
    pub acknowledged_per_increment: f64,
}

impl Default for BandwidthProbe {
    fn default() -> Self {
        Self {
            feedback: Feedback::None,
            is_sampled: false,
            was_too_high: false,
            was_precautionary: false,
            since: Time::ZERO,
            wait: Span::ZERO,
            rounds: 0,
            up_rounds: 0,
            up_acknowledged: 0.0,
            acknowledged_per_increment: f64::INFINITY,
        }
    }
}

/// `BBR.bw_probe_wait`, with a share of the last second drawn.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few million microseconds")]
fn wait(share: f64) -> Span {
    Span::from_microseconds(((PROBE_WAIT_SECONDS + share) * 1e6) as u64)
}

impl Bbr3 {
    /// `UpdateProbeBWCyclePhase` (section 5.3.3.9).
    pub(super) fn check_cycle(&mut self, window: &Window, delivery: &Delivery) {
        if !self.full.was_ever || self.adapt_long_term(window, delivery) {
            return;
        }
        match self.state {
            State::Down | State::Cruise if self.is_time_to_probe(window, delivery.now) => self.begin_refill(delivery),
            State::Down if self.is_time_to_cruise(window, delivery) => self.state = State::Cruise,
            State::Refill if self.rounds.starts => self.begin_up(window, delivery),
            State::Up => self.check_up(window, delivery),
            _ => {}
        }
    }

    pub(super) fn begin_down(&mut self, now: Time, total: u64) {
        self.losses.reset();
        self.probe.acknowledged_per_increment = f64::INFINITY;
        let (one, share) = self.draw();
        self.probe.rounds = one;
        self.probe.wait = wait(share);
        self.probe.since = now;
        self.probe.feedback = Feedback::Stopping;
        self.rounds.begin(total);
        self.state = State::Down;
    }

    /// Zero or one, and a number up to one (`PickProbeWait`).
    #[expect(clippy::cast_precision_loss, reason = "53 bits")]
    fn draw(&mut self) -> (u64, f64) {
        let mut word = || self.chance.as_mut().map_or(0, Stream::draw);
        (word() >> 63, (word() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    pub(super) fn begin_refill(&mut self, delivery: &Delivery) {
        self.short_term = ShortTerm::UNLIMITED;
        (self.probe.up_rounds, self.probe.up_acknowledged) = (0, 0.0);
        self.probe.was_precautionary = false;
        self.probe.feedback = Feedback::Refilling;
        self.rounds.begin(delivery.total);
        self.state = State::Refill;
    }

    fn begin_up(&mut self, window: &Window, delivery: &Delivery) {
        self.probe.is_sampled = true;
        self.probe.feedback = Feedback::Starting;
        self.rounds.begin(delivery.total);
        self.full.look_anew(delivery.rate.unwrap_or(0.0));
        self.state = State::Up;
        self.raise_slope(window);
    }

    fn is_time_to_probe(&self, window: &Window, now: Time) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "rounds are few")]
        let as_reno = self.probe.rounds as f64 >= (self.target(window) / window.mss()).min(MOST_ROUNDS);
        now > self.probe.since + self.probe.wait || as_reno
    }

    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn is_time_to_cruise(&self, window: &Window, delivery: &Delivery) -> bool {
        let in_flight = delivery.standing.in_flight as f64;
        in_flight <= self.long_term_with_headroom(window)
            && in_flight <= self.in_flight_for(self.path.bandwidth(), 1.0, window)
    }

    /// `IsTimeToGoDown`: the pipe is full; or, if the last probe was too high, as much is in flight as is known to be safe.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn check_up(&mut self, window: &Window, delivery: &Delivery) {
        let is_cautious = self.probe.was_too_high && delivery.standing.in_flight_before as f64 >= self.long_term;
        if is_cautious {
            self.probe.was_precautionary = true;
        } else if self.window_limits() && window.cwnd >= self.long_term {
            self.full.look_anew(delivery.rate.unwrap_or(0.0));
        }
        if is_cautious || self.full.is_now {
            self.probe.was_too_high = false;
            self.begin_down(delivery.now, delivery.total);
        }
    }
}
