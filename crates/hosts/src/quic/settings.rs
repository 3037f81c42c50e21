//! Settings of a connection, the same for both ends.

use longfat_foundation::registry::Chosen;
use longfat_foundation::units::Span;

use super::receiver::AckRules;
use crate::transport::flavor::Flavor;
use crate::transport::resume::Resumption;
use crate::transport::slow_start::SlowStartExit;
use crate::transport::{
    Codepoint, LinearGrowth, SlowStartGrowth, ThresholdRule, WindowAfterLoss, WindowArithmetic, WindowSettings,
};

longfat_foundation::choice! {
    /// ECN codepoint of packets (RFC 9000 section 13.4).
    pub enum Marking {
        /// None.
        None = "none",
        /// ECT(0).
        Classic = "ect-0",
        /// ECT(1), the codepoint of low latency (RFC 9331), for laws that respond to the share of marks.
        Scalable = "ect-1",
    }
}

impl Marking {
    /// The codepoint.
    #[must_use]
    pub fn codepoint(self) -> Codepoint {
        match self {
            Self::None => Codepoint::NotCapable,
            Self::Classic => Codepoint::Classic,
            Self::Scalable => Codepoint::Scalable,
        }
    }
}

longfat_foundation::choice! {
    /// How packets that a window allows are spread over a round trip.
    pub enum Pacing {
        /// As the bundle has it.
        ByBundle = "by-bundle",
        /// Not at all, unless the window law has a rate of its own.
        None = "none",
        /// At `pacing_gain` windows per round trip (RFC 9002 section 7.7), or at the rate of the window law if it has one.
        Window = "window-per-round-trip",
        /// At `pacing_gain` windows per round trip, whatever rate the window law has (quinn-proto 0.11.19, `pacing.rs`).
        WindowAlone = "window-alone",
    }
}

longfat_foundation::choice! {
    /// Where the RFCs leave a choice, or implementations take liberties, whom a connection follows.
    pub enum Bundle {
        /// RFC 9002.
        Rfc9002 = "rfc-9002",
        /// quinn-proto 0.11.19.
        Quinn = "quinn",
    }
}

longfat_foundation::choice! {
    /// Packets that may leave together where packets are paced.
    pub enum Burst {
        /// As the bundle has it.
        ByBundle = "by-bundle",
        /// An initial window after a pause, then each packet when its time has come (RFC 9002 section 7.7).
        InitialWindow = "initial-window",
        /// As many packets as the window sends in 2 ms, from 10 to 256. The time since then counts when that is used up, and the next packets wait
        /// until as many may leave again (quinn-proto 0.11.19, `pacing.rs`).
        Interval = "2-ms",
    }
}

longfat_foundation::choice! {
    /// The window that lets another packet go.
    pub enum Window {
        /// As the bundle has it.
        ByBundle = "by-bundle",
        /// Until it is full (RFC 9002 section 7).
        Filled = "filled",
        /// As long as a full packet does not fill it (quinn-proto 0.11.19, `poll_transmit`).
        NotFilled = "not-filled",
    }
}

longfat_foundation::choice! {
    /// Contents of a probe where there is no new data (RFC 9002 section 6.2.4).
    pub enum Probe {
        /// As the bundle has it.
        ByBundle = "by-bundle",
        /// Data of the oldest packets under way.
        Data = "data",
        /// A PING, unless frames other than of streams are under way (quinn-proto 0.11.19, `maybe_queue_probe`).
        Ping = "ping",
    }
}

longfat_foundation::choice! {
    /// Packets that a reduction lets go beyond the window.
    pub enum AtReduction {
        /// As the bundle has it.
        ByBundle = "by-bundle",
        /// One, so that what was lost is sent again at once (RFC 9002 section 7.3.2).
        OnePacket = "one-packet",
        /// None (quinn-proto 0.11.19).
        Nothing = "nothing",
    }
}

longfat_foundation::choice! {
    /// Linear growth of a flavor that grows by one packet per round trip.
    pub enum Avoidance {
        /// As the bundle has it.
        ByBundle = "by-bundle",
        /// Each acknowledged packet adds its share of a packet (RFC 9002 appendix B.5).
        Shares = "shares",
        /// A packet is added when a window of bytes was acknowledged. What was counted of a window outlives a reduction, and is twice as
        /// large a part of the window that it leaves (quinn-proto 0.11.19, `new_reno.rs`).
        Windows = "windows",
    }
}

longfat_foundation::choice! {
    /// First effect of an acknowledgment that shows losses too.
    pub enum First {
        /// As the bundle has it.
        ByBundle = "by-bundle",
        /// It reduces the window, and lets it grow only by packets sent after a reduction (RFC 9002 appendix A.7).
        Losses = "losses",
        /// It lets the window grow by all that it acknowledges, and reduces it then (quinn-proto 0.11.19, `on_ack_received`).
        Growth = "growth",
    }
}

