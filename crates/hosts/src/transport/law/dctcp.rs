//! The reductions of DCTCP.

use super::{Classical, Progress, Window, WindowLaw};

/// Growth as the classical law; marks take away half of the share of marked bytes (RFC 8257 section 3.3).
pub struct Dctcp {
    gain: f64,
    /// The average share of marked bytes (alpha).
    share: f64,
    /// Bytes acknowledged in this observation window, and those of them that were marked.
    acknowledged: u64,
    marked: u64,
    /// The window ends when this is acknowledged.
    window_end: u64,
}

impl Dctcp {
    /// With this weight of a new share; the share begins at 1 (section 3.3).
    #[must_use]
    pub fn new(gain: f64) -> Self {
        Self { gain, share: 1.0, acknowledged: 0, marked: 0, window_end: 0 }
    }
}

impl WindowLaw for Dctcp {
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        Classical.on_acknowledgment(window, progress);
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        Classical.on_loss(window, flight);
    }

    fn observes_marks(&self) -> bool {
        true
    }

    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn observe_marks(&mut self, acknowledged: u64, marked: u64, unacknowledged: u64, highest: u64) {
        self.acknowledged += acknowledged;
        self.marked += marked.min(acknowledged);
        if unacknowledged > self.window_end && self.acknowledged > 0 {
            let share = self.marked as f64 / self.acknowledged as f64;
            self.share += self.gain * (share - self.share);
            (self.acknowledged, self.marked, self.window_end) = (0, 0, highest);
        }
    }

    fn on_mark(&mut self, window: &mut Window, _flight: u64) {
        window.cwnd = (window.cwnd * (1.0 - self.share / 2.0)).max(2.0 * window.mss());
        window.ssthresh = window.cwnd;
    }

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        Classical.on_timeout(window, flight);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_marked_bytes_is_averaged_once_for_a_window_of_data() {
        let mut law = Dctcp::new(0.0625);
        law.share = 0.0;
        // A window of 10 segments of 100 bytes, of which 4 are marked, ends when what follows it is acknowledged.
        law.window_end = 1000;
        (1..=10).for_each(|segment| law.observe_marks(100, if segment <= 4 { 100 } else { 0 }, 100 * segment, 2000));
        assert_eq!(law.share, 0.0, "not before all of it is acknowledged");
        law.observe_marks(100, 0, 1100, 2100);
        let share = 400.0 / 1100.0;
        assert!((law.share - 0.0625 * share).abs() < 1e-12);
        assert_eq!(law.window_end, 2100);
    }
}
