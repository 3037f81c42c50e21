//! Statistics of round trips.

use serde::{Serialize, Serializer};

use crate::units::{PICOSECONDS_PER_SECOND, Span};

/// Round trips measured by a sender, from the transmission of a segment to the arrival of its acknowledgment. Exact times, even though
/// timers use ticks. Without timestamps, one segment is timed at a time, and never a retransmitted one (Karn and Partridge 1987); with
/// them, every acknowledgment of new data.
///
/// As JSON, `{count, mean_s, min_s, max_s}`, with `null` if there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundTrips {
    /// Number of round trips.
    pub count: u64,
    /// Sum, each rounded down to whole nanoseconds: a sum in picoseconds would need more memory, and there is one per flow.
    sum_ns: u64,
    /// Minimum and maximum; initially the longest possible span and zero.
    shortest: Span,
    longest: Span,
}

const PICOSECONDS_PER_NANOSECOND: u64 = 1_000;

impl Default for RoundTrips {
    fn default() -> Self {
        Self { count: 0, sum_ns: 0, shortest: Span(u64::MAX), longest: Span::ZERO }
    }
}

impl RoundTrips {
    /// Adds a round trip.
    pub fn note(&mut self, round_trip: Span) {
        self.count += 1;
        self.sum_ns += round_trip.0 / PICOSECONDS_PER_NANOSECOND;
        self.shortest = self.shortest.min(round_trip);
        self.longest = self.longest.max(round_trip);
    }

    /// Mean in seconds; `None` if there is none.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a mean for reports")]
    pub fn mean_seconds(&self) -> Option<f64> {
        let nanoseconds_per_second = (PICOSECONDS_PER_SECOND / PICOSECONDS_PER_NANOSECOND) as f64;
        (self.count > 0).then(|| self.sum_ns as f64 / self.count as f64 / nanoseconds_per_second)
    }

    /// Minimum and maximum; `None` if there is none.
    #[must_use]
    pub fn extremes(&self) -> Option<(Span, Span)> {
        (self.shortest <= self.longest).then_some((self.shortest, self.longest))
    }

    /// Combined statistics of both.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        Self {
            count: self.count + other.count,
            sum_ns: self.sum_ns + other.sum_ns,
            shortest: self.shortest.min(other.shortest),
            longest: self.longest.max(other.longest),
        }
    }

    /// Restarts minimum and maximum.
    pub fn count_anew(&mut self) {
        let Self { shortest, longest, .. } = Self::default();
        (self.shortest, self.longest) = (shortest, longest);
    }

    /// Difference from `earlier`, at which minimum and maximum were restarted.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self { count: self.count - earlier.count, sum_ns: self.sum_ns - earlier.sum_ns, ..*self }
    }
}

impl Serialize for RoundTrips {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written {
            count: u64,
            mean_s: Option<f64>,
            min_s: Option<f64>,
            max_s: Option<f64>,
        }
        let extreme = |of: fn((Span, Span)) -> Span| self.extremes().map(|extremes| of(extremes).as_seconds());
        let written = Written {
            count: self.count,
            mean_s: self.mean_seconds(),
            min_s: extreme(|(shortest, _)| shortest),
            max_s: extreme(|(_, longest)| longest),
        };
        written.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(milliseconds: &[u64]) -> RoundTrips {
        let mut round_trips = RoundTrips::default();
        milliseconds.iter().for_each(|ms| round_trips.note(Span(ms * 1_000_000_000)));
        round_trips
    }

    #[test]
    fn round_trips_by_hand() {
        let written = |of: &RoundTrips| serde_json::to_value(of).unwrap();
        assert_eq!(
            written(&of(&[20, 10, 60])),
            serde_json::json!({ "count": 3, "mean_s": 0.03, "min_s": 0.01, "max_s": 0.06 })
        );
        let none = serde_json::json!({ "count": 0, "mean_s": null, "min_s": null, "max_s": null });
        assert_eq!(written(&RoundTrips::default()), none);
    }

    #[test]
    fn those_of_two_connections_are_all_of_them() {
        assert_eq!(of(&[20, 10]).and(&of(&[60])), of(&[20, 10, 60]));
        assert_eq!(of(&[20]).and(&RoundTrips::default()), of(&[20]));
    }

    #[test]
    fn what_was_added_has_a_mean_and_extremes_of_its_own() {
        let mut round_trips = of(&[10, 90]);
        let earlier = round_trips;
        round_trips.count_anew();
        [20, 40].into_iter().for_each(|ms| round_trips.note(Span(ms * 1_000_000_000)));
        assert_eq!(round_trips.since(&earlier), of(&[20, 40]));
    }
}
