//! TCP Westwood+.

use super::Flavor;
use crate::config::Fraction;
use crate::registry::Chosen;
use crate::transport::law::{self, WindowLaw};
use crate::transport::recovery::Recovery;

crate::model! {
    /// TCP Westwood+: the classical law, but that a loss leaves what the path was found to carry in its shortest round trip, and not half. So a loss
    /// that is none of congestion costs little.
    #[name = "westwood"]
    #[source = "Grieco and Mascolo 2004, ACM Computer Communication Review 34(2); Mascolo et al. 2001"]
    pub struct Westwood: dyn Flavor {
        /// How losses are noticed and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// What a new sample of the bandwidth leaves of the average, once in a round trip. Linux filters twice, with 7/8.
        memory: Fraction = "0.9" or ["0.875"],
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Westwood {
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(law::Westwood::new(self.memory.0))
    }

    fn recovery(&self) -> Box<dyn Recovery> {
        self.recovery.build(&())
    }

    fn recovery_name(&self) -> &'static str {
        self.recovery.name()
    }
}
