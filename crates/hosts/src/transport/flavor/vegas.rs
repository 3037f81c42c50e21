//! TCP Vegas.

use longfat_foundation::config::{Fraction, PositiveNumber};
use longfat_foundation::registry::Chosen;

use super::Flavor;
use crate::transport::law::{self, VegasSettings, WindowLaw};
use crate::transport::recovery::Recovery;

longfat_foundation::choice! {
    /// The round trip that Vegas compares with the shortest ever.
    pub enum VegasRoundTrip {
        /// The mean of the samples of a round trip.
        Mean = "mean",
        /// The minimum of these samples, which delayed acknowledgments and bursts do not lengthen.
        Shortest = "shortest",
    }
}

longfat_foundation::model! {
    /// TCP Vegas: once per round trip the window grows or shrinks by one segment, so that a few of its segments wait in queues. It
    /// estimates their number from the difference between the round trip and the minimum so far. With `timestamps` every acknowledgment
    /// measures a round trip; otherwise one segment per window does.
    #[name = "vegas"]
    #[source = "Brakmo and Peterson 1995, IEEE Journal on Selected Areas in Communications 13(8)"]
    pub struct Vegas: dyn Flavor {
        /// How losses are detected and repaired. Vegas' own retransmissions by a finer clock are not modelled: this recovery does it.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// With fewer segments than this in queues, the window grows. The paper uses 1 and 3, or 2 and 4; Linux 2 and 4.
        alpha: PositiveNumber = "1" or ["2"],
        /// With more segments than this in queues, the window shrinks, whatever alpha is.
        beta: PositiveNumber = "3" or ["4"],
        /// With more segments than this in queues, slow start ends.
        gamma: PositiveNumber = "1",
        /// Which round trip is compared with the minimum. ns-2, after the authors' own program, uses the mean; Linux uses the minimum of
        /// the last round trip.
        round_trip: VegasRoundTrip = "mean" or ["shortest"],
        /// Whether slow start doubles the window every second round trip, as in the paper, or every round trip, as in Linux.
        cautious_slow_start: bool = "true" or ["false"],
        /// The share of the window that remains after a loss. Reno and Linux halve it; ns-2, after the authors' own program, keeps three
        /// quarters.
        share_after_loss: Fraction = "0.5" or ["0.75"],
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Vegas {
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(law::Vegas::new(VegasSettings {
            alpha: self.alpha.0,
            beta: self.beta.0,
            gamma: self.gamma.0,
            goes_by_shortest: self.round_trip == VegasRoundTrip::Shortest,
            starts_cautiously: self.cautious_slow_start,
            share_left: self.share_after_loss.0,
        }))
    }

    fn recovery(&self) -> Box<dyn Recovery> {
        self.recovery.build(&())
    }

    fn recovery_name(&self) -> &'static str {
        self.recovery.name()
    }
}
