//! Zero-window probes (RFC 9293 section 3.8.6.1).

use longfat_foundation::units::Time;

use super::Connection;
use crate::transport::Segment;
use crate::transport::rto::TimeoutEstimator;

impl Connection {
    /// Whether only a window update, which may get lost, would let the connection send: nothing is in flight and the receiver window has
    /// no room for the next segment.
    #[must_use]
    pub fn is_shut_out(&self) -> bool {
        let is_at_rest = self.flight() == 0 && self.next == self.highest && self.has_waiting_data();
        is_at_rest && self.next_at_once(self.window.receiver_window()).is_none()
    }

    /// Sends a window probe, with exponential backoff: the last acknowledged byte again, which makes the receiver acknowledge (Linux,
    /// `tcp_xmit_probe_skb`).
    pub fn probe_window(&mut self, now: Time) {
        self.back_off();
        self.timed = None;
        // Byte 0 cannot be probed with; the initial window always has room for one segment.
        if let Some(sequence) = self.unacknowledged.checked_sub(1) {
            self.statistics.window_probes += 1;
            self.outbox.push(Segment { sequence, length: 1, again: true, synchronize: false, reduced: false });
        }
        self.expires_alike_until = Time::ZERO;
        self.restart_timer(now);
    }

    /// Handles a larger receiver window. If nothing is in flight the timer was one of probes, whose backoff does not apply to data.
    pub fn open_window(&mut self) {
        if self.flight() == 0 {
            self.stop_timer();
            self.inform(|estimator: &mut dyn TimeoutEstimator| estimator.end_backoff());
        }
    }
}
