//! What a sender does when its receiver has no room: it asks (RFC 9293 section 3.8.6.1).

use longfat_foundation::units::Time;

use super::Connection;
use crate::transport::Segment;
use crate::transport::rto::TimeoutEstimator;

impl Connection {
    /// Whether nothing is under way and the receiver has room for nothing that there is to send: nothing but an update of its window
    /// would let anything go, and that may get lost.
    #[must_use]
    pub fn is_shut_out(&self) -> bool {
        let is_at_rest = self.flight() == 0 && self.next == self.highest && self.has_waiting_data();
        is_at_rest && self.next_at_once(self.window.receiver_window()).is_none()
    }

    /// The timer has expired while [shut out](Self::is_shut_out): asks for the window with the last byte that was acknowledged, which the
    /// receiver acknowledges again (Linux, `tcp_xmit_probe_skb`), at intervals that double.
    pub fn probe_window(&mut self, now: Time) {
        self.back_off();
        self.timed = None;
        // The first window has room for a segment.
        if let Some(sequence) = self.unacknowledged.checked_sub(1) {
            self.statistics.window_probes += 1;
            self.outbox.push(Segment { sequence, length: 1, again: true, synchronize: false, reduced: false });
        }
        self.expires_alike_until = Time::ZERO;
        self.restart_timer(now);
    }

    /// The receiver has more room: if that was all that was waited for, the timer was one of probes, whose intervals say nothing of the path.
    pub fn open_window(&mut self) {
        if self.flight() == 0 {
            self.stop_timer();
            self.inform(|estimator: &mut dyn TimeoutEstimator| estimator.end_backoff());
        }
    }
}
