//! Bounded Pareto distribution of sizes.

use longfat_foundation::config::{Bytes, PositiveNumber};
use longfat_foundation::random::unit_interval;

use super::{SizeDistribution, number, whole};

longfat_foundation::model! {
    /// Pareto between two bounds: heavy-tailed, as files on the web are. The share of sizes above x falls as x to the minus shape; with a
    /// shape near 1 a few large flows carry most bytes.
    #[name = "bounded-pareto"]
    #[source = "Crovella and Bestavros 1997; Harchol-Balter, Crovella and Murta 1999 section 2"]
    pub struct BoundedPareto: dyn SizeDistribution {
        /// The smallest size.
        smallest: Bytes,
        /// The largest size.
        largest: Bytes = "1 GB",
        /// The exponent of the tail: 1.1 to 1.3 for files on the web.
        shape: PositiveNumber = "1.2",
    }
    build(config, _context) {
        Box::new(Tail::new(number(config.smallest.0), number(config.largest.0), config.shape.0))
    }
    objections(config, _context) {
        let message = || format!("the largest, {} B, is below the smallest, {} B", config.largest.0, config.smallest.0);
        (config.largest < config.smallest).then(|| ("largest", message())).into_iter().collect()
    }
}

struct Tail {
    smallest: f64,
    largest: f64,
    shape: f64,
    /// (l / h)^a.
    cut: f64,
}

impl Tail {
    fn new(smallest: f64, largest: f64, shape: f64) -> Self {
        Self { smallest, largest, shape, cut: libm::pow(smallest / largest, shape) }
    }
}

impl SizeDistribution for Tail {
    /// The inverse of F(x) = (1 - (l / x)^a) / (1 - (l / h)^a).
    fn bytes(&self, bits: [u64; 2]) -> u64 {
        let above = 1.0 - unit_interval(bits[0]) * (1.0 - self.cut);
        whole((self.smallest * libm::pow(above, -1.0 / self.shape)).min(self.largest))
    }

    /// a l^a / (1 - (l / h)^a) times the integral of x^-a from l to h.
    fn mean(&self) -> f64 {
        let (l, h, a) = (self.smallest, self.largest, self.shape);
        let bounded = |integral: f64| a * l * integral / (1.0 - self.cut);
        if l >= h {
            l
        } else if (a - 1.0).abs() < 1e-9 {
            bounded(libm::log(h / l))
        } else {
            bounded((1.0 - libm::pow(l / h, a - 1.0)) / (a - 1.0))
        }
    }
}
