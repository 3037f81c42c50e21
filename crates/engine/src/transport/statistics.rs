//! What a sender has done, in numbers.

/// What a sender has done.
#[derive(Clone, Copy, Debug, Default)]
pub struct SenderStatistics {
    /// Segments with data sent, again or not.
    pub segments_sent: u64,
    /// Segments sent again.
    pub segments_retransmitted: u64,
    /// Expiries of the retransmission timer while data was under way.
    pub timeouts: u64,
    /// Expiries of the timer before the connection was open: synchronizing segments sent again.
    pub openings_sent_again: u64,
    /// Probes of a window that the receiver had closed, which are not among the segments.
    pub window_probes: u64,
    /// Losses shown by duplicate acknowledgments.
    pub fast_retransmits: u64,
    /// Acknowledgments that acknowledge nothing new, whatever a recovery makes of them.
    pub duplicate_acknowledgments: u64,
    /// Reductions of the window for marks.
    pub reductions_for_marks: u64,
    /// Round trips measured.
    pub round_trips: u64,
    /// Largest congestion window in bytes.
    pub max_cwnd: f64,
}
