//! Permanent capacity, without requests.

use super::{Assignment, Demand};

longfat_foundation::model! {
    /// The bottleneck's sender may use all of the line's rate at any time.
    #[name = "permanent"]
    #[source = "-"]
    pub struct Permanent: dyn Assignment {}
    build(_config, _context) { Box::new(Permanent {}) }
}

impl Assignment for Permanent {
    fn demand(&self) -> Option<Demand> {
        None
    }
}
