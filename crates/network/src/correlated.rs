//! Correlated random numbers as Linux's network emulator makes them.

use longfat_foundation::random::Stream;

/// Random 32-bit numbers, each a mean of a new one and the one before (kernel 6.12, `get_crandom` of `net/sched/sch_netem.c`): with
/// correlation r, x(n) = r x(n - 1) + (1 - r) u(n). Means of uniform numbers are no longer uniform: they keep away from both ends, so an
/// event with a probability below one half becomes rarer than that, and one above it more frequent.
#[derive(Clone, Debug)]
pub struct Correlated {
    stream: Stream,
    last: u32,
    rho: u32,
}

impl Correlated {
    /// Numbers from `stream` with a correlation from 0 to 1.
    #[must_use]
    pub fn new(mut stream: Stream, correlation: f64) -> Self {
        let rho = share_of_32_bits(correlation);
        // Without correlation no number is remembered, and none is drawn for it.
        let last = if rho == 0 { 0 } else { high_half(stream.draw()) };
        Self { stream, last, rho }
    }

    /// The next number.
    pub fn next(&mut self) -> u32 {
        let new = high_half(self.stream.draw());
        if self.rho == 0 {
            return new;
        }
        self.last = mean(new, self.last, self.rho);
        self.last
    }

    /// Whether an event of that probability happens.
    pub fn happens(&mut self, probability: f64) -> bool {
        let share = share_of_32_bits(probability);
        share > 0 && share >= self.next()
    }
}

/// (new (1 - r) + last r), with r = (rho + 1) / 2^32, rounded down.
fn mean(new: u32, last: u32, rho: u32) -> u32 {
    let rho = u64::from(rho) + 1;
    // At most 2^32 - 1 times the sum of both weights, 2^32.
    let sum = u64::from(new) * ((1 << 32) - rho) + u64::from(last) * rho;
    high_half(sum)
}

fn high_half(word: u64) -> u32 {
    (word >> 32) as u32
}

/// A share from 0 to 1 in 2^32 - 1 parts, as `tc` writes percentages.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 2^32 - 1")]
fn share_of_32_bits(share: f64) -> u32 {
    libm::rint(share * f64::from(u32::MAX)) as u32
}

#[cfg(test)]
mod tests {
    use longfat_foundation::random::Chance;

    use super::*;

    fn numbers(correlation: f64) -> Correlated {
        Correlated::new(Chance { seed: 1, replication: 0 }.stream("correlated"), correlation)
    }

    #[test]
    fn percentages_are_those_of_tc() {
        // 0.25 * 4294967295 = 1073741823.75; 0.003 * 4294967295 = 12884901.885.
        assert_eq!([0.0, 0.25, 0.003, 1.0].map(share_of_32_bits), [0, 1_073_741_824, 12_884_902, u32::MAX]);
    }

    /// `loss 0.3% 25%` of tc-netem(8), by hand. rho + 1 = 2^30 + 1. After 2^31 comes the new number 2^30:
    /// (2^30 (2^32 - 2^30 - 1) + 2^31 (2^30 + 1)) / 2^32 = 2^30 + (2^60 + 2^30) / 2^32 = 2^30 + 2^28 + 1/4. After that comes 0:
    /// (2^30 + 2^28) (2^30 + 1) / 2^32 = 2^28 + 2^26 + 5/16. Neither is at most 12,884,902, so nothing is lost. Six more zeros end at 8 191.
    #[test]
    fn the_example_of_tc_comes_out_as_worked_by_hand() {
        let rho = share_of_32_bits(0.25);
        let first = mean(1 << 30, 1 << 31, rho);
        assert_eq!(first, (1 << 30) + (1 << 28));
        let second = mean(0, first, rho);
        assert_eq!(second, (1 << 28) + (1 << 26));
        let third = mean(0, second, rho);
        assert_eq!(third, (1 << 26) + (1 << 24), "a quarter each time");
        assert!([first, second, third].iter().all(|number| *number > share_of_32_bits(0.003)));
        let [fourth, fifth] = [mean(0, third, rho), mean(0, mean(0, third, rho), rho)];
        assert_eq!([fourth, fifth], [(1 << 24) + (1 << 22), (1 << 22) + (1 << 20)]);
        assert!(fourth > share_of_32_bits(0.003) && fifth <= share_of_32_bits(0.003), "the fifth packet is lost");
    }

    #[test]
    fn the_extremes_are_never_always_and_the_same_for_ever() {
        assert!((0..1000).all(|_| !numbers(0.5).happens(0.0) && numbers(0.5).happens(1.0)));
        let mut stuck = numbers(1.0);
        let first = stuck.next();
        assert!((0..1000).all(|_| stuck.next() == first), "with full correlation the first number stays");
    }

    /// x(n) = r x(n - 1) + (1 - r) u has the variance (1 - r) / (1 + r) of a uniform number's, 1/12, and correlation r between neighbours.
    #[test]
    #[expect(clippy::cast_precision_loss, reason = "counts")]
    fn neighbours_have_the_correlation_and_numbers_the_variance_of_such_means() {
        for correlation in [0.0, 0.25, 0.75] {
            let mut source = numbers(correlation);
            let values: Vec<f64> = (0..200_000).map(|_| f64::from(source.next()) / 2_f64.powi(32) - 0.5).collect();
            let mean = |products: &mut dyn Iterator<Item = f64>| products.sum::<f64>() / values.len() as f64;
            let variance = mean(&mut values.iter().map(|value| value * value));
            let covariance = mean(&mut values.windows(2).map(|pair| pair[0] * pair[1]));
            let expected = (1.0 - correlation) / (1.0 + correlation) / 12.0;
            assert!((variance / expected - 1.0).abs() < 0.02, "{correlation}: variance {variance}");
            assert!((covariance / variance - correlation).abs() < 0.02, "{correlation}: {}", covariance / variance);
        }
    }
}
