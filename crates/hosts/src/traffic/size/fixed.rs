//! Constant size.

use longfat_foundation::config::Bytes;

use super::SizeDistribution;

longfat_foundation::model! {
    /// Every flow has this size.
    #[name = "fixed"]
    #[source = "RFC 5166 section 2.1.3: transfer times of files of a given size"]
    pub struct Fixed: dyn SizeDistribution {
        /// Bytes.
        size: Bytes,
    }
    build(config, _context) { Box::new(Same(config.size.0)) }
}

struct Same(u64);

impl SizeDistribution for Same {
    fn bytes(&self, _bits: [u64; 2]) -> u64 {
        self.0
    }

    fn mean(&self) -> f64 {
        super::number(self.0)
    }
}
