//! Vanilla TCP: losses are detected by timeouts alone.

use super::Recovery;

longfat_foundation::model! {
    /// Slow start and congestion avoidance. A loss is noticed only when the retransmission timer expires; everything from the lost segment
    /// on is then sent again. Duplicate acknowledgments have no effect: this is not Tahoe, which retransmits at the third.
    #[name = "vanilla"]
    #[source = "UBR+ section 2; 97-0424 section 2.1; Jacobson 1988"]
    pub struct Vanilla: dyn Recovery {}
    build(_config, _context) { Box::new(GoBackN) }
}

struct GoBackN;

impl Recovery for GoBackN {}
