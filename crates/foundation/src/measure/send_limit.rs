//! What keeps a sender from sending more.

/// What a sender lacks to send more: the states of RFC 4898 (`tcpEStatsPerfSndLim...`: receiver window, congestion window,
/// application), the congestion window's by what it is doing.
///
/// In the order in which a connection comes closer to filling its path; see `docs/method/ledger.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SendLimit {
    /// Data: all that the application has offered is sent.
    NoData,
    /// The expiry of its retransmission timer: nothing that is under way could make it send.
    Timer,
    /// The answer to its synchronizing segment.
    Opening,
    /// A larger congestion window, which is in slow start.
    SlowStart,
    /// The repair of a loss.
    Recovery,
    /// A larger congestion window, which is past slow start.
    CongestionAvoidance,
    /// A larger receiver window.
    ReceiverWindow,
}

impl SendLimit {
    /// All of them.
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
