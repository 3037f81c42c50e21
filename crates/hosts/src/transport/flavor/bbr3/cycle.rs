//! The phases of the bandwidth probe (`ProbeBW`; section 5.3.3).

use longfat_foundation::random::Stream;
use longfat_foundation::units::{Span, Time};

use super::congestion::ShortTerm;
use super::{Law, State};
use crate::transport::{Delivery, Window};

/// Most rounds between probes of the bandwidth: as many as Reno, which adds a segment in each, takes between losses (section 5.3.3.8).
const MOST_ROUNDS: f64 = 63.0;
/// Least seconds between probes; up to one more second is drawn.
const PROBE_WAIT_SECONDS: f64 = 2.0;
/// The long-term bound grows by at most 2^30 segments in a round.
pub(super) const MOST_UP_ROUNDS: u32 = 30;

/// The feedback that acknowledgments give about a probe of the bandwidth (`BBR.ack_phase`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Feedback {
    None,
    Refilling,
    Starting,
    Probing,
    Stopping,
}

/// Probes of the bandwidth (section 2.14).
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

impl Law {
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

    /// Draws 0 or 1 round, and up to one second (`PickProbeWait`).
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

#[cfg(test)]
mod tests {
    use super::super::test_support::{at, delivery, in_state, window};
    use super::*;

    /// The first second of the path is over when the delivery comes; a probe is due after another two.
    fn since_a_second(state: State) -> Law {
        let mut law = in_state(state);
        (law.probe.since, law.probe.wait) = (at(1000), wait(0.0));
        law
    }

    #[test]
    fn bandwidth_is_probed_when_the_wait_is_over_or_reno_would_have_lost_something() {
        let is_time = |rounds, cwnd: f64, milliseconds| {
            let mut law = since_a_second(State::Cruise);
            law.probe.rounds = rounds;
            law.is_time_to_probe(&window(cwnd), at(milliseconds))
        };
        assert!(!is_time(0, 100_000.0, 3000) && is_time(0, 100_000.0, 3001));
        assert!(!is_time(19, 20_000.0, 1000) && is_time(20, 20_000.0, 1000), "20 segments in 20 rounds");
        assert!(!is_time(62, 100_000.0, 1000) && is_time(63, 100_000.0, 1000), "no more than 63 rounds");
    }

    #[test]
    fn the_line_is_given_back_until_neither_the_product_nor_the_bound_is_exceeded() {
        let is_time = |in_flight, long_term| {
            let mut law = since_a_second(State::Down);
            law.long_term = long_term;
            let mut now = delivery();
            now.standing.in_flight = in_flight;
            law.is_time_to_cruise(&window(200_000.0), &now)
        };
        assert!(is_time(100_000, f64::INFINITY) && !is_time(100_001, f64::INFINITY));
        assert!(is_time(68_000, 80_000.0) && !is_time(68_001, 80_000.0), "85 % of the bound");
    }

    #[test]
    fn a_refill_lasts_a_round_and_nothing_is_probed_before_the_pipe_is_full() {
        let after = |state, starts, is_full| {
            let mut law = since_a_second(state);
            (law.rounds.starts, law.full.was_ever, law.probe.rounds) = (starts, is_full, 63);
            law.check_cycle(&window(100_000.0), &delivery());
            law.state
        };
        assert_eq!(after(State::Refill, false, true), State::Refill);
        assert_eq!(after(State::Refill, true, true), State::Up);
        assert_eq!(after(State::Cruise, false, true), State::Refill);
        assert_eq!(after(State::Cruise, false, false), State::Cruise);
    }

    /// Another probe has just been decided on; that it is also time to cruise does not undo it.
    #[test]
    fn what_feedback_decides_is_not_decided_again() {
        let mut law = since_a_second(State::Down);
        (law.probe.feedback, law.probe.was_precautionary, law.rounds.starts) = (Feedback::Stopping, true, true);
        law.check_cycle(&window(100_000.0), &delivery());
        assert_eq!((law.state, law.probe.feedback), (State::Refill, Feedback::Refilling));
    }

    #[test]
    fn a_probe_of_the_bandwidth_begins_to_look_for_growth_and_to_raise_the_bound() {
        let mut law = since_a_second(State::Refill);
        law.rounds.starts = true;
        law.check_cycle(&window(64_000.0), &delivery());
        assert_eq!((law.probe.is_sampled, law.probe.feedback, law.probe.up_rounds), (true, Feedback::Starting, 1));
        assert_eq!(law.probe.acknowledged_per_increment, 64_000.0);
        for _ in 0..3 {
            assert!(!law.full.is_now);
            law.full.note(1e6);
        }
        assert!(law.full.is_now, "1 MB/s is where it began");
    }

    /// 101,000 bytes were in flight before the delivery.
    #[test]
    fn a_probe_ends_where_the_last_one_was_too_high_or_when_the_pipe_is_full() {
        let after = |was_too_high, is_full, long_term| {
            let mut law = Law { long_term, ..since_a_second(State::Up) };
            (law.probe.was_too_high, law.full.is_now) = (was_too_high, is_full);
            law.check_up(&window(90_000.0), &delivery());
            (law.state == State::Down, law.probe.was_precautionary)
        };
        assert_eq!(after(true, false, 101_000.0), (true, true));
        assert_eq!(after(true, false, 101_001.0), (false, false));
        assert_eq!(after(false, false, 101_000.0), (false, false));
        assert_eq!(after(false, true, 101_000.0), (true, false));
    }

    #[test]
    fn growth_is_looked_for_anew_while_the_bound_keeps_data_back() {
        let is_full = |limits, cwnd: f64| {
            let mut law = Law { long_term: 90_000.0, window_limits: (limits, false), ..since_a_second(State::Up) };
            law.full.is_now = true;
            law.check_up(&window(cwnd), &delivery());
            law.state == State::Down
        };
        assert!(!is_full(true, 90_000.0));
        assert!(is_full(true, 89_999.0) && is_full(false, 90_000.0));
    }
}
