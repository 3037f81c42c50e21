//! Slow start and congestion avoidance.

use super::{LawFacts, Progress, ResponseToMarks, SlowStart, Window, WindowLaw};

/// Slow start up to the threshold, then one segment per round trip; half of the window after a loss, one segment after a timeout
/// (Jacobson 1988; UBR+ section 2; RFC 5681 section 3).
pub struct Classical;

impl Classical {
    /// Its facts.
    pub const FACTS: LawFacts = LawFacts {
        slow_start: SlowStart::Doubles,
        ends_slow_start: false,
        has_reno_response: true,
        marks: ResponseToMarks::AsLoss,
        observes_deliveries: false,
        is_paced: false,
        leaves_pipe_idle: false,
        shrinks_without_loss: false,
    };
}

impl WindowLaw for Classical {
    fn grows_classically(&self) -> bool {
        true
    }

    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if progress.window_is_used || window.grows_unused() {
            window.grow_classically(progress.acknowledged);
        }
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        window.halve(flight);
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        window.halve_threshold_at_timeout(flight);
        window.collapse();
    }
}
