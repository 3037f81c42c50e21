//! BBR, version 1.

use longfat_foundation::registry::Model;

use super::Flavor;
use crate::transport::law::{self, WindowLaw};
use crate::transport::recovery::{RackTlp, Recovery, Reduction, SackRfc6675};

longfat_foundation::choice! {
    /// How losses are noticed and repaired, by selective acknowledgments in any case: the draft leaves it open. Rate and window alone limit
    /// what is sent, so neither reduces in proportion.
    pub enum Repair {
        /// From how much has arrived beyond a segment.
        SackRfc6675 = "sack-rfc6675",
        /// From the time since a segment was sent.
        RackTlp = "rack-tlp",
    }
    absent SackRfc6675
}

longfat_foundation::model! {
    /// Sends at the rate at which data is delivered, and keeps in flight about as much as the path holds. Losses and marks have little
    /// effect. It probes for more bandwidth every eight round trips, and for the minimum round trip every 10 s. It knows the amount in
    /// flight from selective acknowledgments.
    #[name = "bbr"]
    #[source = "draft-cardwell-iccrg-bbr-congestion-control-00; draft-cheng-iccrg-delivery-rate-estimation-00"]
    pub struct Bbr: dyn Flavor {
        /// Whether a round trip equal to the minimum renews it, as in the pseudocode. The text says "a lower RTT measurement". On a path
        /// where nothing disturbs the round trip, equal ones arrive all the time, and a connection would never probe.
        equal_round_trips_refresh: bool = "false" or ["true"],
        /// How losses are detected and repaired.
        recovery: Repair = "sack-rfc6675",
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Bbr {
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(law::Bbr::new(self.equal_round_trips_refresh))
    }

    fn recovery(&self) -> Box<dyn Recovery> {
        match self.recovery {
            Repair::SackRfc6675 => Model::<dyn Recovery>::build(&SackRfc6675 { reduction: Reduction::AtOnce }, &()),
            Repair::RackTlp => Model::<dyn Recovery>::build(&RackTlp::without_reduction(), &()),
        }
    }

    fn recovery_name(&self) -> &'static str {
        match self.recovery {
            Repair::SackRfc6675 => <SackRfc6675 as Model<dyn Recovery>>::NAME,
            Repair::RackTlp => <RackTlp as Model<dyn Recovery>>::NAME,
        }
    }
}
