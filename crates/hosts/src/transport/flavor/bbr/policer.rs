//! Policers, which drop all that exceeds a rate (`bbr_lt_bw_sampling` of Linux): two intervals with many losses and the same rate.

use super::units::Units;

/// Least and most rounds of an interval (`bbr_lt_intvl_min_rtts`).
const LEAST_ROUNDS: u64 = 4;
const MOST_ROUNDS: u64 = 4 * LEAST_ROUNDS;
/// Share of segments, in 256ths, that is lost at least in an interval (`bbr_lt_loss_thresh`).
const LEAST_LOST: u64 = 50;
/// Rates are the same if they differ by an eighth (`bbr_lt_bw_ratio`) or by 4 kbit/s (`bbr_lt_bw_diff`).
const RATIO: u64 = 8;
const DIFFERENCE: f64 = 500.0;
/// Rounds for which the rate is used (`bbr_lt_bw_max_rtts`).
const ROUNDS_IN_USE: u64 = 48;

/// Counters of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters {
    /// Time of the latest delivery in milliseconds.
    pub milliseconds: u64,
    /// Segments delivered, and segments that were lost.
    pub delivered: u64,
    pub lost: u64,
}

/// An acknowledgment, or a timeout.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub counters: Counters,
    pub starts_round: bool,
    pub shows_losses: bool,
    pub is_application_limited: bool,
    /// Whether BBR is in `ProbeBW`.
    pub probes_bandwidth: bool,
}

/// Result of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Nothing.
    None,
    /// The rate of a policer is used from now on.
    Begins,
    /// The rate is not used any longer.
    Ends,
}

/// The rate of a policer, in segments per 2^24 microseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Policer {
    rate: u64,
    is_in_use: bool,
    is_sampling: bool,
    /// Rounds of the interval, or since the rate is used.
    rounds: u64,
    /// Counters when the interval began.
    since: Counters,
}

impl Policer {
    /// The rate, while it is used.
    pub fn rate(&self) -> Option<u64> {
        self.is_in_use.then_some(self.rate)
    }

    /// Forgets everything.
    pub fn reset(&mut self, counters: Counters) {
        *self = Self::default();
        self.begin(counters);
    }

    fn begin(&mut self, counters: Counters) {
        (self.since, self.rounds) = (counters, 0);
    }

    /// True if an event changes nothing: the first losses, which show that the policer's tokens are used up, begin an interval.
    pub fn is_idle(&self, shows_losses: bool) -> bool {
        !(self.is_in_use || self.is_sampling || shows_losses)
    }

    /// Records an event.
    pub fn note(&mut self, event: &Event, units: Units, margin: u32) -> Outcome {
        if self.is_idle(event.shows_losses) {
            return Outcome::None;
        }
        if self.is_in_use {
            return self.go_on(event);
        }
        if !self.is_sampling {
            self.begin(event.counters);
            self.is_sampling = true;
        }
        if event.is_application_limited {
            self.reset(event.counters);
            return Outcome::None;
        }
        self.rounds += u64::from(event.starts_round);
        if self.rounds > MOST_ROUNDS {
            self.reset(event.counters);
        } else if self.rounds >= LEAST_ROUNDS && event.shows_losses {
            return self.end(event.counters, units, margin);
        }
        Outcome::None
    }

    fn go_on(&mut self, event: &Event) -> Outcome {
        self.rounds += u64::from(event.probes_bandwidth && event.starts_round);
        if event.probes_bandwidth && event.starts_round && self.rounds >= ROUNDS_IN_USE {
            self.reset(event.counters);
            return Outcome::Ends;
        }
        Outcome::None
    }

    /// Ends an interval, if enough was lost in it.
    fn end(&mut self, now: Counters, units: Units, margin: u32) -> Outcome {
        let (lost, delivered) = (now.lost - self.since.lost, now.delivered - self.since.delivered);
        let elapsed = now.milliseconds - self.since.milliseconds;
        if delivered == 0 || (lost << 8) < LEAST_LOST * delivered || elapsed == 0 {
            return Outcome::None;
        }
        let rate = (delivered << 24) / (1000 * elapsed);
        if self.rate > 0 {
            let difference = rate.abs_diff(self.rate);
            let is_small = units.rate(units.unscaled(difference), 1.0, margin) <= DIFFERENCE;
            if RATIO * difference <= self.rate || is_small {
                (self.rate, self.is_in_use, self.rounds) = (rate.midpoint(self.rate), true, 0);
                return Outcome::Begins;
            }
        }
        self.rate = rate;
        self.begin(now);
        Outcome::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::law::Arithmetic;

    /// A connection behind a policer: per round of 100 ms so many segments are delivered and lost.
    struct Policed {
        policer: Policer,
        counters: Counters,
    }

    impl Policed {
        fn new() -> Self {
            Self { policer: Policer::default(), counters: Counters::default() }
        }

        fn round(&mut self, delivered: u64, lost: u64) -> Outcome {
            self.counters.milliseconds += 100;
            self.counters.delivered += delivered;
            self.counters.lost += lost;
            let event = Event {
                counters: self.counters,
                starts_round: true,
                shows_losses: lost > 0,
                is_application_limited: false,
                probes_bandwidth: true,
            };
            let mut units = Units::new(Arithmetic::Kernel);
            units.mss = 1000.0;
            self.policer.note(&event, units, 1)
        }
    }

    /// The first loss begins an interval, and its round counts. Three rounds later four are over: 30 segments in 300 ms, a second one of
    /// 42 in 400 ms. The rate is half of 2^24 * 30 / 300,000 + 2^24 * 42 / 400,000 units: 1677.72 and 1761.60.
    #[test]
    fn two_intervals_with_a_fifth_lost_and_the_same_rate_are_a_policer() {
        let mut policed = Policed::new();
        assert_eq!([(); 4].map(|()| policed.round(10, 2)), [Outcome::None; 4]);
        assert_eq!(policed.policer.rate(), None);
        assert_eq!([10, 10, 11].map(|segments| policed.round(segments, 3)), [Outcome::None; 3]);
        assert_eq!(policed.round(11, 3), Outcome::Begins);
        assert_eq!(policed.policer.rate(), Some(u64::midpoint(1677, 1761)));
    }

    #[test]
    fn its_rate_is_used_for_48_rounds() {
        let mut policed = Policed::new();
        (0..8).for_each(|_| _ = policed.round(10, 2));
        assert!(policed.policer.rate().is_some());
        assert!((0..47).all(|_| policed.round(10, 0) == Outcome::None));
        assert_eq!(policed.round(10, 0), Outcome::Ends);
        assert_eq!(policed.policer.rate(), None);
    }

    /// 50 of 256: of 10 delivered, 1.95.
    #[test]
    fn a_rate_with_fewer_losses_or_another_rate_is_none() {
        let mut policed = Policed::new();
        assert!((0..40).all(|_| policed.round(10, 1) == Outcome::None), "a tenth is lost");
        let mut policed = Policed::new();
        let outcomes = (0..40).map(|round| policed.round(if round / 4 % 2 == 0 { 10 } else { 20 }, 5));
        assert!(outcomes.into_iter().all(|outcome| outcome == Outcome::None), "the rate changes");
    }
}
