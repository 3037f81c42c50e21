//! Counters of a sender.

use longfat_foundation::measure::RoundTrips;

/// Counters of a sender.
#[derive(Clone, Copy, Debug, Default)]
pub struct SenderStatistics {
    /// Segments with data sent, including retransmissions.
    pub segments_sent: u64,
    /// Segments retransmitted.
    pub segments_retransmitted: u64,
    /// Expiries of the retransmission timer while data was in flight.
    pub timeouts: u64,
    /// SYNs retransmitted.
    pub openings_sent_again: u64,
    /// Probes of a zero window; not counted as segments.
    pub window_probes: u64,
    /// Losses detected by duplicate acknowledgments.
    pub fast_retransmits: u64,
    /// Acknowledgments that acknowledge nothing new, whatever the recovery makes of them.
    pub duplicate_acknowledgments: u64,
    /// Reductions of the window for marks.
    pub reductions_for_marks: u64,
    /// Round trips measured.
    pub round_trips: RoundTrips,
    /// Largest congestion window in bytes.
    pub max_cwnd: f64,
}

impl SenderStatistics {
    /// Restarts the peaks, with a first window of `cwnd` bytes.
    pub fn count_anew(&mut self, cwnd: f64) {
        self.max_cwnd = cwnd;
        self.round_trips.count_anew();
    }

    /// Differences from `earlier`; the largest window is that since the peaks were restarted.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            segments_sent: self.segments_sent - earlier.segments_sent,
            segments_retransmitted: self.segments_retransmitted - earlier.segments_retransmitted,
            timeouts: self.timeouts - earlier.timeouts,
            openings_sent_again: self.openings_sent_again - earlier.openings_sent_again,
            fast_retransmits: self.fast_retransmits - earlier.fast_retransmits,
            duplicate_acknowledgments: self.duplicate_acknowledgments - earlier.duplicate_acknowledgments,
            reductions_for_marks: self.reductions_for_marks - earlier.reductions_for_marks,
            round_trips: self.round_trips.since(&earlier.round_trips),
            window_probes: self.window_probes - earlier.window_probes,
            max_cwnd: self.max_cwnd,
        }
    }
}
