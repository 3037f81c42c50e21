//! A windowed maximum filter.

use std::collections::VecDeque;

/// Maximum of the samples of the latest rounds.
#[derive(Clone, Debug)]
pub struct WindowedMaximum {
    length: u64,
    /// Samples with their rounds; none is both older and smaller than another.
    samples: VecDeque<(u64, f64)>,
}

impl WindowedMaximum {
    /// A filter over `length` rounds.
    #[must_use]
    pub fn new(length: u64) -> Self {
        Self { length, samples: VecDeque::new() }
    }

    /// Sets the length to `length` rounds, from the next sample on.
    pub fn set_length(&mut self, length: u64) {
        self.length = length;
    }

    /// The maximum, 0 before the first sample.
    #[must_use]
    pub fn get(&self) -> f64 {
        self.samples.front().map_or(0.0, |sample| sample.1)
    }

    /// Adds a sample of a round, which is not before the round of the previous sample.
    pub fn add(&mut self, round: u64, value: f64) {
        while self.samples.back().is_some_and(|sample| sample.1 <= value) {
            self.samples.pop_back();
        }
        self.samples.push_back((round, value));
        while self.samples.front().is_some_and(|sample| sample.0 + self.length <= round) {
            self.samples.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_sample_counts_until_it_is_as_old_as_the_window() {
        let mut maximum = WindowedMaximum::new(10);
        assert_eq!(maximum.get(), 0.0);
        let found: Vec<f64> = [(0, 5.0), (1, 9.0), (2, 7.0), (3, 8.0), (10, 1.0), (11, 2.0), (12, 2.0), (13, 1.0)]
            .into_iter()
            .map(|(round, value)| {
                maximum.add(round, value);
                maximum.get()
            })
            .collect();
        assert_eq!(found, [5.0, 9.0, 9.0, 9.0, 9.0, 8.0, 8.0, 2.0]);
    }
}
