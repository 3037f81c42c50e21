//! Random numbers: one counter-based stream per named component.
//!
//! Philox4x64-10 (Salmon, Moraes, Dror and Shaw, SC'11) maps (key, counter) to 256 random bits. The key is the seed and a hash of the
//! component's name, the counter holds the replication and the index of the draw. Streams of different components, seeds or replications
//! therefore never overlap, the n-th draw depends on nothing else, and adding a component leaves the draws of the others unchanged.
//! `numpy.random.Philox` is an independent implementation of the same function (see the tests in Python).

mod span_distribution;

pub use span_distribution::SpanDistribution;

use crate::units::{Span, Time};

const MULTIPLIERS: [u64; 2] = [0xD2E7_470E_E14C_6C93, 0xCA5A_8263_9512_1157];
const WEYL: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xBB67_AE85_84CA_A73B];
const ROUNDS: usize = 10;

/// The 256 random bits of a key and a counter.
#[must_use]
pub fn philox(key: [u64; 2], counter: [u64; 4]) -> [u64; 4] {
    mix(&round_keys(key), counter)
}

/// Keys of all rounds.
fn round_keys(key: [u64; 2]) -> [[u64; 2]; ROUNDS] {
    let mut next = key;
    std::array::from_fn(|_| {
        let key = next;
        next = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
        key
    })
}

#[inline]
fn mix(keys: &[[u64; 2]; ROUNDS], mut counter: [u64; 4]) -> [u64; 4] {
    for key in keys {
        let (high0, low0) = wide_product(MULTIPLIERS[0], counter[0]);
        let (high1, low1) = wide_product(MULTIPLIERS[1], counter[2]);
        counter = [high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0];
    }
    counter
}

#[expect(clippy::cast_possible_truncation, reason = "the two halves of a product")]
fn wide_product(a: u64, b: u64) -> (u64, u64) {
    let product = u128::from(a) * u128::from(b);
    ((product >> 64) as u64, product as u64)
}

/// 64-bit FNV-1a hash of a component's name.
fn name_hash(name: &str) -> u64 {
    name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

/// Source of all random numbers of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chance {
    /// The scenario's seed.
    pub seed: u64,
    /// The replication of the run.
    pub replication: u64,
}

impl Chance {
    /// The stream of the component called `name`, such as `"source/3/start"`.
    #[must_use]
    pub fn stream(self, name: &str) -> Stream {
        Stream { keys: round_keys([self.seed, name_hash(name)]), replication: self.replication, branch: 0, next: 0 }
    }
}

/// Random stream of one component.
#[derive(Clone, Debug)]
pub struct Stream {
    keys: [[u64; 2]; ROUNDS],
    replication: u64,
    branch: u64,
    next: u64,
}

impl Stream {
    /// Block `index` of 256 random bits, independent of previous draws.
    #[must_use]
    #[inline]
    pub fn block(&self, index: u64) -> [u64; 4] {
        mix(&self.keys, [index, self.branch, self.replication, 0])
    }

    /// The stream of part `number` of the component, from its beginning; independent of the stream itself and of those of other parts.
    #[must_use]
    pub fn of_part(&self, number: u64) -> Self {
        Self { branch: number + 1, next: 0, ..self.clone() }
    }

    /// The next 64 random bits.
    pub fn draw(&mut self) -> u64 {
        let word = self.block(self.next / 4)[(self.next % 4) as usize];
        self.next += 1;
        word
    }

    /// Draws an exponentially distributed span by comparisons alone (von Neumann 1951): the last bit of a logarithm may differ between
    /// machines.
    ///
    /// In a descending run of draws x = u1 >= u2 >= ... >= un < u(n + 1), n is odd with probability exp(-x). Then x is the fraction of the
    /// result; each run with even n before it adds one mean.
    pub fn exponential(&mut self, mean: Span) -> Span {
        let mut means = 0_u64;
        loop {
            let fraction = self.draw();
            let (mut last, mut length) = (fraction, 1_u64);
            loop {
                let draw = self.draw();
                if draw > last {
                    break;
                }
                (last, length) = (draw, length + 1);
            }
            if length % 2 == 1 {
                let beyond = (u128::from(fraction) * u128::from(mean.0)) >> 64;
                return Span(means.saturating_mul(mean.0).saturating_add(beyond as u64));
            }
            means += 1;
        }
    }

    /// Draws from the standard normal distribution.
    pub fn standard_normal(&mut self) -> f64 {
        standard_normal([self.draw(), self.draw()])
    }

    /// Bernoulli trial: true with the given probability.
    pub fn happens(&mut self, probability: f64) -> bool {
        // The draw is below 1, so probability 0 is never true and 1 always.
        unit_interval(self.draw()) < probability
    }

    /// Draws a whole number below `number`, each with the same probability but for a rounding of 2^-64.
    #[expect(clippy::cast_possible_truncation, reason = "below the number")]
    pub fn below(&mut self, number: usize) -> usize {
        ((u128::from(self.draw()) * number as u128) >> 64) as usize
    }

