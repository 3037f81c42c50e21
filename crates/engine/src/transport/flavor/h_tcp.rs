//! H-TCP.

use super::Flavor;
use crate::config::PositiveSpan;
use crate::registry::Chosen;
use crate::transport::law::{self, HTcpSettings, WindowLaw};
use crate::transport::recovery::Recovery;

crate::model! {
    /// H-TCP: for a second after a loss the classical law; then the window grows the faster the longer the loss is ago. A loss takes what the
    /// queue has added to the round trip, between a fifth and a half.
    #[name = "h-tcp"]
    #[source = "draft-leith-tcp-htcp-06; Leith and Shorten 2004, PFLDnet"]
    pub struct HTcp: dyn Flavor {
        /// How losses are noticed and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// For so long after a loss it grows as the classical law (Delta_L).
        low_speed: PositiveSpan = "1 s",
        /// Whether a loss takes what the queue has added to the round trip, and growth slows down as much; or half, as FreeBSD has it where nothing
        /// else is asked for. Round trips are known better with `timestamps`.
        adaptive_backoff: bool = "true" or ["false"],
        /// Whether growth is in proportion to the round trip, so that it is the same in time for all. The draft has it as a choice, Linux does it.
        round_trip_scaling: bool = "false" or ["true"],
        /// The round trip that scaling leaves as it is.
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
