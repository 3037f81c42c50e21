//! Undoing a reduction that was needless (`tcp_may_undo`, `tcp_undo_cwnd_reduction`; RFC 3522, RFC 3708).

use longfat_foundation::units::{Span, Time};

use crate::transport::Connection;

/// Resolution of the timestamps that the kernel sends.
const TIMESTAMP: Span = Span::from_microseconds(1000);

/// Knowledge of the latest reduction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Undo {
    /// Whether a reduction may be undone (`undo_marker`).
    is_open: bool,
    /// Retransmissions since the reduction that no duplicate has answered (`undo_retrans`); `None` if nothing was retransmitted.
    unanswered: Option<u64>,
    /// Time of the first retransmission (`retrans_stamp`).
    retransmitted: Option<Time>,
    /// Window and threshold to return to (`prior_cwnd`, `prior_ssthresh`).
    before: Option<(f64, f64)>,
}

impl Undo {
    /// Starts with `outstanding` segments retransmitted and not yet delivered (`tcp_init_undo`). The time of the first retransmission stays: a
    /// recovery that follows another at once repairs what that one began to repair.
    pub fn begin(&mut self, outstanding: u64) {
        let unanswered = (outstanding > 0).then_some(outstanding);
        *self = Self { is_open: true, unanswered, before: None, ..*self };
    }

    /// Forgets the first retransmission, since nothing was lost before this acknowledgment.
    pub fn forget_retransmissions(&mut self) {
        self.retransmitted = None;
    }

    /// Remembers the window before a reduction (`tcp_current_ssthresh`).
    pub fn remember(&mut self, connection: &Connection) {
        self.before = Some(present(connection.window.cwnd, connection.window.ssthresh));
    }

    /// Remembers the window before a timeout.
    pub fn remember_timeout(&mut self, connection: &Connection) {
        let (cwnd, ssthresh) = connection.window.before_timeout();
        self.before = Some(present(cwnd, ssthresh));
    }

    /// Records a retransmission.
    pub fn note_retransmission(&mut self, now: Time) {
        self.retransmitted.get_or_insert(now);
        self.unanswered = Some(self.unanswered.unwrap_or(0) + 1);
    }

    /// Records that a duplicate was reported.
    pub fn note_duplicate(&mut self) {
        if self.is_open {
            self.unanswered = self.unanswered.map(|unanswered| unanswered.saturating_sub(1));
        }
    }

    /// Whether the segment that an acknowledgment answers was sent before the first retransmission (`tcp_packet_delayed`).
    pub fn was_delayed(&self, echoed: Option<Time>) -> bool {
        let tick = |time: Time| time.0 / TIMESTAMP.0;
        let precedes = |first: Time| echoed.is_some_and(|echoed| tick(echoed) < tick(first));
        self.is_open && self.retransmitted.is_none_or(precedes)
    }

    /// Whether duplicates were reported for all retransmissions (`tcp_try_undo_dsack`).
    pub fn is_answered(&self) -> bool {
        self.is_open && self.unanswered == Some(0)
    }

    /// Whether the reduction was needless.
    pub fn is_due(&self, echoed: Option<Time>) -> bool {
        self.is_answered() || self.was_delayed(echoed)
    }

    /// Returns to the window before the reduction.
    pub fn apply(&mut self, connection: &mut Connection) {
        if let Some((cwnd, ssthresh)) = self.before {
            connection.undo_reduction(cwnd);
            connection.window.ssthresh = connection.window.ssthresh.max(ssthresh);
        }
        self.is_open = false;
    }
}

/// A window and the threshold that it stands for: three quarters of it at least.
fn present(cwnd: f64, ssthresh: f64) -> (f64, f64) {
    (cwnd, ssthresh.max(0.75 * cwnd))
}
