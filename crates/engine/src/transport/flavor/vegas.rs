//! TCP Vegas.

use super::Flavor;
use crate::config::{Fraction, PositiveNumber};
use crate::registry::Chosen;
use crate::transport::law::{self, VegasSettings, WindowLaw};
use crate::transport::recovery::Recovery;

crate::choice! {
    /// The round trip that Vegas compares with the shortest ever.
    pub enum VegasRoundTrip {
        /// The mean of those that a round trip has measured.
        Mean = "mean",
        /// The shortest of them, which delayed acknowledgments and bursts do not make longer.
        Shortest = "shortest",
    }
}

crate::model! {
    /// TCP Vegas: once in a round trip the window grows or shrinks by a segment, so that some segments of it wait in queues, by what the round trip is longer
    /// than the shortest ever. With `timestamps` every acknowledgment measures one; otherwise one segment of each window does.
    #[name = "vegas"]
    #[source = "Brakmo and Peterson 1995, IEEE Journal on Selected Areas in Communications 13(8)"]
    pub struct Vegas: dyn Flavor {
        /// How losses are noticed and repaired. Vegas' own retransmissions by a finer clock are left to it.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// With fewer segments in queues the window grows. The paper has 1 and 3, or 2 and 4 as Linux does.
        alpha: PositiveNumber = "1" or ["2"],
        /// With more it shrinks, whatever alpha is.
        beta: PositiveNumber = "3" or ["4"],
        /// With more slow start ends.
        gamma: PositiveNumber = "1",
        /// The round trip that is compared with the shortest ever. ns-2, after the authors' own program, takes the mean, Linux the shortest.
        round_trip: VegasRoundTrip = "mean" or ["shortest"],
        /// Whether slow start doubles the window in every second round trip, as the paper has it; in every one, as Linux does.
        cautious_slow_start: bool = "true" or ["false"],
        /// What a loss leaves of the window. Half, as Reno and Linux have it; ns-2, after the authors' own program, leaves three quarters.
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
