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

    /// Forgets all samples but this one.
    pub fn reset(&mut self, round: u64, value: f64) {
        self.samples.clear();
        self.add(round, value);
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

/// Maximum of the samples of the latest rounds from the three best of them, as Linux estimates it (`minmax_running_max` of
/// `lib/win_minmax.c`): a sample counts for one round longer, and what follows it may be less than the largest since.
#[derive(Clone, Copy, Debug)]
pub struct RunningMaximum {
    length: u64,
    /// The maximum, and the best of the second and third choices, each with its round.
    best: [(u64, f64); 3],
}

impl RunningMaximum {
    /// A filter over `length` rounds.
    #[must_use]
    pub fn new(length: u64) -> Self {
        Self { length, best: [(0, 0.0); 3] }
    }

    /// The maximum, 0 before the first sample.
    #[must_use]
    pub fn get(&self) -> f64 {
        self.best[0].1
    }

    /// Forgets all samples but this one (`minmax_reset`).
    pub fn reset(&mut self, round: u64, value: f64) {
        self.best = [(round, value); 3];
    }

    /// Adds a sample of a round, which is not before the round of the previous sample.
    pub fn add(&mut self, round: u64, value: f64) {
        let sample = (round, value);
        if value >= self.best[0].1 || round - self.best[2].0 > self.length {
            self.reset(round, value);
            return;
        }
        if value >= self.best[1].1 {
            (self.best[1], self.best[2]) = (sample, sample);
        } else if value >= self.best[2].1 {
            self.best[2] = sample;
        }
        self.renew(sample);
    }

    /// Replaces choices that are too old, or that are all of one time.
    fn renew(&mut self, sample: (u64, f64)) {
        let [first, second, third] = self.best.map(|best| best.0);
        let age = sample.0 - first;
        if age > self.length {
            self.best = [self.best[1], self.best[2], sample];
            if sample.0 - self.best[0].0 > self.length {
                self.best = [self.best[1], self.best[2], sample];
            }
        } else if second == first && age > self.length / 4 {
            (self.best[1], self.best[2]) = (sample, sample);
        } else if third == second && age > self.length / 2 {
            self.best[2] = sample;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With ten rounds: the 9 of round 1 counts to round 11. The 7 of round 2 is too young to be a second choice, the 6 of round 4 is more
    /// than 10 / 4 rounds younger than the 9; the 5 of round 7, more than 10 / 2, is the third.
    #[test]
    fn the_running_maximum_knows_the_best_of_three_parts_of_its_window() {
        let mut maximum = RunningMaximum::new(10);
        let samples = [(1, 9.0), (2, 7.0), (4, 6.0), (7, 5.0), (11, 1.0), (12, 2.0), (15, 3.0), (18, 1.0), (30, 0.5)];
        let found = samples.map(|(round, value)| {
            maximum.add(round, value);
            maximum.get()
        });
        assert_eq!(found, [9.0, 9.0, 9.0, 9.0, 9.0, 6.0, 5.0, 3.0, 0.5]);
    }

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
