//! Vanilla TCP: slow start and congestion avoidance.

use super::{Flavor, Window};

crate::model! {
    /// Slow start and congestion avoidance; a loss shows only when the retransmission timer expires. Duplicate
    /// acknowledgments cause nothing: this is not Tahoe, which retransmits at the third.
    #[name = "vanilla"]
    #[source = "UBR+ section 2; 97-0424 section 2.1; Jacobson 1988"]
    pub struct Vanilla: dyn Flavor {}
    build(_config, _context) { Box::new(Connection) }
}

struct Connection;

impl Flavor for Connection {
    fn on_acknowledgment(&mut self, window: &mut Window, acknowledged: u64) {
        if window.in_slow_start() {
            window.grow_exponentially(acknowledged);
        } else {
            window.grow_linearly();
        }
    }

    fn on_timeout(&mut self, window: &mut Window) {
        window.halve_threshold();
        window.collapse();
    }
}
