//! Windows that the kernel's modules compute in segments.

use super::{LinearGrowth, Window, WindowArithmetic};

/// The share that `part` of `whole` segments are, so that rounding down a share of the window gives the part.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 segments")]
pub fn share_of_segments(part: u64, whole: u64) -> f64 {
    if part >= whole { 1.0 } else { (part as f64 / whole as f64).next_up() }
}

impl Window {
    /// Slow start up to the threshold, then a segment for each window of `acknowledged` segments (Linux, `tcp_reno_cong_avoid`).
    pub fn grow_in_segments(&mut self, acknowledged: u64) {
        let rest = if self.in_slow_start() { self.start_slowly(acknowledged) } else { acknowledged };
        if rest > 0 {
            self.add_one_per(self.segments(), rest);
        }
    }

    /// Linear growth starts with the bytes beyond the threshold, if it counts bytes.
    pub fn count_beyond_threshold(&mut self) {
        self.counted = (self.cwnd - self.ssthresh).max(0.0);
    }

    /// Counts bytes, and adds so many segments when they are a window.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn count_window(&mut self, segments: f64, acknowledged: u64) {
        self.counted += acknowledged as f64;
        if self.counted >= self.cwnd {
            self.counted -= self.cwnd;
            self.add(segments * self.mss);
        }
    }

    /// Adds a linear increment in whole bytes or segments.
    #[cold]
    pub(super) fn grow_linearly_in_units(&mut self, segments: f64, acknowledged: u64, increment: f64) {
        if self.counts_windows {
            self.count_window(segments, acknowledged);
        } else if self.arithmetic == WindowArithmetic::Integer {
            self.add(self.rounded(increment));
        } else if segments == 1.0 && self.linear_growth == LinearGrowth::Acknowledged {
            self.add_one_per(self.segments(), self.in_segments(acknowledged));
        } else {
            self.grow_by_segments(increment);
        }
    }

    /// Adds the whole segments of `increment` bytes and of what is pending.
    #[cold]
    pub(super) fn grow_by_segments(&mut self, increment: f64) {
        self.pending += increment;
        let whole = (self.pending / self.mss).floor() * self.mss;
        self.pending -= whole;
        self.add(whole);
    }

    /// Bytes of so many whole segments.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 segments")]
    pub fn in_bytes(&self, segments: u64) -> u64 {
        super::whole_bytes(segments as f64 * self.mss)
    }

    /// Sets threshold and window after a loss to a number of segments, and at least two.
    pub fn reduce_to(&mut self, segments: u64) {
        self.set_threshold_segments(segments.max(2));
        self.end_growth();
        self.set_to_threshold();
    }

    /// Sets the threshold at a timeout to a number of segments, and at least two, unless a reduction for the same data came before; the
    /// window is then one segment.
    pub fn time_out_to(&mut self, segments: u64) {
        self.reduce_at_timeout(|window| window.set_threshold_segments(segments.max(2)));
        self.end_growth();
        self.collapse();
    }
}

#[cfg(test)]
mod tests {
    use crate::transport::Window;
    use crate::transport::law::test_support::law_and_window;

    fn of(segments: u64, threshold: u64) -> Window {
        let (_, mut window) = law_and_window("window_arithmetic = \"whole-segments\"");
        window.set_segments(segments);
        window.set_threshold_segments(threshold);
        window
    }

    /// 9 + 1 reach the threshold, and the second segment counts for the next window of ten.
    #[test]
    fn what_slow_start_leaves_counts_for_the_next_segment() {
        let mut window = of(9, 10);
        window.grow_in_segments(2);
        assert_eq!((window.segments(), window.credit), (10, 1));
        window.grow_in_segments(9);
        assert_eq!((window.segments(), window.credit), (11, 0));
    }

    /// 1 / 49 * 49 is less than one in floating point.
    #[test]
    fn a_share_of_segments_is_exact_when_it_is_rounded_down() {
        for whole in 2..200 {
            for part in 2..=whole {
                let mut window = of(whole, 2);
                window.reduce(super::share_of_segments(part, whole), 0);
                assert_eq!(window.threshold_segments(), part, "of {whole}");
            }
        }
    }

    #[test]
    fn no_loss_leaves_less_than_two_segments() {
        let mut window = of(9, 10);
        window.credit = 3;
        window.reduce_to(1);
        assert_eq!((window.segments(), window.threshold_segments(), window.credit), (2, 2, 0));
        window.time_out_to(0);
        assert_eq!((window.segments(), window.threshold_segments()), (1, 2));
    }
}
