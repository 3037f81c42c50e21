//! TCP Hybla.

use super::Flavor;
use crate::config::PositiveSpan;
use crate::registry::Chosen;
use crate::transport::law::{self, HyblaSettings, WindowLaw};
use crate::transport::recovery::Recovery;

crate::choice! {
    /// The round trip that Hybla goes by.
    pub enum HyblaRoundTrip {
        /// The shortest of the smoothed round trips so far, so that queues do not make it faster.
        Shortest = "shortest",
        /// The smoothed round trip as it is.
        Smoothed = "smoothed",
    }
}

crate::model! {
    /// TCP Hybla, made for satellites: over a long round trip its rate grows as that of a connection with a round trip of 25 ms.
    #[name = "hybla"]
    #[source = "Caini and Firrincieli 2004, International Journal of Satellite Communications and Networking 22(5)"]
    pub struct Hybla: dyn Flavor {
        /// How losses are noticed and repaired. It is meant to have selective acknowledgments, for it loses many segments at once.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// The round trip of the connection that it is to be as fast as (RTT0). Shorter ones are left as they are.
        reference_round_trip: PositiveSpan = "25 ms",
        /// The round trip that it goes by, as Linux and ns-3 have it.
        round_trip: HyblaRoundTrip = "shortest" or ["smoothed"],
        /// Whether the first window and threshold are larger in proportion to the round trip, as the paper's equations have it. It is known with the
        /// first acknowledgment, and so they are not before. Linux scales the window alone.
        scales_start: bool = "true" or ["false"],
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Hybla {
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(law::Hybla::new(HyblaSettings {
            reference_round_trip: self.reference_round_trip.0,
            goes_by_shortest: self.round_trip == HyblaRoundTrip::Shortest,
            scales_start: self.scales_start,
        }))
    }

    fn recovery(&self) -> Box<dyn Recovery> {
        self.recovery.build(&())
    }

    fn recovery_name(&self) -> &'static str {
        self.recovery.name()
    }
}
