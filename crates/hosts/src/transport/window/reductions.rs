//! Reductions of window and threshold: losses, marks, timeouts and pauses, and the inflation of fast recovery.

use longfat_foundation::units::Span;

use super::{ThresholdRule, TimeoutKind, Window, WindowAfterLoss};

impl Window {
    /// Sets ssthresh to half of the window or flight, by `ssthresh_rule`, and at least two segments (T-05).
    pub fn halve_threshold(&mut self, flight: u64) {
        self.reduce_threshold(0.5, flight);
    }

    /// Sets ssthresh to `share` of the window or flight, by `ssthresh_rule`, and at least two segments.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    pub fn reduce_threshold(&mut self, share: f64, flight: u64) {
        let left = match self.threshold_rule {
            ThresholdRule::AsPrinted | ThresholdRule::ByFlavor => (self.cwnd * share).min(self.receiver_window),
            ThresholdRule::Bsd => (self.cwnd.min(self.receiver_window) * share / self.mss).floor() * self.mss,
            ThresholdRule::FlightSize => flight as f64 * share,
            ThresholdRule::CongestionWindow => self.cwnd * share,
        };
        self.ssthresh = self.rounded(left).max(2.0 * self.mss);
        self.end_growth();
    }

    /// Forgets growth that is less than a segment.
    pub fn end_growth(&mut self) {
        (self.acknowledgments, self.credit, self.pending) = (0, 0, 0.0);
    }

    /// [`halve_threshold`](Self::halve_threshold) at a timeout; with `flight-size`, by the kind of the timeout.
    pub fn halve_threshold_at_timeout(&mut self, flight: u64) {
        self.reduce_threshold_at_timeout(0.5, flight);
    }

    /// [`reduce_threshold`](Self::reduce_threshold) at a timeout; with `flight-size`, by the kind of the timeout.
    pub fn reduce_threshold_at_timeout(&mut self, share: f64, flight: u64) {
        if matches!(self.threshold_rule, ThresholdRule::FlightSize | ThresholdRule::CongestionWindow) {
            self.reduce_at_timeout(|window| window.reduce_threshold(share, flight));
        } else {
            self.reduce_threshold(share, flight);
        }
    }

    /// Reduces ssthresh at a timeout (RFC 5681 section 3.1): not again for a segment that a timeout has retransmitted; during a recovery to
    /// at most its present value, because the flight may then be far larger than the window.
    pub fn reduce_at_timeout(&mut self, reduce: impl FnOnce(&mut Self)) {
        let before = self.ssthresh;
        match self.timeout {
            TimeoutKind::Again => {}
            TimeoutKind::First => reduce(self),
            // The window counts, not the flight, and it was reduced (`tcp_enter_loss`).
            TimeoutKind::InRecovery if self.threshold_rule == ThresholdRule::CongestionWindow => {}
            TimeoutKind::InRecovery => {
                reduce(self);
                self.ssthresh = self.ssthresh.min(before);
            }
        }
    }

    /// Records the kind of a timeout before its effects.
    pub fn note_timeout(&mut self, kind: TimeoutKind) {
        self.timeout = kind;
        self.before_timeout = (self.cwnd, self.ssthresh);
    }

    /// Kind of the latest timeout.
    #[must_use]
    pub fn timeout(&self) -> TimeoutKind {
        self.timeout
    }

    /// Window and threshold before the latest timeout, in bytes.
    #[must_use]
    pub fn before_timeout(&self) -> (f64, f64) {
        self.before_timeout
    }

    /// Sets ssthresh and window after a loss without a timeout, to one half.
    pub fn halve(&mut self, flight: u64) {
        self.reduce(0.5, flight);
    }

    /// Sets ssthresh and window after a loss without a timeout, to `share`.
    pub fn reduce(&mut self, share: f64, flight: u64) {
        let left = self.cwnd.min(self.receiver_window) * share;
        self.reduce_threshold(share, flight);
        self.cwnd = match self.after_loss {
            WindowAfterLoss::Threshold => self.ssthresh,
            WindowAfterLoss::Half => left,
            WindowAfterLoss::HalfInSegments => (left / self.mss).floor() * self.mss,
        };
    }

    /// [`reduce`](Self::reduce) without a loss or a mark: a recovery that takes a round trip for a reduction does so for this one too (Linux,
    /// `tcp_enter_cwr`).
    pub fn back_off(&mut self, share: f64, flight: u64) {
        self.backed_off_from = Some(self.cwnd);
        self.reduce(share, flight);
    }

    /// Whether [`take_back_off`](Self::take_back_off) has an answer.
    #[must_use]
    pub fn has_backed_off(&self) -> bool {
        self.backed_off_from.is_some()
    }

    /// The window before the latest [`back_off`](Self::back_off), once.
    pub fn take_back_off(&mut self) -> Option<f64> {
        self.backed_off_from.take()
    }

    /// Down to one segment.
    pub fn collapse(&mut self) {
        self.cwnd = self.mss;
        self.is_after_timeout = true;
    }

    /// Halves it for each `timeout` of a pause, but not below the initial window; the threshold remembers three quarters of it (RFC 2861
    /// section 3; Linux, `tcp_cwnd_restart`).
    pub fn decay(&mut self, pause: Span, timeout: Span) {
        self.ssthresh = self.ssthresh.max(0.75 * self.cwnd);
        let least = self.cwnd.min(self.initial);
        let mut rest = pause;
        while rest > timeout && self.cwnd > least {
            self.cwnd /= 2.0;
            rest = Span(rest.0 - timeout.0);
        }
        self.cwnd = self.cwnd.max(least);
        self.is_after_timeout = false;
    }

    /// Down to the initial window, after the connection was idle (RFC 5681 section 4.1).
    pub fn restart(&mut self) {
        self.cwnd = self.cwnd.min(self.initial);
        self.is_after_timeout = false;
    }

    /// Counts `segments` more that have left the network.
    pub fn inflate(&mut self, segments: u32) {
        self.inflation += f64::from(segments) * self.mss;
    }

    /// Takes back all inflation.
    pub fn deflate(&mut self) {
        self.inflation = 0.0;
    }

    /// Takes back as much as was `acknowledged`, less one segment, from the inflation first and then from the window
    /// (RFC 6582 section 3.2, step 3, partial acknowledgments).
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    pub fn deflate_by(&mut self, acknowledged: u64) {
        let bytes = acknowledged as f64;
        let kept = if bytes >= self.mss { self.mss } else { 0.0 };
        if self.inflation > bytes {
            self.inflation -= bytes - kept;
        } else {
            self.cwnd = (self.cwnd - (bytes - self.inflation)).max(self.mss);
            self.inflation = kept;
        }
    }

    /// Ends slow start: the threshold becomes the window, but at least two segments.
    pub fn end_slow_start(&mut self) {
        self.ssthresh = self.cwnd.max(2.0 * self.mss);
    }

    /// Sets the window to the threshold.
    pub fn set_to_threshold(&mut self) {
        self.cwnd = self.ssthresh;
    }
}
