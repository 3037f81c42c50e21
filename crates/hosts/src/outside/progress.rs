//! Bytes over time, in few points, however long it takes.

use longfat_foundation::units::{Span, Time};

/// Most points.
const MOST_POINTS: usize = 512;

/// Least time between two points at first: 10 ms.
const FIRST_INTERVAL: Span = Span(10_000_000_000);

/// A count that grows. When there are too many points, every other one goes, and from then on they are twice as far apart.
pub struct Progress {
    interval: Span,
    points: Vec<(Time, u64)>,
    latest: Option<(Time, u64)>,
}

impl Default for Progress {
    fn default() -> Self {
        Self { interval: FIRST_INTERVAL, points: Vec::new(), latest: None }
    }
}

impl Progress {
    /// The count is so much now.
    pub fn note(&mut self, now: Time, count: u64) {
        self.latest = Some((now, count));
        if self.points.last().is_some_and(|(time, _)| now - *time < self.interval) {
            return;
        }
        self.points.push((now, count));
        if self.points.len() > MOST_POINTS {
            let mut number = 0;
            self.points.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.interval.0 *= 2;
        }
    }

    /// The points, and the latest count.
    pub fn points(&self) -> impl Iterator<Item = (Time, u64)> {
        let last = self.points.last().copied();
        self.points.iter().copied().chain(self.latest.filter(|latest| Some(*latest) != last))
    }

    /// Bytes that are allocated.
    pub fn memory_bytes(&self) -> usize {
        self.points.capacity() * size_of::<(Time, u64)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: u64 = 1_000_000_000;

    #[test]
    fn a_minute_of_packets_becomes_some_hundred_points_that_end_with_the_last() {
        let mut progress = Progress::default();
        (0..60_000).for_each(|number| progress.note(Time(number * MILLISECOND), number));
        let points: Vec<_> = progress.points().collect();
        assert!((MOST_POINTS / 2..=MOST_POINTS + 1).contains(&points.len()), "{}", points.len());
        assert_eq!((points[0], points.last()), ((Time(0), 0), Some(&(Time(59_999 * MILLISECOND), 59_999))));
        let apart = points.windows(2).map(|pair| (pair[1].0 - pair[0].0).0);
        assert!(apart.rev().skip(1).all(|apart| apart == 160 * MILLISECOND), "evenly");
    }
}
