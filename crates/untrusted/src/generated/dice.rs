//! Random choices of the generator of scenarios.

use longfat_engine::random::{Chance, Stream, unit_interval};

/// Random choices that follow from a seed.
pub struct Dice(Stream);

impl Dice {
    /// Choices of the scenario with this seed.
    pub fn of(seed: u64) -> Self {
        Self(Chance { seed, replication: 0 }.stream("generated scenario"))
    }

    /// A number from [0, 1).
    pub fn share(&mut self) -> f64 {
        unit_interval(self.0.draw())
    }

    /// True with the given probability.
    pub fn happens(&mut self, probability: f64) -> bool {
        self.share() < probability
    }

    /// A number from [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.share()
    }

    /// A number from [low, high), all magnitudes alike.
    pub fn magnitude(&mut self, low: f64, high: f64) -> f64 {
        10_f64.powf(self.between(low.log10(), high.log10()))
    }

    /// A number below `end`.
    #[expect(clippy::cast_possible_truncation, reason = "a remainder of a usize")]
    pub fn below(&mut self, end: usize) -> usize {
        (self.0.draw() % end.max(1) as u64) as usize
    }

    /// One of several.
    pub fn one<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.below(of.len())]
    }
}

/// The whole number at or below a number; 0 for negative ones.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts end at the limits of the type")]
pub fn whole(number: f64) -> u64 {
    number as u64
}
