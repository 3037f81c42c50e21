//! No loss.

use longfat_foundation::units::Time;

use super::LossModel;

longfat_foundation::model! {
    /// Loses nothing.
    #[name = "none"]
    #[source = "UBR+ section 3.1"]
    pub struct None: dyn LossModel {}
    build(_config, _context) { Box::new(Lossless) }
}

struct Lossless;

impl LossModel for Lossless {
    fn loses_next(&mut self, _now: Time, _flow: usize) -> bool {
        false
    }
}