    /// Draws a span uniformly from [`low`, `high`), or returns `low` if they are equal.
    pub fn uniform(&mut self, low: Span, high: Span) -> Span {
        RandomSpan { low, high }.at(self.draw())
    }
}

/// A draw of the standard normal distribution from two draws of 64 bits (Box and Muller 1958). Logarithms and cosines are those of `libm`,
/// which gives the same bits on every machine.
#[must_use]
pub fn standard_normal(bits: [u64; 2]) -> f64 {
    let [first, second] = bits.map(unit_interval);
    libm::sqrt(-2.0 * libm::log(1.0 - first)) * libm::cos(2.0 * std::f64::consts::PI * second)
}

/// Maps random bits to [0, 1), without rounding.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "53 bits are kept")]
pub fn unit_interval(word: u64) -> f64 {
    (word >> 11) as f64 / (1_u64 << 53) as f64
}

/// A span that is either fixed or drawn for each component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomSpan {
    /// Smallest value.
    pub low: Span,
    /// Largest value (excluded unless equal to `low`).
    pub high: Span,
}

impl RandomSpan {
    /// The value at the point given by a random word.
    #[must_use]
    pub fn at(self, word: u64) -> Span {
        let width = self.high.0.saturating_sub(self.low.0);
        let share = (u128::from(word) * u128::from(width)) >> 64;
        Span(self.low.0 + share as u64)
    }

    /// Draws a value; a fixed span uses no random numbers.
    pub fn sample(self, stream: &mut Stream) -> Time {
        let span = if self.low == self.high { self.low } else { stream.uniform(self.low, self.high) };
        Time::ZERO + span
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known answers of the authors' Random123 distribution (kat_vectors, philox4x64-10).
    #[test]
    fn philox_gives_the_known_answers_of_its_authors() {
        assert_eq!(
            philox([0, 0], [0, 0, 0, 0]),
            [0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b]
        );
        assert_eq!(
            philox([u64::MAX; 2], [u64::MAX; 4]),
            [0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0]
        );
    }

    #[test]
    fn streams_of_other_names_seeds_and_replications_differ() {
        let chance = Chance { seed: 1, replication: 0 };
        let first = chance.stream("a").draw();
        assert_ne!(first, chance.stream("b").draw());
        assert_ne!(first, Chance { seed: 2, ..chance }.stream("a").draw());
        assert_ne!(first, Chance { replication: 1, ..chance }.stream("a").draw());
        assert_eq!(first, chance.stream("a").draw());
    }

    #[test]
    fn streams_of_parts_differ_from_each_other_and_from_that_of_the_whole() {
        let mut whole = Chance { seed: 1, replication: 0 }.stream("a");
        let part = |number| whole.of_part(number).draw();
        let draws = [part(0), part(1), whole.clone().draw()];
        assert!(draws[0] != draws[1] && draws[0] != draws[2] && draws[1] != draws[2]);
        whole.draw();
        assert_eq!(draws[0], whole.of_part(0).draw(), "wherever the whole is");
    }

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "counts")]
    fn exponential_spans_have_their_mean_their_tail_and_no_memory() {
        let mut stream = Chance { seed: 7, replication: 0 }.stream("exponential");
        let mean = 1_000_000_u64;
        let draws: Vec<u64> = (0..100_000).map(|_| stream.exponential(Span(mean)).0).collect();
        let average = draws.iter().sum::<u64>() as f64 / draws.len() as f64;
        // The standard deviation of a draw is its mean: four of those of the average are 0.0126 means.
        assert!((average / mean as f64 - 1.0).abs() < 0.0126, "{average}");
        for times in [0.1, 0.5, 1.0, 2.0, 4.0_f64] {
            let beyond = draws.iter().filter(|draw| **draw as f64 > times * mean as f64).count() as f64;
            let expected = (-times).exp();
            let tolerance = 4.0 * (expected * (1.0 - expected) / draws.len() as f64).sqrt();
            assert!((beyond / draws.len() as f64 - expected).abs() < tolerance, "beyond {times} means: {beyond}");
        }
        let beyond: Vec<u64> = draws.iter().filter(|draw| **draw > 2 * mean).map(|draw| draw - 2 * mean).collect();
        let rest = beyond.iter().sum::<u64>() as f64 / beyond.len() as f64;
        assert!((rest / mean as f64 - 1.0).abs() < 4.0 / (beyond.len() as f64).sqrt(), "{rest}");
    }

    #[test]
    fn uniform_spans_stay_in_their_interval_and_fill_it() {
        let mut stream = Chance { seed: 7, replication: 0 }.stream("uniform");
        let (low, high) = (Span(1000), Span(2000));
        let draws: Vec<u64> = (0..10_000).map(|_| stream.uniform(low, high).0).collect();
        assert!(draws.iter().all(|draw| (1000..2000).contains(draw)));
        let mean = draws.iter().sum::<u64>() / 10_000;
        assert!((1490..1510).contains(&mean), "{mean}");
    }
}
