//! Vanilla TCP: losses show by timeouts alone.

use super::Recovery;

crate::model! {
    /// Slow start and congestion avoidance; a loss shows only when the retransmission timer expires, and then everything
    /// from there on is sent again. Duplicate acknowledgments cause nothing: this is not Tahoe, which retransmits at the third.
    #[name = "vanilla"]
    #[source = "UBR+ section 2; 97-0424 section 2.1; Jacobson 1988"]
    pub struct Vanilla: dyn Recovery {}
    build(_config, _context) { Box::new(GoBackN) }
}

struct GoBackN;

impl Recovery for GoBackN {}
