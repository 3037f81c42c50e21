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
