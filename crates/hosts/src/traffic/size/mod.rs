//! Distributions of sizes, in bytes.
//!
//! To add one: a file here with a [`model!`](longfat_foundation::model), a `mod` line and a line in [`SIZES`]. A size is a function of
//! random bits alone, so the size of a flow does not depend on other flows. Logarithms and powers are those of `libm`, which give the same
//! bits on every machine; the system's need not.

mod bounded_pareto;
mod exponential;
mod fixed;
mod log_normal;

use longfat_foundation::registry::{Entry, Family};

/// Every registered distribution of sizes.
pub const SIZES: &[Entry<dyn SizeDistribution>] = &[
    Entry::of::<fixed::Fixed>(),
    Entry::of::<exponential::Exponential>(),
    Entry::of::<bounded_pareto::BoundedPareto>(),
    Entry::of::<log_normal::LogNormal>(),
];

/// A distribution of sizes.
pub trait SizeDistribution: Send {
    /// The size, in bytes, at a point of the distribution given by random bits; at least 1.
    fn bytes(&self, bits: [u64; 2]) -> u64;
    /// Mean size in bytes.
    fn mean(&self) -> f64;
}

impl Family for dyn SizeDistribution {
    const KIND: &'static str = "size distribution";
    type Context = ();
    fn models() -> &'static [Entry<Self>] {
        SIZES
    }
}

/// Largest size: more than an hour at 1 Tbit/s.
const LARGEST: f64 = 1e15;

/// Rounds to whole bytes, at least 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within these bounds")]
fn whole(bytes: f64) -> u64 {
    bytes.round().clamp(1.0, LARGEST) as u64
}

/// Size as `f64`; 53 bits are enough.
#[expect(clippy::cast_precision_loss, reason = "no size that matters has more than 53 bits")]
fn number(bytes: u64) -> f64 {
    bytes as f64
}

#[cfg(test)]
mod tests {
    use longfat_foundation::config::{Parameter, Reader, parse_fragment};
    use longfat_foundation::random::Chance;
    use longfat_foundation::registry::Chosen;

    use super::*;

    fn choose(text: &str) -> Box<dyn SizeDistribution> {
        let mut reader = Reader::default();
        let chosen = Chosen::<dyn SizeDistribution>::read(&parse_fragment(text), &mut reader);
        chosen.unwrap_or_else(|| panic!("{text}: {:?}", reader.problems)).build(&())
    }

    /// Sizes of many flows.
    fn draws(text: &str) -> Vec<f64> {
        let (distribution, stream) = (choose(text), Chance { seed: 3, replication: 0 }.stream("sizes"));
        let bits = |number| stream.block(number);
        (0..200_000).map(|flow| number(distribution.bytes([bits(flow)[0], bits(flow)[1]]))).collect()
    }

    fn share_above(draws: &[f64], bytes: f64) -> f64 {
        number(draws.iter().filter(|size| **size > bytes).count() as u64) / number(draws.len() as u64)
    }

    /// Checks that a proportion of 200,000 draws is within four standard deviations of its expectation.
    #[track_caller]
    fn assert_share(found: f64, expected: f64) {
        let tolerance = 4.0 * (expected * (1.0 - expected) / 200_000.0).sqrt();
        assert!((found - expected).abs() < tolerance, "{found} in place of {expected}");
    }

    #[test]
    fn the_mean_of_many_draws_is_the_mean_of_the_distribution() {
        for (text, tolerance) in [
            ("{ kind = 'fixed', size = '34 kB' }", 0.0),
            ("{ kind = 'exponential', mean = '34 kB' }", 0.01),
            ("{ kind = 'bounded-pareto', smallest = '8 kB', largest = '4 MB', shape = 1.2 }", 0.03),
            ("{ kind = 'log-normal', median = '10 kB', sigma = 1 }", 0.015),
        ] {
            let draws = draws(text);
            let mean = draws.iter().sum::<f64>() / number(draws.len() as u64);
            let expected = choose(text).mean();
            assert!((mean / expected - 1.0).abs() <= tolerance, "{text}: {mean} in place of {expected}");
        }
    }

    /// P(X > x) = exp(-x / mean).
    #[test]
    fn an_exponential_size_is_above_its_mean_with_probability_one_over_e() {
        let draws = draws("{ kind = 'exponential', mean = '1 MB' }");
        assert_share(share_above(&draws, 1e6), (-1.0_f64).exp());
        assert_share(share_above(&draws, 3e6), (-3.0_f64).exp());
    }

    /// P(X > x) = ((l / x)^a - (l / h)^a) / (1 - (l / h)^a). With a = 1, l = 1 kB, h = 1 MB: above 2 kB 0.499 / 0.999, above 10 kB
    /// 0.099 / 0.999.
    #[test]
    fn a_bounded_pareto_size_has_the_tail_of_its_shape_and_stays_within_its_bounds() {
        let draws = draws("{ kind = 'bounded-pareto', smallest = '1 kB', largest = '1 MB', shape = 1 }");
        assert!(draws.iter().all(|size| (1e3..=1e6).contains(size)));
        assert_share(share_above(&draws, 2e3), 0.499 / 0.999);
        assert_share(share_above(&draws, 10e3), 0.099 / 0.999);
        assert_share(share_above(&draws, 100e3), 0.009 / 0.999);
    }

    /// ln X is normal: 15.87 % are above the median times e^sigma, 2.275 % above it times e^(2 sigma).
    #[test]
    fn the_logarithm_of_a_log_normal_size_is_normal() {
        let draws = draws("{ kind = 'log-normal', median = '100 kB', sigma = 0.5 }");
        for (deviations, expected) in [(-1.0, 0.841_345), (0.0, 0.5), (1.0, 0.158_655), (2.0, 0.022_750)] {
            assert_share(share_above(&draws, 1e5 * (0.5_f64 * deviations).exp()), expected);
        }
    }
}
