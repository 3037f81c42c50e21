//! BSD's retransmission timeout in scaled integers.

use longfat_foundation::config::{AtLeastOne, PositiveSpan};

use super::{Backoff, TimeoutEstimator};

longfat_foundation::model! {
    /// Jacobson's estimator in the scaled integers of 4.3BSD and 4.4BSD: srtt in eighths and rttvar in quarters of a tick; a round trip
    /// within one tick counts as one. Because of the rounding the timeout never falls below three ticks, on which the low efficiencies of
    /// UBR+ depend.
    #[name = "bsd-integer"]
    #[source = "Jacobson 1988, appendix A; 4.4BSD tcp_input.c tcp_xmit_timer; UBR+ section 2"]
    pub struct BsdInteger: dyn TimeoutEstimator {
        /// Smallest timeout in ticks (T-12).
        minimum_ticks: AtLeastOne = "2" or ["1", "3"],
        /// Largest timeout (T-12).
        maximum: PositiveSpan = "64 s",
        /// Timeout before any round trip is measured (T-12).
        initial: PositiveSpan = "3 s",
    }
    build(config, clock) {
        Box::new(Estimator {
            srtt_eighths: 0,
            rttvar_quarters: 0,
            initial_ticks: clock.ticks_in(config.initial.0),
            backoff: Backoff::new(config.minimum_ticks, config.maximum, clock),
        })
    }
}

struct Estimator {
    /// 0 until the first measurement.
    srtt_eighths: i64,
    rttvar_quarters: i64,
    initial_ticks: u64,
    backoff: Backoff,
}

impl TimeoutEstimator for Estimator {
    fn on_round_trip(&mut self, ticks: u64) {
        self.backoff.doublings = 0;
        let ticks = i64::try_from(ticks).unwrap_or(i64::MAX / 16) + 1;
        if self.srtt_eighths == 0 {
            self.srtt_eighths = ticks << 3;
            self.rttvar_quarters = ticks << 1;
            return;
        }
        let error = ticks - 1 - (self.srtt_eighths >> 3);
        self.srtt_eighths = (self.srtt_eighths + error).max(1);
        self.rttvar_quarters = (self.rttvar_quarters + error.abs() - (self.rttvar_quarters >> 2)).max(1);
    }

    fn on_timeout(&mut self) {
        self.backoff.double();
    }

    fn end_backoff(&mut self) {
        self.backoff.doublings = 0;
    }

    fn timeout_ticks(&self) -> u64 {
        if self.srtt_eighths == 0 {
            return self.backoff.apply(self.initial_ticks);
        }
        // srtt + 4 rttvar: a quarter of a tick of rttvar counts as a whole tick.
        self.backoff.apply(((self.srtt_eighths >> 3) + self.rttvar_quarters).unsigned_abs())
    }
}

#[cfg(test)]
mod tests {
    use longfat_foundation::config::{Parameter, Reader, parse_fragment};
    use longfat_foundation::random::Chance;
    use longfat_foundation::registry::Model;
    use longfat_foundation::units::Span;

    use super::*;
    use crate::transport::{TickClock, TimerPhase};

    fn estimator() -> Box<dyn TimeoutEstimator> {
        let config = BsdInteger::read(&parse_fragment("{}"), &mut Reader::default()).unwrap();
        let mut chance = Chance { seed: 1, replication: 0 }.stream("clock");
        config.build(&TickClock::new(Span::from_microseconds(100_000), TimerPhase::Common, &mut chance))
    }

    #[test]
    fn round_trips_within_a_tick_settle_at_a_timeout_of_three_ticks() {
        let mut estimator = estimator();
        assert_eq!(estimator.timeout_ticks(), 30, "3 s before any measurement");
        for _ in 0..100 {
            estimator.on_round_trip(0);
            assert_eq!(estimator.timeout_ticks(), 3);
        }
    }

    #[test]
    fn the_timeout_follows_tcp_xmit_timer_by_hand() {
        // srtt, rttvar after each measurement, worked by hand from the 4.4BSD source.
        let mut estimator = estimator();
        let by_hand = [(1, 2 + 4), (1, 1 + 4), (3, 2 + 5), (0, 1 + 6)];
        for (ticks, timeout) in by_hand {
            estimator.on_round_trip(ticks);
            assert_eq!(estimator.timeout_ticks(), timeout, "after a round trip over {ticks} ticks");
        }
    }

    #[test]
    fn the_timeout_doubles_until_a_round_trip_is_measured() {
        let mut estimator = estimator();
        estimator.on_round_trip(0);
        let timeouts = [6, 12, 24, 48, 96, 192, 192];
        for ticks in timeouts {
            estimator.on_timeout();
            assert_eq!(estimator.timeout_ticks(), ticks);
        }
        estimator.on_round_trip(0);
        assert_eq!(estimator.timeout_ticks(), 3);
    }
}
