//! The opening of a connection, and its idle times.

use longfat_foundation::units::Time;

use super::Connection;

impl Connection {
    /// Takes the round trip of a SYN that was sent once, at `sent`.
    pub fn measure_synchronization(&mut self, sent: Time, now: Time) {
        self.note_round_trip(sent, now);
        self.law.on_opened(now, now - sent);
        self.law.set_first_window(&mut self.window);
    }

    /// Notifies the timeout estimator of a handshake whose SYN was retransmitted. By RFC 6298 (section 5.7) the backoff then ends; BSD keeps
    /// it.
    pub fn restart_timeout(&mut self) {
        self.inform(|estimator| estimator.on_opened_late());
    }

    /// Whether the connection was idle for at least one retransmission timeout, so that the window no longer reflects the path (RFC 5681
    /// section 4.1).
    #[must_use]
    pub fn is_stale(&self, now: Time) -> bool {
        let is_idle = self.highest > 0 && self.flight() == 0;
        is_idle && now >= self.clock.after(self.last_sent, self.timeout_ticks) && self.law.forgets_when_idle()
    }

    /// Halves the window for each timeout of the idle time, as Linux does (`tcp_cwnd_restart`).
    pub fn decay(&mut self, now: Time) {
        let timeout = self.clock.after(self.last_sent, self.timeout_ticks) - self.last_sent;
        self.window.decay(now - self.last_sent, timeout);
    }

    /// Doubles the timeout.
    pub fn back_off(&mut self) {
        self.inform(|estimator| estimator.on_timeout());
    }
}
