//! The retransmission timeout of Linux.

use longfat_foundation::config::PositiveSpan;

use super::{Backoff, TIMEOUT_AFTER_LATE_OPENING, TimeoutEstimator};

longfat_foundation::model! {
    /// Linux's estimator: timeout = srtt + rttvar, where `rttvar` is 4 times the largest mean deviation within a round trip, and at least
    /// `minimum`. So the timeout is never less than the round trip plus the minimum, and deviations are not forgotten within a round trip,
    /// however many samples it has. If a round trip shorter than the mean would raise the deviation, only an eighth of it counts.
    #[name = "linux"]
    #[source = "Linux, net/ipv4/tcp_input.c: tcp_rtt_estimator; include/net/tcp.h: __tcp_set_rto; RFC 6298"]
    pub struct Linux: dyn TimeoutEstimator {
        /// The least that is added to srtt (`tcp_rto_min`).
        minimum: PositiveSpan = "200 ms",
        /// Largest timeout.
        maximum: PositiveSpan = "120 s",
        /// Timeout before any round trip is measured.
        initial: PositiveSpan = "1 s",
    }
    build(config, clock) {
        Box::new(Estimator {
            estimate: None,
            initial_ticks: clock.ticks_in(config.initial.0),
            late_ticks: clock.ticks_in(TIMEOUT_AFTER_LATE_OPENING),
            minimum_ticks: clock.ticks_in(config.minimum.0),
            backoff: Backoff::unlimited(config.maximum, clock),
        })
    }
    objections(config, _clock) { super::object_to_limits(config.minimum, config.maximum) }
}

struct Estimator {
    estimate: Option<Estimate>,
    initial_ticks: u64,
    late_ticks: u64,
    minimum_ticks: u64,
    backoff: Backoff,
}

/// Estimates in ticks; deviations are scaled by 4.
struct Estimate {
    srtt: f64,
    mdev: f64,
    /// Largest `mdev` of this round trip (`mdev_max`).
    largest: f64,
    rttvar: f64,
}

impl Estimate {
    fn first(measured: f64, minimum: f64) -> Self {
        let rttvar = (2.0 * measured).max(minimum);
        Self { srtt: measured, mdev: 2.0 * measured, largest: rttvar, rttvar }
    }

    fn note(&mut self, measured: f64, minimum: f64, is_first: bool) {
        let error = measured - self.srtt;
        self.srtt += error / 8.0;
        let growth = error.abs() - self.mdev / 4.0;
        self.mdev += if error < 0.0 && growth > 0.0 { growth / 8.0 } else { growth };
        if self.mdev > self.largest {
            self.largest = self.mdev;
            self.rttvar = self.rttvar.max(self.largest);
        }
        if is_first {
            self.rttvar -= (self.rttvar - self.largest).max(0.0) / 4.0;
            self.largest = minimum;
        }
    }
}

impl TimeoutEstimator for Estimator {
    fn on_round_trip(&mut self, ticks: u64) {
        self.on_one_of_many(ticks, 1, true);
    }

    #[expect(clippy::cast_precision_loss, reason = "round trips are far below 2^53 ticks")]
    fn on_one_of_many(&mut self, ticks: u64, _in_round_trip: u64, is_first: bool) {
        self.end_backoff();
        let (measured, minimum) = (ticks as f64, self.minimum_ticks as f64);
        match &mut self.estimate {
            Some(estimate) => estimate.note(measured, minimum, is_first),
            None => self.estimate = Some(Estimate::first(measured, minimum)),
        }
    }

    fn on_timeout(&mut self) {
        self.backoff.double();
    }

    fn end_backoff(&mut self) {
        self.backoff.doublings = 0;
    }

    fn on_opened_late(&mut self) {
        self.end_backoff();
        self.initial_ticks = self.initial_ticks.max(self.late_ticks);
    }

    fn counts_begun_tick(&self) -> bool {
        false
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive and far below 2^53 ticks")]
    fn timeout_ticks(&self) -> u64 {
        // Half a tick more, rounded down, is the nearest number of ticks, in fewer instructions.
        let of_estimate = |estimate: &Estimate| (estimate.srtt + estimate.rttvar + 0.5) as u64;
        self.backoff.apply(self.estimate.as_ref().map_or(self.initial_ticks, of_estimate))
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::estimator_of;
    use super::*;

    fn estimator(parameters: &str) -> Box<dyn TimeoutEstimator> {
        estimator_of::<Linux>(parameters)
    }

    #[test]
    fn the_timeout_is_the_round_trip_and_the_minimum_at_least() {
        let mut estimator = estimator("{}");
        assert_eq!(estimator.timeout_ticks(), 1000);
        estimator.on_round_trip(600);
        assert_eq!(estimator.timeout_ticks(), 1800, "three round trips after the first");
        (0..100).for_each(|_| estimator.on_round_trip(600));
        assert_eq!(estimator.timeout_ticks(), 800);
        for doubled in [1600, 3200, 6400, 12_800, 25_600, 51_200, 102_400, 120_000] {
            estimator.on_timeout();
            assert_eq!(estimator.timeout_ticks(), doubled);
        }
    }

    /// By hand: srtt 200 and mdev 400, which decays by a quarter while round trips equal srtt.
    #[test]
    fn the_largest_deviation_of_a_round_trip_lasts_until_its_end_and_decays_by_quarters() {
        let mut estimator = estimator("{ minimum = \"40 ms\" }");
        estimator.on_round_trip(200);
        assert_eq!(estimator.timeout_ticks(), 600);
        // The largest deviation was the first: nothing decays; mdev 300.
        estimator.on_one_of_many(200, 8, true);
        assert_eq!(estimator.timeout_ticks(), 600);
        // mdev 225, 168.75 and 126.5625, the largest of which takes effect at the end of the round trip: 400 - (400 - 225) / 4 = 356.25.
        for (is_first, expected) in [(false, 600), (false, 600), (true, 556)] {
            estimator.on_one_of_many(200, 8, is_first);
            assert_eq!(estimator.timeout_ticks(), expected);
        }
    }

    #[test]
    fn a_shorter_round_trip_counts_for_an_eighth_where_the_deviation_would_grow() {
        let mut estimate = Estimate { srtt: 200.0, mdev: 40.0, largest: 40.0, rttvar: 40.0 };
        estimate.note(120.0, 40.0, false);
        assert_eq!((estimate.srtt, estimate.mdev), (190.0, 40.0 + (80.0 - 10.0) / 8.0));
        let mut estimate = Estimate { srtt: 200.0, mdev: 40.0, largest: 40.0, rttvar: 40.0 };
        estimate.note(280.0, 40.0, false);
        assert_eq!((estimate.srtt, estimate.mdev, estimate.rttvar), (210.0, 110.0, 110.0));
    }
}
