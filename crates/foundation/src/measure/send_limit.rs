//! The limit that keeps a sender from sending.

/// The limit that keeps a sender from sending more: the states of RFC 4898 (`tcpEStatsPerfSndLim...`: receiver window, congestion window,
/// application), with the congestion window's divided by its state.
///
/// Ordered from the emptiest to the fullest path; see `docs/method/ledger.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SendLimit {
    /// Application: all offered data is sent.
    NoData,
    /// Retransmission timer: nothing in flight can trigger sending.
    Timer,
    /// Handshake: the SYN is not answered.
    Opening,
    /// Congestion window, in slow start.
    SlowStart,
    /// Recovery from a loss.
    Recovery,
    /// Congestion window, past slow start.
    CongestionAvoidance,
    /// Receiver window.
    ReceiverWindow,
}

impl SendLimit {
    /// All limits, in order.
    pub const ALL: [Self; 7] = [
        Self::NoData,
        Self::Timer,
        Self::Opening,
        Self::SlowStart,
        Self::Recovery,
        Self::CongestionAvoidance,
        Self::ReceiverWindow,
    ];
}
