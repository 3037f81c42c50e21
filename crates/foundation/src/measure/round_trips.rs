//! Round trips in numbers.

use serde::{Serialize, Serializer};

use crate::units::{PICOSECONDS_PER_SECOND, Span};

/// Round trips that a sender has measured, from when a segment is sent to when its acknowledgment comes: exact times, though timers go by
/// ticks. Without timestamps of one segment at a time, with them of every acknowledgment of new data; never of one that was sent again
/// without them (Karn and Partridge 1987).
///
/// As JSON `{count, mean_s, min_s, max_s}`, `null` where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundTrips {
    /// How many.
    pub count: u64,
    /// All of them together, each in whole nanoseconds, rounded down: picoseconds would need more room, of which there is one for each
    /// of many short flows.
    sum_ns: u64,
    /// The longest possible, and zero, where there is none.
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
    /// Counts one.
    pub fn note(&mut self, round_trip: Span) {
        self.count += 1;
        self.sum_ns += round_trip.0 / PICOSECONDS_PER_NANOSECOND;
        self.shortest = self.shortest.min(round_trip);
        self.longest = self.longest.max(round_trip);
    }

    /// The mean in seconds, if there is any.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a mean for reports")]
    pub fn mean_seconds(&self) -> Option<f64> {
        let nanoseconds_per_second = (PICOSECONDS_PER_SECOND / PICOSECONDS_PER_NANOSECOND) as f64;
        (self.count > 0).then(|| self.sum_ns as f64 / self.count as f64 / nanoseconds_per_second)
    }

    /// The shortest and the longest, if there is any.
    #[must_use]
    pub fn extremes(&self) -> Option<(Span, Span)> {
        (self.shortest <= self.longest).then_some((self.shortest, self.longest))
    }

    /// Those of both.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        Self {
            count: self.count + other.count,
            sum_ns: self.sum_ns + other.sum_ns,
            shortest: self.shortest.min(other.shortest),
            longest: self.longest.max(other.longest),
        }
    }

    /// From now on the shortest and the longest are those to come.
    pub fn count_anew(&mut self) {
        let Self { shortest, longest, .. } = Self::default();
        (self.shortest, self.longest) = (shortest, longest);
    }

    /// What was added since `earlier`, when the extremes were counted anew.
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
