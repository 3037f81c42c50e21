//! Settings of end systems: the `[tcp]` table of a scenario.

use std::borrow::Cow;

#[cfg(test)]
use longfat_foundation::config::parse_fragment;
use longfat_foundation::config::{AS_OTHERS, AtLeastOne, Bytes, Field, Node, Parameter, PositiveSpan, Reader, Shape};
use longfat_foundation::registry::Chosen;
use serde_json::Value as Json;

use super::acknowledging::Acknowledging;
use super::flavor::{EXTERNAL, Flavor};
use super::opening::LostSynRule;
use super::pacing::Pacing;
use super::preset::PresetName;
use super::resume::Resumption;
use super::rto::TimeoutEstimator;
use super::slow_start::SlowStartExit;
use super::{
    CongestionNotification, CongestionWindowLimit, InitialThreshold, InitialWindow, LinearGrowth, OptionSize,
    OutOfOrder, SackBlocks, SlowStartGrowth, ThresholdRule, TimerPhase, WindowAfterLoss, WindowArithmetic, WindowScale,
    WindowSettings, option_bytes,
};

longfat_foundation::choice! {
    /// Congestion window after an idle period (T-47).
    pub enum IdleRestart {
        /// Keeps it.
        Keep = "keep",
        /// Back to the initial window when nothing was sent for a retransmission timeout (RFC 5681 section 4.1).
        InitialWindow = "initial-window",
        /// Halved for each retransmission timeout in which nothing was sent, but not below the initial window; the threshold keeps three
        /// quarters of it (RFC 2861 section 3; Linux, `tcp_cwnd_restart`).
        Decay = "decay",
    }
}

longfat_foundation::choice! {
    /// Use of round trips that are measured during loss recovery.
    pub enum RoundTripsInRecovery {
        /// Used like any other.
        Measured = "measured",
        /// Not measured if a partial acknowledgment covers the segment, as in ns-2's NewReno.
        Ignored = "ignored",
        /// Measured when the recovery ends, as in ns-2's SACK.
        UntilExit = "until-exit",
    }
}

longfat_foundation::choice! {
    /// The data in flight for which Nagle's rule holds back a small segment.
    pub enum NagleWaitsFor {
        /// Anything in flight (RFC 1122 section 4.2.3.4): the end of a message waits for a round trip.
        Anything = "anything",
        /// Another small segment: the end of a message is sent at once, and small messages one per round trip (Minshall's rule, Linux's
        /// `tcp_minshall_check`).
        SmallSegments = "small-segments",
    }
    absent Anything
}

