//! Prague.

use longfat_foundation::config::{AtLeastOne, Fraction, PositiveSpan};
use longfat_foundation::registry::Chosen;

use super::Flavor;
use crate::transport::law::{self, PragueConstants, WindowLaw};
use crate::transport::recovery::Recovery;

longfat_foundation::model! {
    /// A scalable congestion control for low latency (L4S): DCTCP's response to marks, paced, and in the long run no faster at short round
    /// trips than at 25 ms. It needs `ecn = "accurate"` and a queue that marks early, such as `dualpi2`. It responds to losses like Reno.
    #[name = "prague"]
    #[source = "draft-briscoe-iccrg-prague-congestion-control-04; RFC 9331 section 4"]
    pub struct Prague: dyn Flavor {
        /// How losses are detected and repaired.
        recovery: Chosen<dyn Recovery> = "rack-tlp",
        /// The weight of a new share of marked bytes in the average.
        gain: Fraction = "0.0625",
        /// The window grows as if no round trip were shorter than this (section 2.4.4). With a very small value growth follows the round
        /// trips, as in DCTCP.
        least_round_trip: PositiveSpan = "25 ms" or ["1 us"],
        /// The number of round trips before that rule applies, so that short transfers are as fast as the path allows.
        rounds_before: AtLeastOne = "500",
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Prague {
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(law::Prague::new(PragueConstants {
            gain: self.gain.0,
            least_round_trip: self.least_round_trip.0,
            rounds_before: self.rounds_before.0,
        }))
    }

    fn recovery(&self) -> Box<dyn Recovery> {
        self.recovery.build(&())
    }

    fn recovery_name(&self) -> &'static str {
        self.recovery.name()
    }
}
