//! Decimation with a bounded error: a value is recorded when it has moved farther than the bound from the last recorded one.
//!
//! Read as a step function, the recorded values never differ from the true ones by more than the bound.

/// A decimated value over time.
#[derive(Clone, Copy, Debug)]
pub struct Deadband {
    bound: f64,
    written: Option<f64>,
    current: f64,
    /// Number of changes, which is the number of rows of an exact trace.
    pub changes: u64,
}

impl Deadband {
    /// Creates a value whose error may be at most `bound`.
    #[must_use]
    pub fn new(bound: f64) -> Self {
        Self { bound, written: None, current: 0.0, changes: 0 }
    }

    /// Updates the value; returns true if it must be recorded.
    #[must_use]
    #[inline]
    #[expect(clippy::float_cmp, reason = "the very same value is no change")]
    pub fn moves_to(&mut self, value: f64) -> bool {
        if self.written.is_some() && value == self.current {
            return false;
        }
        self.current = value;
        self.changes += 1;
        let moved = self.written.is_none_or(|written| (value - written).abs() > self.bound);
        if moved {
            self.written = Some(value);
        }
        moved
    }

    /// The final value of the trace, if the value was ever known.
    #[must_use]
    pub fn last(&self) -> Option<f64> {
        self.written.map(|_| self.current)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_never_further_from_the_truth_than_the_bound() {
        let mut random = 12_345_u64;
        let mut value = 0.0_f64;
        let (mut band, mut written, mut rows) = (Deadband::new(7.0), f64::NAN, 0);
        for _ in 0..100_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            value += f64::from((random >> 33) as u32 % 5) - 2.0;
            if band.moves_to(value) {
                (written, rows) = (value, rows + 1);
            }
            assert!((value - written).abs() <= 7.0, "{value} is written as {written}");
        }
        assert!(rows < band.changes / 10 && rows > 100, "{rows} rows of {} changes", band.changes);
        assert_eq!(band.last(), Some(value));
    }

    #[test]
    fn a_bound_of_nothing_writes_every_change_and_only_changes() {
        let mut band = Deadband::new(0.0);
        let written: Vec<_> =
            [1.0, 1.0, 2.0, f64::INFINITY, f64::INFINITY, 2.0].map(|value| band.moves_to(value)).into();
        assert_eq!(written, [true, false, true, true, false, true]);
        assert_eq!(band.changes, 4);
    }
}
