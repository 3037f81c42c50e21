//! The retransmission timeout of RFC 6298.

use longfat_foundation::config::PositiveSpan;

use super::{Backoff, TIMEOUT_AFTER_LATE_OPENING, TimeoutEstimator};

longfat_foundation::choice! {
    /// Weight of a sample when many round trips are measured at the same time, as with timestamps.
    pub enum Weights {
        /// Divided by the number of samples: those of one round trip together have the weight of a single one (RFC 7323 section 4.2 and
        /// appendix G).
        PerRoundTrip = "per-round-trip",
        /// The full weight for each: the estimate forgets within a round trip.
        PerSample = "per-sample",
    }
}

longfat_foundation::model! {
    /// The standard's estimator: srtt and rttvar in floating point, timeout = srtt + max(G, 4 rttvar) with a clock tick G, and at least
    /// `minimum`. Round trips are measured in whole ticks.
    #[name = "rfc-6298"]
    #[source = "RFC 6298 section 2"]
    pub struct Rfc6298: dyn TimeoutEstimator {
        /// Smallest timeout, before backoff. The standard says one second "whenever"; many stacks have 200 ms.
        minimum: PositiveSpan = "1 s" or ["200 ms"],
        /// Largest timeout.
        maximum: PositiveSpan = "60 s",
        /// Timeout before any round trip is measured (3 s until 2011: RFC 2988).
        initial: PositiveSpan = "1 s" or ["3 s"],
        /// Number of consecutive expiries after which the next round trip counts as the first measurement (the end of section 5 allows it);
        /// 0 for never.
        timeouts_until_fresh_start: u64 = "0" or ["4"],
        /// The weight of each sample when many round trips are measured at the same time.
        weights: Weights = "per-round-trip" or ["per-sample"],
    }
    build(config, clock) {
        Box::new(Estimator {
            estimate: None,
            initial_ticks: clock.ticks_in(config.initial.0),
            late_ticks: clock.ticks_in(TIMEOUT_AFTER_LATE_OPENING),
            minimum_ticks: clock.ticks_in(config.minimum.0),
            backoff: Backoff::unlimited(config.maximum, clock),
            timeouts_until_fresh_start: config.timeouts_until_fresh_start,
            timeouts: 0,
            is_stale: false,
            weights: config.weights,
        })
    }
    objections(config, _clock) { super::object_to_limits(config.minimum, config.maximum) }
}

struct Estimator {
    /// srtt and rttvar in ticks.
    estimate: Option<(f64, f64)>,
    initial_ticks: u64,
    /// Minimum of the first timeout if the SYN was retransmitted.
    late_ticks: u64,
    minimum_ticks: u64,
    backoff: Backoff,
    timeouts_until_fresh_start: u64,
    /// Consecutive expiries.
    timeouts: u64,
    /// True if the next round trip counts as the first measurement.
    is_stale: bool,
    weights: Weights,
}

impl TimeoutEstimator for Estimator {
    fn on_round_trip(&mut self, ticks: u64) {
        self.on_one_of_many(ticks, 1, true);
    }

    #[expect(clippy::cast_precision_loss, reason = "round trips are far below 2^53 ticks")]
    fn on_one_of_many(&mut self, ticks: u64, in_round_trip: u64, _is_first: bool) {
        self.end_backoff();
        let all = if self.weights == Weights::PerRoundTrip { in_round_trip as f64 } else { 1.0 };
        let (alpha, beta) = (0.125 / all, 0.25 / all);
        let measured = ticks as f64;
        let known = self.estimate.filter(|_| !std::mem::take(&mut self.is_stale));
        self.estimate = Some(match known {
            None => (measured, measured / 2.0),
            // Section 2.3: rttvar first, with srtt as it was.
            Some((srtt, rttvar)) => {
                ((1.0 - alpha) * srtt + alpha * measured, (1.0 - beta) * rttvar + beta * (srtt - measured).abs())
            }
        });
    }

    fn on_timeout(&mut self) {
        self.backoff.double();
        self.timeouts += 1;
        self.is_stale |= self.timeouts == self.timeouts_until_fresh_start;
    }

    fn end_backoff(&mut self) {
        self.backoff.doublings = 0;
        self.timeouts = 0;
    }

    fn on_opened_late(&mut self) {
        self.end_backoff();
        self.initial_ticks = self.initial_ticks.max(self.late_ticks);
    }

    /// Section 5.1: the timer expires after the timeout.
    fn counts_begun_tick(&self) -> bool {
        false
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive and far below 2^53 ticks")]
    fn timeout_ticks(&self) -> u64 {
        let ticks = match self.estimate {
            None => self.initial_ticks,
            Some((srtt, rttvar)) => (srtt + (4.0 * rttvar).max(1.0)).round() as u64,
        };
        self.backoff.apply(ticks.max(self.minimum_ticks))
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::estimator_of;
    use super::*;

    fn estimator(parameters: &str) -> Box<dyn TimeoutEstimator> {
        estimator_of::<Rfc6298>(parameters)
    }

    #[test]
    fn the_timeout_follows_section_2_by_hand() {
        let mut estimator = estimator("{ minimum = \"1 ms\" }");
        assert_eq!(estimator.timeout_ticks(), 1000, "(2.1)");
        // (2.2): srtt 200, rttvar 100. (2.3): rttvar 75 + 10 = 85, srtt 175 + 30 = 205; then 63.75 + 8.75, 179.375 + 21.25.
        for (round_trip, timeout) in [(200, 600), (240, 545), (170, 491)] {
            estimator.on_round_trip(round_trip);
            assert_eq!(estimator.timeout_ticks(), timeout, "after {round_trip} ms");
        }
    }

    #[test]
    fn of_many_in_a_round_trip_each_counts_for_its_share() {
        let mut many = estimator("{ minimum = \"1 ms\" }");
        many.on_round_trip(200);
        // Appendix G of RFC 7323 with four: srtt 200 + 40 / 32, rttvar 100 + (40 - 100) / 16.
        many.on_one_of_many(240, 4, false);
        assert_eq!(many.timeout_ticks(), 586, "201.25 + 4 * 96.25");
        let mut each = estimator("{ minimum = \"1 ms\", weights = \"per-sample\" }");
        each.on_round_trip(200);
        each.on_one_of_many(240, 4, false);
        assert_eq!(each.timeout_ticks(), 545);
    }

    #[test]
    fn the_timeout_is_at_least_a_second_before_it_is_doubled_and_a_minute_after() {
        let mut estimator = estimator("{}");
        estimator.on_round_trip(100);
        assert_eq!(estimator.timeout_ticks(), 1000, "(2.4)");
        for doubled in [2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000] {
            estimator.on_timeout();
            assert_eq!(estimator.timeout_ticks(), doubled, "(2.5) and (5.5)");
        }
    }
}
