//! No reordering.

use longfat_foundation::units::Span;

use super::Reordering;

longfat_foundation::model! {
    /// Holds nothing up: packets arrive in the order in which they were sent.
    #[name = "none"]
    #[source = "UBR+ figure 2"]
    pub struct None: dyn Reordering {}
    build(_config, _context) { Box::new(InOrder) }
}

struct InOrder;

impl Reordering for InOrder {
    fn holds_next(&mut self, _flow: usize) -> Span {
        Span::ZERO
    }
}
