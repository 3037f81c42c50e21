//! No resumption.

use super::Resumption;

longfat_foundation::model! {
    /// Every connection learns of its path anew.
    #[name = "none"]
    #[source = "RFC 5681"]
    pub struct None: dyn Resumption {}
    build(_config, _context) { Box::new(Nothing) }
}

struct Nothing;

impl Resumption for Nothing {}
