//! DCTCP.

use longfat_foundation::config::Fraction;
use longfat_foundation::registry::Chosen;

use super::Flavor;
use crate::transport::law::{self, WindowLaw};
use crate::transport::recovery::Recovery;

longfat_foundation::model! {
    /// The classical law, except that marks reduce the window by half of the recent share of marked bytes. DCTCP needs to know that share,
    /// and so `ecn = "per-segment"` or `"accurate"`. Losses halve the window.
    #[name = "dctcp"]
    #[source = "RFC 8257 section 3.3"]
    pub struct Dctcp: dyn Flavor {
        /// How losses are detected and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// The weight of a new share of marked bytes in the average (g).
        gain: Fraction = "0.0625",
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Dctcp {
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(law::Dctcp::new(self.gain.0))
    }

    fn recovery(&self) -> Box<dyn Recovery> {
        self.recovery.build(&())
    }

    fn recovery_name(&self) -> &'static str {
        self.recovery.name()
    }
}
