//! A path that does not change.

use super::{Path, Step};

longfat_foundation::model! {
    /// As in the topology, throughout.
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
