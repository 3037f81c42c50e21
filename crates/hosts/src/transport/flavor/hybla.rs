//! TCP Hybla.

use longfat_foundation::config::PositiveSpan;
use longfat_foundation::registry::Chosen;

use super::Flavor;
use crate::transport::law::{self, HyblaSettings, WindowLaw};
use crate::transport::recovery::Recovery;

longfat_foundation::choice! {
    /// The round trip that Hybla goes by.
    pub enum HyblaRoundTrip {
        /// The minimum of the smoothed round trips so far, so that queueing does not make it faster.
        Shortest = "shortest",
        /// The smoothed round trip itself.
        Smoothed = "smoothed",
    }
}

longfat_foundation::model! {
    /// TCP Hybla, made for satellites: over a long round trip its rate grows like that of a connection with a round trip of 25 ms.
    #[name = "hybla"]
    #[source = "Caini and Firrincieli 2004, International Journal of Satellite Communications and Networking 22(5)"]
    pub struct Hybla: dyn Flavor {
        /// How losses are detected and repaired. HighSpeed TCP is meant to be used with selective acknowledgments, because it loses many
        /// segments at once.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// The reference round trip: a connection with a longer one grows as fast as a connection with this one (RTT0). Shorter round trips
        /// are left as they are.
        reference_round_trip: PositiveSpan = "25 ms",
        /// Which round trip it uses, as in Linux or ns-3.
        round_trip: HyblaRoundTrip = "shortest" or ["smoothed"],
        /// Whether the initial window and threshold are also scaled by the round trip, as the paper's equations have it. The round trip is
        /// known only from the first acknowledgment on, so they are not scaled before. Linux scales the window alone.
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
