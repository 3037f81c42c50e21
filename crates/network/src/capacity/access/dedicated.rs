//! A slot for the requests of each terminal.

use super::{Access, Contention};

longfat_foundation::model! {
    /// Each terminal has a slot of its own for its request in every frame, or sends it along with its data: every request is heard.
    #[name = "dedicated"]
    #[source = "ETSI EN 301 790: SYNC bursts and in-band requests; from memory"]
    pub struct Dedicated: dyn Access {}
    build(_config, _context) { Box::new(Dedicated {}) }
}

impl Access for Dedicated {
    fn contention(&mut self) -> Option<&mut dyn Contention> {
        None
    }
}
