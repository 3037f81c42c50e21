//! How late the machine wakes the loop: as long before something is due the loop ends its sleep.

use longfat_engine::units::Span;

/// Change of the margin after a sleep that lasted beyond it.
const STEP: Span = Span(5_000_000);

/// Sleeps within the margin for each that lasts beyond it. After each of them the margin is smaller by this part of a step, so it follows a
/// quantile: one long pause of the machine does not count more than a short one.
const SLEEPS_WITHIN: u64 = 49;

/// Largest margin: what is longer is no waking, but a processor that is somewhere else.
const LARGEST: Span = Span(400_000_000);

/// The margin, which follows what sleeps have lasted beyond their end.
pub struct Waking {
    least: Span,
    margin: Span,
}

impl Waking {
    /// A margin that is never below `least`.
    pub fn new(least: Span) -> Self {
        Self { least, margin: least }
    }

    /// Time before something is due at which a sleep ends.
    pub fn margin(&self) -> Span {
        self.margin.max(self.least)
    }

    /// A sleep lasted so much longer than it should.
    pub fn note(&mut self, late: Span) {
        self.margin = if late > self.margin {
            Span(self.margin.0 + STEP.0).min(LARGEST)
        } else {
            Span(self.margin.0.saturating_sub(STEP.0 / SLEEPS_WITHIN))
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MICROSECOND: u64 = 1_000_000;

    /// Margin after many sleeps that are late by 0 to 99 us in turn, and one in 500 by 10 ms.
    fn after_many(least: u64) -> u64 {
        let mut waking = Waking::new(Span(least * MICROSECOND));
        for number in 0..50_000 {
            let late = if number % 500 == 0 { 10_000 } else { number * 37 % 100 };
            waking.note(Span(late * MICROSECOND));
        }
        waking.margin().0 / MICROSECOND
    }

    #[test]
    fn the_margin_is_what_one_sleep_in_fifty_exceeds() {
        assert!((90..=115).contains(&after_many(0)), "{}", after_many(0));
    }

    #[test]
    fn the_margin_is_not_below_the_least_one_nor_above_the_largest() {
        assert_eq!(after_many(200), 200);
        let mut waking = Waking::new(Span::ZERO);
        (0..1000).for_each(|_| waking.note(Span(9_000 * MICROSECOND)));
        assert_eq!(waking.margin(), LARGEST);
    }
}
