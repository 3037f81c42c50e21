//! Changes in CUBIC around handovers that are known beforehand ([`satcp`](super::super::satcp)).

use longfat_foundation::units::{Span, Time};

use crate::transport::law::{Changes, microseconds};

/// When losses are taken for those of a handover, and what follows.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Inhibition {
    pub changes: Changes,
    /// How long before a handover it begins, and how long it lasts.
    pub earlier: Span,
    pub duration: Span,
    /// The time back to the maximum is divided by this.
    pub divisor: u64,
}

impl Inhibition {
    pub fn holds(&self, now: Time) -> bool {
        self.changes.is_about(microseconds(now - Time::ZERO), self.earlier, self.duration)
    }

    /// Rest of a time back to the maximum: the module subtracts eight ninths, rounded down.
    pub fn shortened(&self, time: u64) -> u64 {
        time - time * (self.divisor - 1) / self.divisor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K of a loss at 100 segments is 4316 1024ths of a second; 4316 * 8 / 9 is 3836.
    #[test]
    fn a_ninth_is_left_rounded_up() {
        let left = |divisor| {
            let (second, changes) = (Span::from_microseconds(1_000_000), Changes::new(Span::ZERO, Span(1)));
            Inhibition { changes, earlier: second, duration: second, divisor }.shortened(4316)
        };
        assert_eq!([1, 2, 9, 100_000].map(left), [4316, 2158, 480, 1]);
    }
}
