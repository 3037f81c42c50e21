//! Exponential distribution of sizes.

use longfat_foundation::config::Bytes;
use longfat_foundation::random::unit_interval;

use super::{SizeDistribution, number, whole};

longfat_foundation::model! {
    /// Exponentially distributed: most are smaller than the mean, none very much larger.
    #[name = "exponential"]
    #[source = "Jain 1991 section 29.8"]
    pub struct Exponential: dyn SizeDistribution {
        /// Mean bytes.
        mean: Bytes,
    }
    build(config, _context) { Box::new(Drawn { mean: number(config.mean.0) }) }
}

struct Drawn {
    mean: f64,
}

impl SizeDistribution for Drawn {
    fn bytes(&self, bits: [u64; 2]) -> u64 {
        whole(-self.mean * libm::log(1.0 - unit_interval(bits[0])))
    }

    fn mean(&self) -> f64 {
        self.mean
    }
}