/// Chooses what the bundle has, unless something is chosen.
macro_rules! by_bundle {
    ($($choice:ident: $rfc:ident, $quinn:ident;)+) => {
        $(impl $choice {
            /// The choice, or that of the bundle.
            #[must_use]
            pub fn settled(self, bundle: Bundle) -> Self {
                match (self, bundle) {
                    (Self::ByBundle, Bundle::Rfc9002) => Self::$rfc,
                    (Self::ByBundle, Bundle::Quinn) => Self::$quinn,
                    (choice, _) => choice,
                }
            }
        })+
    };
}

by_bundle! {
    Burst: InitialWindow, Interval;
    Window: Filled, NotFilled;
    Probe: Data, Ping;
    AtReduction: OnePacket, Nothing;
    Avoidance: Shares, Windows;
    Pacing: Window, WindowAlone;
    First: Losses, Growth;
}

/// Rules of acknowledgment that are asked for (draft-ietf-quic-ack-frequency-10).
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// Packets that must be acknowledged for one acknowledgment.
    pub packets: u64,
    /// Longest delay.
    pub delay: Span,
    /// Packets of reordering that are worth an acknowledgment at once; 0 for none.
    pub reordering: u64,
}

/// Settings of a connection; nothing in them is left to a bundle.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Size of the largest packets, in bytes behind the UDP header.
    pub packet_bytes: u64,
    /// Size of the client's first message.
    pub client_hello: u64,
    /// Size of all messages of the server.
    pub server_flight: u64,
    /// The client sends data in its first flight.
    pub has_early_data: bool,
    /// Round trip that is assumed before one is measured.
    pub initial_round_trip: Span,
    /// Packet numbers beyond a lost packet.
    pub packet_threshold: u64,
    /// Round trips beyond a lost packet.
    pub time_threshold: f64,
    /// Probe timeouts of persistent congestion.
    pub persistent_congestion_threshold: u64,
    /// Contents of probes.
    pub probe: Probe,
    /// Rules of acknowledgment.
    pub acknowledging: AckRules,
    /// Rules of acknowledgment that each end asks the other for, once the handshake is over.
    pub asked: Option<Asked>,
    /// Window law.
    pub flavor: Chosen<dyn Flavor>,
    /// End of slow start.
    pub slow_start_exit: Chosen<dyn SlowStartExit>,
    /// Use of what is known of the path.
    pub resume: Chosen<dyn Resumption>,
    /// First window in bytes.
    pub initial_window: u64,
    /// The window that lets a packet go.
    pub window: Window,
    /// Packets that a reduction lets go.
    pub at_reduction: AtReduction,
    /// Linear growth.
    pub avoidance: Avoidance,
    /// First effect of an acknowledgment that shows losses too.
    pub first: First,
    /// Pacing.
    pub pacing: Pacing,
    /// Windows per round trip at which packets are paced.
    pub pacing_gain: f64,
    /// Packets that leave together.
    pub burst: Burst,
    /// ECN.
    pub marking: Marking,
    /// Flow control of a stream: bytes that the receiver allows beyond what it has delivered.
    pub stream_window: u64,
    /// Flow control of the connection: the same sum over all streams.
    pub connection_window: u64,
    /// Streams that the peer may have open at once.
    pub streams: u64,
}

impl Settings {
    /// Settings of the congestion window by RFC 9002 section 7: growth by bytes acknowledged, half of the window after a loss. The receiver
    /// limits streams and not the window.
    #[must_use]
    pub fn window_settings(&self) -> WindowSettings {
        Self::window_of(self.packet_bytes, self.initial_window, self.avoidance)
    }

    /// These of a connection with packets of this size and this first window.
    #[must_use]
    pub fn window_of(packet_bytes: u64, initial: u64, avoidance: Avoidance) -> WindowSettings {
        WindowSettings {
            mss: packet_bytes,
            initial,
            receiver_window: 1 << 53,
            threshold: f64::INFINITY,
            limit: f64::INFINITY,
            threshold_rule: ThresholdRule::CongestionWindow,
            after_loss: WindowAfterLoss::Threshold,
            slow_start_growth: SlowStartGrowth::PerSegment,
            linear_growth: LinearGrowth::Acknowledged,
            grows_unused: false,
            slow_start_at_ssthresh: false,
            arithmetic: WindowArithmetic::FloatingPoint,
            counts_windows: avoidance == Avoidance::Windows,
            acknowledgments_per_increment: 1,
        }
    }
}
