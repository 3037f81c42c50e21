//! Mergeable histograms of times: exact over connections, runs and machines, in any order.

use serde::ser::SerializeTuple;
use serde::{Serialize, Serializer};

use crate::units::Span;

const PICOSECONDS_PER_MICROSECOND: u64 = 1_000_000;

const MICROSECONDS_PER_SECOND: f64 = 1e6;

/// Number of equal bins per power of two.
const BINS_PER_OCTAVE: u64 = 128;

/// A histogram of times on a fixed grid.
///
/// Times count in whole microseconds, rounded down. Below 128 us each has a bin of its own; above, every power of two is divided into 128
/// bins of equal width (the log-linear bins of `HdrHistogram`). So the middle of a bin is within 1/256, or 0.4 %, of everything in it.
/// Because the grid is fixed, merging adds counts: the result is exactly the histogram of all times together, in any order. Count, sum,
/// minimum and maximum are exact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    count: u64,
    sum_us: u64,
    /// Minimum and maximum, unless empty.
    extremes: Option<(u64, u64)>,
    /// Number of the bin of the minimum; counts of the bins from there to that of the maximum.
    first: usize,
    counts: Vec<u64>,
}

impl Histogram {
    /// Counts a time.
    pub fn record(&mut self, time: Span) {
        let microseconds = time.0 / PICOSECONDS_PER_MICROSECOND;
        self.count += 1;
        self.sum_us += microseconds;
        self.widen(microseconds, microseconds);
        let number = number_of(microseconds);
        match self.counts.get_mut(number.wrapping_sub(self.first)) {
            Some(count) => *count += 1,
            None => {
                let place = self.reach(number, number);
                self.counts[place] += 1;
            }
        }
    }

    /// Makes room for the bins from number `first` to `last`. Returns the place of the first of them.
    #[inline(never)]
    fn reach(&mut self, first: usize, last: usize) -> usize {
        if self.counts.is_empty() {
            self.first = first;
        }
        let below = self.first.saturating_sub(first);
        self.counts.splice(0..0, std::iter::repeat_n(0, below));
        self.first -= below;
        self.counts.resize(self.counts.len().max(last + 1 - self.first), 0);
        first - self.first
    }

    /// The nonempty bins in ascending order: the lower edge in microseconds, and the count.
    fn bins(&self) -> impl Iterator<Item = (u64, u64)> {
        let all = (self.first..).zip(&self.counts);
        all.filter(|(_, count)| **count > 0).map(|(number, &count)| (lower_edge(number), count))
    }

    /// Adds another histogram.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum_us += other.sum_us;
        let Some((smallest, largest)) = other.extremes else { return };
        self.widen(smallest, largest);
        let place = self.reach(other.first, other.first + other.counts.len() - 1);
        for (all, count) in self.counts[place..].iter_mut().zip(&other.counts) {
            *all += count;
        }
    }

    /// Number of times.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Mean in seconds; `None` if empty.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a mean for reports")]
    pub fn mean_seconds(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_us as f64 / self.count as f64 / MICROSECONDS_PER_SECOND)
    }

    /// The `share`-quantile in seconds, `None` if empty: the middle of its bin, clamped to the minimum and maximum.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts for reports")]
    pub fn quantile_seconds(&self, share: f64) -> Option<f64> {
        let wanted = share * self.count as f64;
        let mut reached = 0;
        let bin = self.bins().find(|(_, count)| {
            reached += *count;
            reached as f64 >= wanted
        });
        let (lower, upper) = bin_of(bin?.0);
        let (smallest, largest) = self.extremes?;
        let middle = (lower + upper - 1) as f64 / 2.0;
        Some(middle.clamp(smallest as f64, largest as f64) / MICROSECONDS_PER_SECOND)
    }

    fn widen(&mut self, smallest: u64, largest: u64) {
        let (low, high) = self.extremes.unwrap_or((smallest, largest));
        self.extremes = Some((low.min(smallest), high.max(largest)));
    }
}

/// Binary logarithm of the width of the bin of a time.
#[inline]
fn octave_of(microseconds: u64) -> u32 {
    (microseconds | 1).ilog2().saturating_sub(BINS_PER_OCTAVE.ilog2())
}

/// Number of the bin of a time, counted from zero.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "there are 7,424 bins")]
fn number_of(microseconds: u64) -> usize {
    let octave = octave_of(microseconds);
    (u64::from(octave) * BINS_PER_OCTAVE + (microseconds >> octave)) as usize
}

/// Lower edge of a bin, in microseconds.
fn lower_edge(number: usize) -> u64 {
    let octave = (number as u64 / BINS_PER_OCTAVE).saturating_sub(1);
    (number as u64 - octave * BINS_PER_OCTAVE) << octave
}

