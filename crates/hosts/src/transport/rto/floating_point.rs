//! Jacobson's retransmission timeout in floating point.

use longfat_foundation::config::{AtLeastOne, PositiveSpan};

use super::{Backoff, TimeoutEstimator};

longfat_foundation::model! {
    /// Jacobson's estimator in floating point: srtt += error / 8, rttvar += (|error| - rttvar) / 4, timeout = srtt + 4
    /// rttvar, rounded up to whole ticks.
    #[name = "floating-point"]
    #[source = "Jacobson 1988, section 2"]
    pub struct FloatingPoint: dyn TimeoutEstimator {
        /// Smallest timeout in ticks (T-12).
        minimum_ticks: AtLeastOne = "2" or ["1", "3"],
        /// Largest timeout (T-12).
        maximum: PositiveSpan = "64 s",
        /// Timeout before any round trip is measured (T-12).
        initial: PositiveSpan = "3 s",
    }
    build(config, clock) {
        Box::new(Estimator {
            estimate: None,
            initial_ticks: clock.ticks_in(config.initial.0),
            backoff: Backoff::new(config.minimum_ticks, config.maximum, clock),
        })
    }
}

struct Estimator {
    /// srtt and rttvar in ticks.
    estimate: Option<(f64, f64)>,
    initial_ticks: u64,
    backoff: Backoff,
}

impl TimeoutEstimator for Estimator {
    #[expect(clippy::cast_precision_loss, reason = "round trips are far below 2^53 ticks")]
    fn on_round_trip(&mut self, ticks: u64) {
        self.backoff.doublings = 0;
        let measured = ticks as f64 + 1.0;
        self.estimate = Some(match self.estimate {
            None => (measured, measured / 2.0),
            Some((srtt, rttvar)) => {
                let error = measured - srtt;
                (srtt + error / 8.0, rttvar + (error.abs() - rttvar) / 4.0)
            }
        });
    }

    fn on_timeout(&mut self) {
        self.backoff.double();
    }

    fn end_backoff(&mut self) {
        self.backoff.doublings = 0;
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive and far below 2^53 ticks")]
    fn timeout_ticks(&self) -> u64 {
        self.backoff.apply(match self.estimate {
            None => self.initial_ticks,
            Some((srtt, rttvar)) => (srtt + 4.0 * rttvar).ceil() as u64,
        })
    }
}
