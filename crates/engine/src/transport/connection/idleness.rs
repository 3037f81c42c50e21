//! When nothing is under way: at the beginning, and in pauses.

use super::Connection;
use crate::units::Time;

impl Connection {
    /// A synchronizing segment sent at `sent`, and only then, has been answered.
    pub fn measure_synchronization(&mut self, sent: Time, now: Time) {
        self.note_round_trip(sent, now);
    }

    /// Whether nothing is under way and nothing was sent for a whole timeout (RFC 5681 section 4.1).
    #[must_use]
    pub fn has_been_idle(&self, now: Time) -> bool {
        self.highest > 0 && self.flight() == 0 && now >= self.clock.after(self.last_sent, self.timeout_ticks)
    }

    /// Doubles the timeout.
    pub fn back_off(&mut self) {
        self.inform(|estimator| estimator.on_timeout());
    }
}
