//! A constant path.

use super::{Path, Step};

longfat_foundation::model! {
    /// Rate, delay and losses of the topology, throughout.
    #[name = "fixed"]
    #[source = "UBR+ figure 2"]
    pub struct Fixed: dyn Path {}
    build(_config, _context) { Box::new(Unchanged) }
}

struct Unchanged;

impl Path for Unchanged {
    fn steps(&self) -> Vec<Step> {
        Vec::new()
    }
}
