//! Log-normal distribution of sizes.

use longfat_foundation::config::{Bytes, PositiveNumber};
use longfat_foundation::random::standard_normal;

use super::{SizeDistribution, number, whole};

longfat_foundation::model! {
    /// Log-normal: the logarithm is normally distributed, so that half are below the median and large ones are some times, not many
    /// thousand times it. The body of measured file sizes is like this.
    #[name = "log-normal"]
    #[source = "Barford and Crovella 1998 section 3; Box and Muller 1958"]
    pub struct LogNormal: dyn SizeDistribution {
        /// Half are smaller.
        median: Bytes,
        /// Standard deviation of the natural logarithm.
        sigma: PositiveNumber = "1",
    }
    build(config, _context) { Box::new(Drawn { median: number(config.median.0), sigma: config.sigma.0 }) }
}

struct Drawn {
    median: f64,
    sigma: f64,
}

impl SizeDistribution for Drawn {
    fn bytes(&self, bits: [u64; 2]) -> u64 {
        whole(self.median * libm::exp(self.sigma * standard_normal(bits)))
    }

    fn mean(&self) -> f64 {
        self.median * libm::exp(self.sigma * self.sigma / 2.0)
    }
}
