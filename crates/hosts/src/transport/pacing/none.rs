//! No pacing.

use longfat_foundation::units::Span;

use super::{Pacing, Window};

longfat_foundation::model! {
    /// No pacing: what the window allows is sent at once, unless the window law has a rate of its own.
    #[name = "none"]
    #[source = "RFC 5681"]
    pub struct None: dyn Pacing {}
    build(_config, _context) { Box::new(AtOnce) }
}

pub(super) struct AtOnce;

impl Pacing for AtOnce {
    fn rate(&self, _window: &Window, _smoothed_round_trip: Span) -> Option<f64> {
        None
    }
}
