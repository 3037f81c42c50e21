//! When nothing is under way: at the beginning, and in pauses.

use longfat_foundation::units::Time;

use super::Connection;

impl Connection {
    /// A synchronizing segment sent at `sent`, and only then, has been answered.
    pub fn measure_synchronization(&mut self, sent: Time, now: Time) {
        self.note_round_trip(sent, now);
        self.law.on_opened(now, now - sent);
    }

    /// The timer had to send the synchronizing segment again: what it was doubled by is none of the data's.
    pub fn restart_timeout(&mut self) {
        self.inform(|estimator| estimator.on_opened_late());
    }

    /// Whether nothing is under way and nothing was sent for a whole timeout, so that the window says nothing of the path any more (RFC
    /// 5681 section 4.1).
    #[must_use]
    pub fn is_stale(&self, now: Time) -> bool {
        let is_idle = self.highest > 0 && self.flight() == 0;
        is_idle && now >= self.clock.after(self.last_sent, self.timeout_ticks) && self.law.forgets_when_idle()
    }

    /// What a stale window has lost in the pause, timeout by timeout.
    pub fn decay(&mut self, now: Time) {
        let timeout = self.clock.after(self.last_sent, self.timeout_ticks) - self.last_sent;
        self.window.decay(now - self.last_sent, timeout);
    }

    /// Doubles the timeout.
    pub fn back_off(&mut self) {
        self.inform(|estimator| estimator.on_timeout());
    }
}
