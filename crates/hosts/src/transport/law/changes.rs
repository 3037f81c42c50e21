//! When a path changes that does so again and again, as paths over satellites do.

use longfat_foundation::units::Span;

use super::microseconds;

/// The first change, and one in each period after it, in microseconds.
#[derive(Clone, Copy, Debug)]
pub struct Changes {
    first: u64,
    period: u64,
}

impl Changes {
    /// Changes every `period` (not 0), first after `offset`, or after a period if that is 0.
    #[must_use]
    pub fn new(offset: Span, period: Span) -> Self {
        let [offset, period] = [offset, period].map(microseconds);
        let period = period.max(1);
        Self { first: if offset == 0 { period } else { offset }, period }
    }

    /// True from `before` ahead of a change for `length`, both ends included; times in microseconds.
    #[must_use]
    pub fn is_about(&self, time: u64, before: Span, length: Span) -> bool {
        let since = (time + microseconds(before)).checked_sub(self.first);
        since.is_some_and(|since| since % self.period <= microseconds(length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: u64 = 1000;

    fn about(offset_ms: u64, times_ms: &[u64]) -> Vec<u64> {
        let span = |milliseconds| Span::from_microseconds(MILLISECOND * milliseconds);
        let changes = Changes::new(span(offset_ms), span(15_000));
        let is_about = |time: &&u64| changes.is_about(MILLISECOND * **time, span(500), span(2300));
        times_ms.iter().filter(is_about).copied().collect()
    }

    #[test]
    fn a_time_is_about_a_change_from_before_it_for_a_length() {
        let times = [0, 1000, 11_499, 11_500, 12_000, 13_800, 13_801, 26_499, 26_500, 28_800, 28_801];
        assert_eq!(about(12_000, &times), [11_500, 12_000, 13_800, 26_500, 28_800]);
    }

    #[test]
    fn the_start_is_no_change_and_the_first_may_be_later_than_a_period() {
        assert_eq!(about(0, &[0, 500, 14_499, 14_500, 16_800, 16_801]), [14_500, 16_800]);
        assert_eq!(about(20_000, &[5000, 19_500, 35_000]), [19_500, 35_000]);
    }
}
