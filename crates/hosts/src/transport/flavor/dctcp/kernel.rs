//! DCTCP as the module of Linux 6.12 computes it (`net/ipv4/tcp_dctcp.c`): the share of marks in 1024ths of segments delivered, windows in segments.

use crate::transport::Window;
use crate::transport::law::{Progress, WindowLaw};

/// A share of all (`DCTCP_MAX_ALPHA`).
const ALL: u64 = 1024;

/// Growth as in the classical law; marks reduce the window by half of the average share of marked segments.
pub(super) struct Law {
    /// The weight of a new share is 2 to minus this power (`dctcp_shift_g`).
    shift: u32,
    /// The average share of marked segments (`dctcp_alpha`).
    share: u64,
    acknowledged: u64,
    marked: u64,
    window_end: u64,
}

impl Law {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 10")]
    pub fn new(gain: f64) -> Self {
        let shift = (-libm::log2(gain)).round().clamp(0.0, 10.0) as u32;
        Self { shift, share: ALL, acknowledged: 0, marked: 0, window_end: 0 }
    }
}

impl WindowLaw for Law {
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if progress.window_is_used || window.grows_unused() {
            window.grow_in_segments(window.in_segments(progress.acknowledged));
        }
    }

    fn observes_marks(&self) -> bool {
        true
    }

    /// Ends an observation window with the acknowledgment that reaches its end (`dctcp_update_alpha`).
    fn observe_marks(&mut self, acknowledged: u64, marked: u64, unacknowledged: u64, highest: u64) {
        self.acknowledged += acknowledged;
        self.marked += marked.min(acknowledged);
        if unacknowledged < self.window_end {
            return;
        }
        let decay = self.share >> self.shift;
        self.share -= if decay == 0 { self.share } else { decay };
        if self.marked > 0 {
            let news = (self.marked << (10 - self.shift)) / self.acknowledged.max(1);
            self.share = (self.share + news).min(ALL);
        }
        (self.acknowledged, self.marked, self.window_end) = (0, 0, highest);
    }

    fn on_mark(&mut self, window: &mut Window, _flight: u64) {
        let segments = window.segments();
        window.reduce_to(segments - ((segments * self.share) >> 11));
    }

    fn on_loss(&mut self, window: &mut Window, _flight: u64) {
        window.reduce_to(window.segments() / 2);
    }

    fn on_timeout(&mut self, window: &mut Window, _flight: u64) {
        window.time_out_to(window.segments() / 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::law::test_support::Module;

    /// 1024 - 64 = 960; then 960 - 60 and of ten segments three: 3000 * 64 / 10,000 = 19.
    #[test]
    fn the_share_of_marks_is_averaged_in_1024ths() {
        let mut law = Law::new(0.0625);
        law.observe_marks(1000, 0, 1000, 10_000);
        assert_eq!(law.share, 960);
        law.observe_marks(7000, 0, 8000, 15_000);
        assert_eq!(law.share, 960, "not before the end of the window");
        law.observe_marks(3000, 3000, 10_000, 20_000);
        assert_eq!(law.share, 919);
        assert_eq!(Law::new(0.25).shift, 2);
    }

    /// Below 16 the average decays to nothing at once.
    #[test]
    fn without_marks_the_share_becomes_nothing() {
        let mut law = Law { share: 15, ..Law::new(0.0625) };
        law.observe_marks(1000, 0, 1000, 2000);
        assert_eq!(law.share, 0);
    }

    /// 45 - 45 * 200 / 2048 = 45 - 4.
    #[test]
    fn a_mark_takes_half_of_the_share_rounded_down() {
        let mut window = Module::of("dctcp", "", 45).window;
        Law { share: 200, ..Law::new(0.0625) }.on_mark(&mut window, 0);
        assert_eq!((window.segments(), window.threshold_segments()), (41, 41));
        assert_eq!(Module::of("dctcp", "", 45).lose(), 22);
    }
}
