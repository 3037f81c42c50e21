//! Smoothed round trip without ticks.

use longfat_foundation::units::Span;

/// Smoothed round trip (`SRTT` of RFC 6298 section 2) at the full resolution of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SmoothedRoundTrip(Option<Span>);

impl SmoothedRoundTrip {
    /// Records a measured round trip.
    pub fn note(&mut self, sample: Span) {
        self.0 = Some(self.0.map_or(sample, |before| Span(before.0 - before.0 / 8 + sample.0 / 8)));
    }

    /// The smoothed round trip; `None` before the first measurement.
    #[must_use]
    pub fn get(self) -> Option<Span> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_are_smoothed_by_eighths() {
        let milliseconds = |number: u64| Span::from_microseconds(1000 * number);
        let mut average = SmoothedRoundTrip::default();
        assert_eq!(average.get(), None);
        average.note(milliseconds(100));
        assert_eq!(average.get(), Some(milliseconds(100)));
        average.note(milliseconds(180));
        assert_eq!(average.get(), Some(milliseconds(110)), "7/8 of 100 ms and 1/8 of 180 ms");
    }
}
