//! Bytes sent and delivered, counted in bins of equal time.

use std::collections::VecDeque;

use longfat_foundation::units::{Span, Time};

use crate::transport::law::Progress;

/// All bytes sent and delivered until the end of each of the latest bins.
pub(super) struct Bins {
    /// Length of a bin (`BIN_DURATION`), and the end of the present one (`bin_end`).
    length: Span,
    ends: Time,
    /// Number of the latest bin that has ended (`curr_idx`).
    current: u64,
    /// Number of bins kept before the latest.
    kept: usize,
    /// Bytes sent and delivered at the end of each, the latest first.
    ends_of_bins: VecDeque<(u64, u64)>,
}

impl Bins {
    /// Begins the first bin, of this length; counts `kept` bins back.
    pub fn begin(length: Span, kept: u64, progress: &Progress) -> Self {
        let kept = usize::try_from(kept).unwrap_or(usize::MAX);
        let counts = (progress.highest, progress.unacknowledged);
        Self { length, ends: progress.now + length, current: 0, kept: kept + 1, ends_of_bins: VecDeque::from([counts]) }
    }

    /// Length of a bin.
    pub fn length(&self) -> Span {
        self.length
    }

    /// Number of the latest bin that has ended.
    pub fn current(&self) -> u64 {
        self.current
    }

    /// How far back the counts go, in bins.
    #[expect(clippy::cast_precision_loss, reason = "a few thousand bins")]
    pub fn most_back(&self) -> f64 {
        (self.ends_of_bins.len() - 1) as f64
    }

    /// Takes an acknowledgment; returns how many bins have ended with it, if any (`update_bins`). Bins without an acknowledgment have the
    /// counts of the one before.
    pub fn note(&mut self, progress: &Progress) -> Option<u64> {
        if progress.now <= self.ends {
            return None;
        }
        let passed = (progress.now - self.ends).0 / self.length.0 + 1;
        self.ends += Span(passed * self.length.0);
        self.current += passed;
        let before = self.ends_of_bins[0];
        // More of them than are kept make no difference.
        (1..passed.min(self.kept as u64 + 1)).for_each(|_| self.ends_of_bins.push_front(before));
        self.ends_of_bins.push_front((progress.highest, progress.unacknowledged));
        self.ends_of_bins.truncate(self.kept + 1);
        Some(passed)
    }

    /// All bytes sent until so many bins before the end of the latest, interpolated between bins.
    pub fn sent(&self, back: f64) -> f64 {
        self.at(back, |counts| counts.0)
    }

    /// All bytes delivered until so many bins before the end of the latest, interpolated between bins.
    pub fn delivered(&self, back: f64) -> f64 {
        self.at(back, |counts| counts.1)
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and a few thousand")]
    #[expect(clippy::cast_precision_loss, reason = "bytes of a run are far below 2^53")]
    fn at(&self, back: f64, count: impl Fn((u64, u64)) -> u64) -> f64 {
        let of = |index: usize| count(self.ends_of_bins.get(index).copied().unwrap_or_default()) as f64;
        let (index, fraction) = (back.floor() as usize, back.fract());
        if fraction == 0.0 { of(index) } else { of(index) * (1.0 - fraction) + of(index + 1) * fraction }
    }
}
