//! Immediate acknowledgments: one per segment.

use longfat_foundation::units::Time;

use super::{Acknowledging, Arrival};

longfat_foundation::model! {
    /// Every segment is acknowledged the moment it arrives: "the delayed acknowledgement timer is deactivated" (T-09).
    #[name = "immediate"]
    #[source = "97-0424 section 4.1"]
    pub struct Immediate: dyn Acknowledging {}
    build(_config, _context) { Box::new(AtOnce) }
}

struct AtOnce;

impl Acknowledging for AtOnce {
    fn delay(&mut self, _now: Time, _arrival: Arrival) -> Option<Time> {
        None
    }

    fn is_at_once(&self) -> bool {
        true
    }
}
