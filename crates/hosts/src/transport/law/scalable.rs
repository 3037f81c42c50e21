//! The window of Scalable TCP (Kelly 2003, "Scalable TCP: improving performance in highspeed wide area networks").

use super::{Classical, Progress, Window, WindowLaw};

/// Its parameters.
#[derive(Clone, Copy, Debug)]
pub struct ScalableConstants {
    /// Segments that each acknowledgment adds (`a`).
    pub increase: f64,
    /// The share of the window that a loss takes (`b`).
    pub decrease: f64,
    /// Up to this window, in segments, it is the classical law (`lwnd`).
    pub legacy_window: f64,
}

/// Growth and reduction in proportion to the window.
pub struct Scalable(pub ScalableConstants);

impl Scalable {
    fn is_classical(&self, window: &Window) -> bool {
        window.cwnd <= self.0.legacy_window * window.mss()
    }

    /// What a loss leaves of the window.
    fn share_left(&self, window: &Window) -> f64 {
        if self.is_classical(window) { 0.5 } else { 1.0 - self.0.decrease }
    }
}

impl WindowLaw for Scalable {
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if window.in_slow_start() || self.is_classical(window) {
            Classical.on_acknowledgment(window, progress);
        } else if progress.window_is_used || window.grows_unused() {
            let segments = window.cwnd / window.mss();
            window.grow_linearly_by(self.0.increase * segments, progress.acknowledged);
        }
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        window.reduce(self.share_left(window), flight);
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        window.reduce_threshold_at_timeout(self.share_left(window), flight);
        window.collapse();
    }
}
