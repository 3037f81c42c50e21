//! No proxies.

use super::{Proxies, SplitTcp};

longfat_foundation::model! {
    /// No proxies: connections are end to end between hosts.
    #[name = "none"]
    #[source = "-"]
    pub struct EndToEnd: dyn Proxies {}
    build(_config, _context) { Box::new(EndToEnd {}) }
}

impl Proxies for EndToEnd {
    fn splits(&self) -> Option<&SplitTcp> {
        None
    }
}
