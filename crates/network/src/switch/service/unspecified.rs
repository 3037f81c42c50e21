//! Unspecified bit rate.

use super::{Contract, Service};

longfat_foundation::model! {
    /// No promises: no minimum rates, no marks.
    #[name = "ubr"]
    #[source = "ATM Forum Traffic Management 4.0"]
    pub struct UnspecifiedBitRate: dyn Service {}
    build(_config, _context) { Box::new(Nothing) }
}

struct Nothing;

impl Service for Nothing {
    fn contract(&self) -> Option<Contract> {
        None
    }
}
