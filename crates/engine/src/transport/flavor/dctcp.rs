//! DCTCP.

use super::Flavor;
use crate::config::Fraction;
use crate::registry::Chosen;
use crate::transport::law::{self, WindowLaw};
use crate::transport::recovery::Recovery;

crate::model! {
    /// As the classical law, but marks reduce the window by half of the share of bytes that were marked, as it was of late. It needs to know
    /// that share, and so `ecn = "per-segment"` or `"accurate"`; losses halve the window.
    #[name = "dctcp"]
    #[source = "RFC 8257 section 3.3"]
    pub struct Dctcp: dyn Flavor {
        /// How losses are noticed and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// The weight of a new share in its average (g).
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
