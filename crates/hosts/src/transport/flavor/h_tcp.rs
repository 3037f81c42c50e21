//! H-TCP.

use longfat_foundation::config::PositiveSpan;
use longfat_foundation::registry::Chosen;

use super::Flavor;
use crate::transport::law::{self, HTcpSettings, WindowLaw};
use crate::transport::recovery::Recovery;

longfat_foundation::model! {
    /// H-TCP: for a second after a loss the classical law; from then on the window grows faster the longer ago the loss is. A loss removes
    /// the share of the round trip that queueing has added, between a fifth and a half of the window.
    #[name = "h-tcp"]
    #[source = "draft-leith-tcp-htcp-06; Leith and Shorten 2004, PFLDnet"]
    pub struct HTcp: dyn Flavor {
        /// How losses are detected and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// How long after a loss it grows like the classical law (Delta_L).
        low_speed: PositiveSpan = "1 s",
        /// Whether a loss removes the share of the round trip that queueing has added, with growth slowed in proportion (adaptive backoff).
        /// If not, a loss halves the window, as in FreeBSD by default. Round trips are measured better with `timestamps`.
        adaptive_backoff: bool = "true" or ["false"],
        /// Whether growth is in proportion to the round trip, so that it is the same per second for all connections. The draft leaves it
        /// open, Linux does it.
        round_trip_scaling: bool = "false" or ["true"],
        /// The reference round trip, at which scaling changes nothing.
        reference_round_trip: PositiveSpan = "100 ms",
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for HTcp {
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(law::HTcp::new(HTcpSettings {
            low_speed: self.low_speed.0,
            adaptive_backoff: self.adaptive_backoff,
            reference_round_trip: self.round_trip_scaling.then_some(self.reference_round_trip.0),
        }))
    }

    fn recovery(&self) -> Box<dyn Recovery> {
        self.recovery.build(&())
    }

    fn recovery_name(&self) -> &'static str {
        self.recovery.name()
    }
}