/// Bin of a time: its lower edge and that of the next bin, in microseconds.
#[must_use]
pub fn bin_of(microseconds: u64) -> (u64, u64) {
    let width = 1 << octave_of(microseconds);
    let lower = microseconds / width * width;
    (lower, lower.saturating_add(width))
}

/// A bin in its serialized form `[lower edge, upper edge, count]`, which readers understand without knowing the grid.
struct Bin(u64, u64);

impl Serialize for Bin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (lower, upper) = bin_of(self.0);
        let mut bin = serializer.serialize_tuple(3)?;
        [lower, upper, self.1].iter().try_for_each(|number| bin.serialize_element(number))?;
        bin.end()
    }
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written {
            count: u64,
            sum_us: u64,
            min_us: Option<u64>,
            max_us: Option<u64>,
            bins_us: Vec<Bin>,
        }
        let written = Written {
            count: self.count,
            sum_us: self.sum_us,
            min_us: self.extremes.map(|(smallest, _)| smallest),
            max_us: self.extremes.map(|(_, largest)| largest),
            bins_us: self.bins().map(|(lower, count)| Bin(lower, count)).collect(),
        };
        written.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(microseconds: &[u64]) -> Histogram {
        let mut histogram = Histogram::default();
        microseconds.iter().for_each(|us| histogram.record(Span(us * PICOSECONDS_PER_MICROSECOND)));
        histogram
    }

    #[test]
    fn the_bins_by_hand() {
        assert_eq!([0, 1, 127].map(bin_of), [(0, 1), (1, 2), (127, 128)]);
        assert_eq!([128, 255].map(bin_of), [(128, 129), (255, 256)]);
        assert_eq!([256, 257, 258, 511].map(bin_of), [(256, 258), (256, 258), (258, 260), (510, 512)]);
        assert_eq!(bin_of(1_000_000), (999_424, 1_003_520));
        assert_eq!(bin_of(u64::MAX).1, u64::MAX);
    }

    #[test]
    fn quantiles_are_the_middles_of_the_bins_that_they_are_in() {
        let times = of(&[1, 2, 3, 4, 300]);
        assert_eq!(times.quantile_seconds(0.5), Some(3e-6));
        assert_eq!(times.quantile_seconds(0.8), Some(4e-6));
        assert_eq!(of(&[300, 302]).quantile_seconds(0.5), Some(300.5e-6), "300 and 301 share a bin");
        assert_eq!(times.quantile_seconds(0.95), Some(300e-6), "no time was longer");
        assert_eq!(of(&[301, 301]).quantile_seconds(0.5), Some(301e-6), "or shorter");
        assert_eq!(times.mean_seconds(), Some(62e-6));
        assert_eq!((of(&[]).quantile_seconds(0.5), of(&[]).mean_seconds()), (None, None));
    }

    #[test]
    fn it_is_written_with_the_edges_of_its_bins() {
        let written = serde_json::to_string(&of(&[300, 5, 301])).expect("a histogram is JSON");
        let expected = r#"{"count":3,"sum_us":606,"min_us":5,"max_us":301,"bins_us":[[5,6,1],[300,302,2]]}"#;
        assert_eq!(written, expected);
        let nothing = r#"{"count":0,"sum_us":0,"min_us":null,"max_us":null,"bins_us":[]}"#;
        assert_eq!(serde_json::to_string(&Histogram::default()).expect("JSON"), nothing);
    }

    proptest! {
        #[test]
        fn every_time_is_in_its_bin_and_within_a_256th_of_the_middle(time in prop_oneof![0..1000_u64, any::<u64>()]) {
            let (lower, upper) = bin_of(time);
            prop_assert!(lower <= time && (time < upper || upper == u64::MAX), "{lower}..{upper}");
            let (distance, half) = (u128::from(upper - lower), 2 * 128_u128);
            prop_assert!(upper - lower == 1 || distance * half <= 2 * u128::from(time), "{lower}..{upper}");
            prop_assert_eq!(lower_edge(number_of(time)), lower);
        }

        #[test]
        fn the_bins_cover_all_times_without_a_gap(time in 0..u64::MAX / 2) {
            let (lower, upper) = bin_of(time);
            prop_assert_eq!(bin_of(upper).0, upper, "the next bin begins where this one ends");
            prop_assert_eq!(bin_of(upper - 1), (lower, upper));
        }

        #[test]
        fn a_merged_histogram_is_that_of_all_times_together(
            first in prop::collection::vec(0..100_000_000_u64, 0..50),
            second in prop::collection::vec(0..100_000_000_u64, 0..50),
        ) {
            let mut merged = of(&first);
            merged.merge(&of(&second));
            prop_assert_eq!(&merged, &of(&[first.clone(), second.clone()].concat()));
            let mut other_way = of(&second);
            other_way.merge(&of(&first));
            prop_assert_eq!(merged, other_way);
        }
    }
}