longfat_foundation::section! {
    /// The end systems of all connections whose group says nothing else.
    pub struct TcpConfig {
        /// A bundle of settings for everything that is not written here.
        pub preset: PresetName = "none",
        /// Congestion control.
        pub flavor: Chosen<dyn Flavor> = "vanilla",
        /// Maximum segment size: bytes of data in a full segment (T-08).
        pub mss: Bytes = "512 B",
        /// The window that the receiver advertises. It is constant, because the application reads at once (T-07).
        pub receiver_window: Bytes = "65535 B",
        /// Shift of the 16-bit window field in bits (T-07; RFC 7323). The low bits of the window are not transmitted.
        pub window_scale: WindowScale = "automatic",
        /// Congestion window of a new connection (T-02): one segment in the papers, "4 MSS" or "10 MSS" later (RFC 3390, RFC 6928).
        pub initial_window: InitialWindow = "1 MSS" or ["4 MSS", "10 MSS"],
        /// Length of a clock tick, the unit in which round trips are measured and timeouts counted (T-10; UBR+ section 3.1).
        pub timer_granularity: PositiveSpan = "100 ms",
        /// Whether the clocks of all hosts tick at the same instants (T-10). BSD's slow timer and a simulator without "randomization in any
        /// component" suggest it, and the tables need it: with a phase for each connection, tail drop performs far too well.
        pub timer_phase: TimerPhase = "common" or ["per-connection", "from-start"],
        /// How the retransmission timeout is computed from round trips (T-11, T-12).
        pub retransmission_timeout: Chosen<dyn TimeoutEstimator> = "bsd-integer" or ["floating-point", "rfc-6298"],
        /// Whether segments carry timestamps, so that every acknowledgment measures a round trip (RFC 7323). They take 12
        /// bytes of each segment's header.
        pub timestamps: bool = "false",
        /// Use of round trips that are measured during loss recovery. Only ns-2 treats them differently.
        pub round_trips_in_recovery: RoundTripsInRecovery = "measured" or ["ignored", "until-exit"],
        /// Slow start threshold of a new connection (T-04). The text says "typically 64K", but with that value the windows that Table 1 of
        /// UBR+ reports for WANs cannot be reached in its 20 s.
        pub initial_ssthresh: InitialThreshold = "receiver-window" or ["unlimited", "65535 B"],
        /// Slow start threshold after a loss (T-05).
        pub ssthresh_rule: ThresholdRule = "by-flavor" or ["bsd", "flight-size"],
        /// The window that fast retransmit leaves, before it is inflated.
        pub window_after_loss: WindowAfterLoss = "ssthresh" or ["half"],
        /// How far the congestion window may grow (T-06).
        pub cwnd_limit: CongestionWindowLimit = "receiver-window" or ["unlimited"],
        /// Growth of the window in slow start (T-02).
        pub slow_start_growth: SlowStartGrowth = "per-acknowledgment" or ["per-segment"],
        /// Whether the window still doubles when it equals the threshold (T-03). In BSD it does; UBR+ section 2 says "until CWND reaches
        /// SSTHRESH", and its study sets it so.
        pub slow_start_at_ssthresh: bool = "true" or ["false"],
        /// Rule that ends slow start, beside the threshold and losses. A flavor that has a rule of its own allows no other.
        pub slow_start_exit: Chosen<dyn SlowStartExit> = "by-flavor",
        /// Unit of linear growth (T-03).
        pub linear_growth: LinearGrowth = "per-acknowledgment",
        /// Arithmetic of the congestion window (T-03, T-40, T-43).
        pub window_arithmetic: WindowArithmetic = "floating-point" or ["integer"],
        /// N, the acknowledgments for which linear growth adds N * MSS * MSS / cwnd at once (T-41, solution 1 of Task 6). In
        /// integers the window can grow to N * MSS * MSS: 100 suffices for 8704000 B with segments of 512 B.
        pub acknowledgments_per_increment: AtLeastOne = "1" or ["100"],
        /// Whether a fast retransmission first waits half a round trip (T-44, Task 7). Nothing else is sent in that time.
        pub delayed_retransmit: bool = "false",
        /// Limited transmit: whether each of the first two duplicate acknowledgments lets a new segment be sent (RFC 3042).
        pub limited_transmit: bool = "false",
        /// Whether a small segment waits while anything is in flight (Nagle; RFC 1122 section 4.2.3.4).
        pub nagle: bool = "false",
        /// The data in flight for which Nagle's rule holds back a small segment.
        pub nagle_waits_for: NagleWaitsFor = "anything",
        /// Whether a segment must be full, or the last of the data (T-01, T-45). Without it, data up to the window's edge is sent, as in
        /// 98-0876R1 section 6.2.
        pub silly_window_avoidance: bool = "true" or ["false"],
        /// Whether a connection begins with a handshake, or is open from the start (T-46).
        pub handshake: bool = "false" or ["true"],
        /// Effect of lost SYNs on what follows (T-46).
        pub lost_syns: LostSynRule = "rfc-5681" or ["linux-6.1", "linux-6.5"],
        /// Congestion window after an idle period (T-47).
        pub idle_restart: IdleRestart = "keep" or ["initial-window"],
        /// How a connection uses what was learned of its path before.
        pub resume: Chosen<dyn Resumption> = "none",
        /// Whether segments are paced. Flavors with a rate of their own are always paced, at that rate.
        pub pacing: Chosen<dyn Pacing> = "none",
        /// ECN mechanism that the ends agree on. ECN lets queues signal congestion without drops.
        pub ecn: CongestionNotification = "none",
        /// When the receiver sends acknowledgments (T-09).
        pub acknowledgments: Chosen<dyn Acknowledging> = "immediate" or ["delayed"],
        /// Treatment of a segment beyond a hole at the receiver (T-15).
        pub out_of_order: OutOfOrder = "keep" or ["discard"],
        /// Most selective acknowledgments in one segment, if the flavor uses them (T-30).
        pub sack_blocks: SackBlocks = "3" or ["4"],
        /// Size of the SACK option.
        pub sack_option_size: OptionSize = "padded",
    }
}

