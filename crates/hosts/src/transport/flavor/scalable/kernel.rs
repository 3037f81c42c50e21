//! Scalable TCP as the module of Linux 6.12 computes it (`net/ipv4/tcp_scalable.c`).

use super::Scalable;
use crate::transport::Window;
use crate::transport::law::{Progress, WindowLaw};

/// Growth and reduction in whole segments.
pub(super) struct Law {
    /// Acknowledged segments for which the window grows by one, in a window of at least as many (`TCP_SCALABLE_AI_CNT`).
    period: u64,
    settings: Scalable,
}

impl Law {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    pub fn new(settings: Scalable) -> Self {
        Self { period: (1.0 / settings.increase.0).round() as u64, settings }
    }

    /// Segments that a loss leaves; the share that it takes is rounded down.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a share of a window"
    )]
    fn left(&self, window: &Window) -> u64 {
        let segments = window.segments();
        let is_classical = segments <= self.settings.legacy_window.0;
        let taken = segments as f64 * (1.0 - self.settings.share_left(is_classical));
        segments - taken as u64
    }
}

impl WindowLaw for Law {
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if !(progress.window_is_used || window.grows_unused()) {
            return;
        }
        let acknowledged = window.in_segments(progress.acknowledged);
        let rest = if window.in_slow_start() { window.start_slowly(acknowledged) } else { acknowledged };
        if rest > 0 {
            window.add_one_per(window.segments().min(self.period), rest);
        }
    }

    fn on_loss(&mut self, window: &mut Window, _flight: u64) {
        window.reduce_to(self.left(window));
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_timeout(&mut self, window: &mut Window, _flight: u64) {
        window.time_out_to(self.left(window));
    }
}

#[cfg(test)]
mod tests {
    use crate::transport::law::test_support::Module;

    #[test]
    fn a_window_of_more_than_a_hundred_grows_for_each_hundred_segments() {
        for (segments, settings, period) in [(40, "", 40), (100, "", 100), (900, "", 100), (900, "increase = 0.02", 50)]
        {
            let mut module = Module::of("scalable", settings, segments);
            module.acknowledge(period - 1, 40_000);
            assert_eq!(module.window.segments(), segments);
            module.acknowledge(1, 40_000);
            assert_eq!(module.window.segments(), segments + 1);
        }
    }

    /// 67 - 67 / 8 = 67 - 8; the reading of the paper has 58.6.
    #[test]
    fn a_loss_takes_an_eighth_rounded_down_of_any_window() {
        assert_eq!(Module::of("scalable", "legacy_window = 1", 67).lose(), 59);
        assert_eq!(Module::of("scalable", "legacy_window = 1", 14).lose(), 13);
        assert_eq!(Module::of("scalable", "legacy_window = 16", 14).lose(), 7);
        assert_eq!(Module::of("scalable", "", 67).time_out(), 59);
    }
}
