//! The Kalman filter of one number, in the module's integers.

/// One, as a gain (`LEOCC_UNIT`).
const UNIT: u64 = 256;

/// Variances of what is estimated from one measurement to the next, and of a measurement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noise {
    pub wander: u64,
    pub measurement: u64,
}

/// An estimate with its variance. Every step is rounded down. The module keeps the variance in five bits, which the defaults do not
/// exceed, and products in 32, which a bandwidth of more than a segment in a microsecond exceeds; here neither overflows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kalman {
    noise: Noise,
    variance: u64,
    pub estimate: u64,
}

impl Kalman {
    pub fn new(noise: Noise, variance: u64) -> Self {
        Self { noise, variance, estimate: 0 }
    }

    /// Takes a measurement.
    pub fn add(&mut self, measured: u64) {
        let predicted = self.variance + self.noise.wander;
        let gain = predicted * UNIT / (predicted + self.noise.measurement);
        self.estimate = ((UNIT - gain) * self.estimate + gain * measured) / UNIT;
        self.variance = (UNIT - gain) * predicted / UNIT;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter() -> Kalman {
        Kalman::new(Noise { wander: 4, measurement: 4 }, 25)
    }

    /// 29 * 256 / 33 = 224.97, 32 * 29 / 256 = 3.6; 7 * 256 / 11 = 162.9, 94 * 7 / 256 = 2.6; 6 * 256 / 10 = 153.6, 103 * 6 / 256 = 2.4, and so on.
    #[test]
    fn gains_are_224_then_162_and_then_153_of_256() {
        let mut filter = filter();
        let found = [25_600, 25_600, 25_600, 25_600, 51_200].map(|measured| {
            filter.add(measured);
            (filter.estimate, filter.variance)
        });
        // 224 * 100; (94 * 22,400 + 162 * 25,600) / 256; (103 * 24,425 + 153 * 25,600) / 256; (103 * 25,127 + 153 * 25,600) / 256;
        // (103 * 25,409 + 153 * 51,200) / 256.
        assert_eq!(found, [(22_400, 3), (24_425, 2), (25_127, 2), (25_409, 2), (40_823, 2)]);
    }

    /// Rounding down keeps it below a constant: at 998 (103 * 998 + 153 * 1000) / 256 is 999.2, and at 999 it is 999.6.
    #[test]
    fn a_constant_is_approached_from_below_and_missed_by_one() {
        let mut filter = filter();
        (0..50).for_each(|_| filter.add(1000));
        assert_eq!(filter.estimate, 999);
    }

    /// In real numbers the gain for equal variances is (sqrt 5 - 1) / 2 = 0.618 in the long run; rounded, 153 / 256 = 0.598. A measurement that is four times
    /// as certain as the estimate wanders has 4, 8 * 256 / 9 = 227, and 29 * 8 / 256 = 0: a gain of 4 * 256 / 5 = 204.
    #[test]
    fn certain_measurements_count_more() {
        let mut filter = Kalman::new(Noise { wander: 4, measurement: 1 }, 4);
        filter.add(256_000);
        assert_eq!((filter.estimate, filter.variance), (227_000, 0));
        filter.add(0);
        assert_eq!((filter.estimate, filter.variance), (46_109, 0), "52 * 227,000 / 256");
    }
}