/// The end systems of a group of connections: every setting of `[tcp]`, by default as there. The groups of a document are completed
/// before they are read ([`super::preset::written_out`]).
#[derive(Clone, Debug)]
pub struct GroupTcp(pub TcpConfig);

impl Parameter for GroupTcp {
    fn shape() -> Shape {
        let as_common = |field| Field { default: Some(AS_OTHERS), alternatives: &[], ..field };
        Shape::Section(TcpConfig::fields().into_iter().map(as_common).collect())
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        TcpConfig::read(node, reader).map(Self)
    }

    /// Every setting, also those that `[tcp]` leaves out because they have their defaults: what is missing here is as there.
    fn resolved(&self) -> Json {
        let mut resolved = self.0.resolved();
        for field in TcpConfig::fields().into_iter().filter(|field| field.name != "preset") {
            if let (Some(default), None) = (field.default, resolved.get(field.resolved_name())) {
                resolved[field.name] = default.into();
            }
        }
        resolved
    }
}

#[cfg(test)]
impl TcpConfig {
    /// Reads a `[tcp]` table given as an inline TOML table.
    pub(crate) fn written(table: &str) -> Self {
        let mut reader = Reader::default();
        let config = Self::read(&parse_fragment(table), &mut reader);
        assert!(reader.problems.is_empty(), "{:?}", reader.problems);
        config.expect("a valid table")
    }
}

impl TcpConfig {
    /// Name of the congestion control: the flavor, or the external control.
    #[must_use]
    pub fn congestion_control(&self) -> Cow<'static, str> {
        let external = || self.flavor.build(&()).control().map(|control| control.name().to_owned());
        // Builds only external flavors to get the name: there may be very many connections.
        let name = if self.flavor.name() == EXTERNAL { external() } else { None };
        name.map_or(Cow::Borrowed(self.flavor.name()), Cow::Owned)
    }

    /// Shift of the window field.
    #[must_use]
    pub fn window_scale(&self) -> WindowScale {
        self.window_scale.settled(self.receiver_window.0)
    }

    /// Receiver window as transmitted: without the low bits that the shift drops.
    #[must_use]
    pub fn advertised_window(&self) -> u64 {
        self.window_scale().advertised(self.receiver_window.0)
    }

    /// Rule that sets ssthresh after a loss.
    #[must_use]
    pub fn ssthresh_rule(&self) -> ThresholdRule {
        match self.ssthresh_rule {
            ThresholdRule::ByFlavor => self.flavor.build(&()).recovery().build(&()).threshold_rule(),
            rule => rule,
        }
    }

    /// Settings of the congestion window.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    pub fn window_settings(&self) -> WindowSettings {
        let receiver_window = self.advertised_window();
        WindowSettings {
            mss: self.mss.0,
            initial: self.initial_window.bytes(self.mss.0),
            receiver_window,
            threshold: match self.initial_ssthresh {
                InitialThreshold::ReceiverWindow => receiver_window as f64,
                InitialThreshold::Unlimited => f64::INFINITY,
                InitialThreshold::Size(bytes) => bytes.0 as f64,
            },
            limit: match self.cwnd_limit {
                CongestionWindowLimit::ReceiverWindow => receiver_window as f64,
                CongestionWindowLimit::ScaledMaximum => self.window_scale().largest_window() as f64,
                CongestionWindowLimit::Unlimited | CongestionWindowLimit::Used => f64::INFINITY,
            },
            threshold_rule: self.ssthresh_rule(),
            after_loss: self.window_after_loss,
            slow_start_growth: self.slow_start_growth,
            linear_growth: self.linear_growth,
            grows_unused: self.cwnd_limit != CongestionWindowLimit::Used,
            slow_start_at_ssthresh: self.slow_start_at_ssthresh,
            arithmetic: self.window_arithmetic,
            counts_windows: false,
            acknowledgments_per_increment: self.acknowledgments_per_increment.0,
        }
    }

    /// Bytes of TCP options in every segment.
    #[must_use]
    pub fn option_bytes(&self) -> u64 {
        if self.timestamps { option_bytes::TIMESTAMPS } else { 0 }
    }
}
