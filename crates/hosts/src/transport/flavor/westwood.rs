//! TCP Westwood+.

use longfat_foundation::config::Fraction;
use longfat_foundation::registry::Chosen;

use super::Flavor;
use crate::transport::law::{self, WindowLaw};
use crate::transport::recovery::Recovery;

longfat_foundation::model! {
    /// TCP Westwood+: the classical law, except that a loss reduces the window to the measured bandwidth times the minimum round trip, not
    /// to a half. So a loss that is not due to congestion costs little.
    #[name = "westwood"]
    #[source = "Grieco and Mascolo 2004, ACM Computer Communication Review 34(2); Mascolo et al. 2001"]
    pub struct Westwood: dyn Flavor {
        /// How losses are detected and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// The weight of the old average when a new bandwidth sample arrives, once per round trip. Linux filters twice, with 7/8.
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
