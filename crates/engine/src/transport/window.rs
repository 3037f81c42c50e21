//! The congestion window and the slow start threshold: their arithmetic, apart from when it is applied.

use serde_json::Value as Json;

use super::{SendLimit, TcpConfig};
use crate::config::{Bytes, Node, Parameter, Reader, Shape, Value};

crate::choice! {
    /// Slow start threshold after a loss (T-05).
    pub enum ThresholdRule {
        /// As the flavor's source has it: as printed for the papers' flavors, from the flight size for those of the RFCs.
        ByFlavor = "by-flavor",
        /// max(2 MSS, min(cwnd / 2, receiver window)), as UBR+ section 2 prints it.
        AsPrinted = "as-printed",
        /// max(2, min(cwnd, receiver window) / 2) in whole segments, as BSD computes it.
        Bsd = "bsd",
        /// max(2 MSS, flight / 2), flight being the bytes sent and not acknowledged (RFC 5681 equation 4).
        FlightSize = "flight-size",
    }
}

crate::choice! {
    /// The window that fast retransmit leaves, before it is inflated.
    pub enum WindowAfterLoss {
        /// The new threshold, as 98-0876R1 section 3.2 and RFC 5681 have it.
        Threshold = "ssthresh",
        /// Half of the usable window before, unrounded and with no minimum, as ns-2 has it.
        Half = "half",
        /// Half of the usable window before in whole segments, with no minimum, as ns-2 had it until 2006.
        HalfInSegments = "half-in-segments",
    }
}

crate::choice! {
    /// How far the congestion window may grow beyond what the receiver allows (T-06).
    pub enum CongestionWindowLimit {
        /// Not beyond the receiver window.
        ReceiverWindow = "receiver-window",
        /// Up to the largest window that the receiver's window scale can express (65535 shifted), as BSD.
        ScaledMaximum = "scaled-maximum",
        /// Without limit, as UBR+ section 2 says; only the smaller of both windows is ever used.
        Unlimited = "unlimited",
    }
}

crate::choice! {
    /// What slow start adds to the window (T-02).
    pub enum SlowStartGrowth {
        /// One segment for each acknowledgment of new data, however much it covers.
        PerAcknowledgment = "per-acknowledgment",
        /// One segment for each segment acknowledged.
        PerSegment = "per-segment",
        /// What was acknowledged, but two segments at most, and one after a timeout (RFC 3465 sections 2.2 and 2.3): an acknowledgment that
        /// jumps over what had arrived beyond a hole lets no burst go.
        AppropriateByteCounting = "appropriate-byte-counting",
    }
}

crate::choice! {
    /// Arithmetic of the congestion window.
    pub enum WindowArithmetic {
        /// Fractions of bytes are kept.
        FloatingPoint = "floating-point",
        /// Whole bytes, each increment rounded down: growth stops when the window exceeds MSS squared (T-40).
        Integer = "integer",
    }
}

/// Slow start threshold of a new connection (T-04).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialThreshold {
    /// The receiver window.
    ReceiverWindow,
    /// None: slow start goes on until the first loss.
    Unlimited,
    /// A fixed size.
    Size(Bytes),
}

impl Parameter for InitialThreshold {
    fn shape() -> Shape {
        Shape::Quantity {
            expected: "\"receiver-window\", \"unlimited\" or a size with its unit",
            examples: &["receiver-window", "unlimited", "65535 B"],
        }
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.value {
            Value::Text(text) if text == "receiver-window" => Some(Self::ReceiverWindow),
            Value::Text(text) if text == "unlimited" => Some(Self::Unlimited),
            Value::Text(text) if text.starts_with(|c: char| c.is_ascii_digit()) => {
                Bytes::read(node, reader).map(Self::Size)
            }
            _ => {
                reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe()));
                None
            }
        }
    }

    fn resolved(&self) -> Json {
        match self {
            Self::ReceiverWindow => "receiver-window".into(),
            Self::Unlimited => "unlimited".into(),
            Self::Size(bytes) => format!("{} B", bytes.0).into(),
        }
    }
}

/// Congestion window of a new connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialWindow {
    /// So many full segments.
    Segments(u64),
    /// A fixed size.
    Size(Bytes),
}

impl Parameter for InitialWindow {
    fn shape() -> Shape {
        Shape::Quantity {
            expected: "a number of segments such as \"10 MSS\", or a size with its unit",
            examples: &["1 MSS", "4380 B"],
        }
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        if let Value::Text(text) = &node.value
            && let Some(number) = text.strip_suffix("MSS")
        {
            let segments = number.trim().parse().ok().filter(|segments| (1..=1_000_000).contains(segments));
            if segments.is_none() {
                reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe()));
            }
            return segments.map(Self::Segments);
        }
        Bytes::read(node, reader).map(Self::Size)
    }

    fn resolved(&self) -> Json {
        match self {
            Self::Segments(segments) => format!("{segments} MSS").into(),
            Self::Size(bytes) => format!("{} B", bytes.0).into(),
        }
    }
}

impl InitialWindow {
    /// In bytes, for segments of `mss` bytes.
    #[must_use]
    pub fn bytes(self, mss: u64) -> u64 {
        match self {
            Self::Segments(segments) => segments * mss,
            Self::Size(bytes) => bytes.0,
        }
    }
}

/// The congestion window and slow start threshold of a connection, in bytes.
#[derive(Clone, Debug)]
pub struct Window {
    /// Congestion window.
    pub cwnd: f64,
    /// Slow start threshold.
    pub ssthresh: f64,
    /// What duplicate acknowledgments add to the congestion window during recovery: segments known to have left the network.
    pub inflation: f64,
    mss: f64,
    initial: f64,
    receiver_window: f64,
    limit: f64,
    threshold_rule: ThresholdRule,
    after_loss: WindowAfterLoss,
    growth: SlowStartGrowth,
    /// Whether slow start would be one after a timeout.
    is_after_timeout: bool,
    slow_start_at_ssthresh: bool,
    arithmetic: WindowArithmetic,
    /// N of Task 6: acknowledgments for one increment of linear growth.
    increment_period: u64,
    /// N * MSS * MSS.
    increment_area: f64,
    /// Acknowledgments since the last increment.
    acknowledgments: u64,
}

impl Window {
    /// The window of a new connection.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    pub fn new(config: &TcpConfig) -> Self {
        let mss = config.mss.0 as f64;
        let receiver_window = config.advertised_window() as f64;
        let initial = config.initial_window.bytes(config.mss.0) as f64;
        Self {
            cwnd: initial,
            inflation: 0.0,
            ssthresh: match config.initial_ssthresh {
                InitialThreshold::ReceiverWindow => receiver_window,
                InitialThreshold::Unlimited => f64::INFINITY,
                InitialThreshold::Size(bytes) => bytes.0 as f64,
            },
            mss,
            initial,
            receiver_window,
            limit: match config.cwnd_limit {
                CongestionWindowLimit::ReceiverWindow => receiver_window,
                CongestionWindowLimit::ScaledMaximum => config.window_scale().largest_window() as f64,
                CongestionWindowLimit::Unlimited => f64::INFINITY,
            },
            threshold_rule: config.ssthresh_rule(),
            growth: config.slow_start_growth,
            is_after_timeout: false,
            slow_start_at_ssthresh: config.slow_start_at_ssthresh,
            arithmetic: config.window_arithmetic,
            after_loss: config.window_after_loss,
            increment_period: config.acknowledgments_per_increment.0,
            increment_area: config.acknowledgments_per_increment.0 as f64 * mss * mss,
            acknowledgments: 0,
        }
    }

    /// Bytes that may be under way: the smaller of both windows.
    #[must_use]
    #[inline]
    pub fn usable(&self) -> u64 {
        let window = self.cwnd + self.inflation;
        whole_bytes(if window < self.receiver_window { window } else { self.receiver_window })
    }

    /// Bytes that may be under way when the congestion window counts for `segments` more.
    #[must_use]
    pub fn usable_beyond(&self, segments: u32) -> u64 {
        whole_bytes((self.cwnd + self.inflation + f64::from(segments) * self.mss).min(self.receiver_window))
    }

    /// Maximum segment size in bytes.
    #[must_use]
    pub fn mss(&self) -> f64 {
        self.mss
    }

    /// The congestion window in whole segments, whatever the receiver allows.
    #[must_use]
    pub fn whole_cwnd(&self) -> u64 {
        whole_bytes((self.cwnd / self.mss).floor() * self.mss)
    }

    /// What the receiver allows to be under way.
    #[must_use]
    pub fn receiver_window(&self) -> u64 {
        whole_bytes(self.receiver_window)
    }

    /// Whether the window is in slow start.
    #[must_use]
    #[inline]
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh || (self.slow_start_at_ssthresh && self.cwnd <= self.ssthresh)
    }

    /// What lets no more be under way.
    #[must_use]
    #[inline]
    pub fn send_limit(&self) -> SendLimit {
        if self.cwnd + self.inflation >= self.receiver_window {
            SendLimit::ReceiverWindow
        } else if self.in_slow_start() {
            SendLimit::SlowStart
        } else {
            SendLimit::CongestionAvoidance
        }
    }

    /// Slow start up to the threshold, then a segment more in a round trip (Jacobson 1988; RFC 5681 section 3.1), for an acknowledgment
    /// of `acknowledged` new bytes.
    // Always: nearly every acknowledgment passes here.
    #[inline(always)]
    pub fn grow_classically(&mut self, acknowledged: u64) {
        if self.in_slow_start() {
            self.grow_exponentially(acknowledged);
        } else {
            self.grow_linearly();
        }
    }

    /// Slow start: one segment more for an acknowledgment of `acknowledged` new bytes (T-02).
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    pub fn grow_exponentially(&mut self, acknowledged: u64) {
        let increment = match self.growth {
            SlowStartGrowth::PerAcknowledgment => self.mss,
            SlowStartGrowth::PerSegment => acknowledged as f64,
            SlowStartGrowth::AppropriateByteCounting => {
                (acknowledged as f64).min(if self.is_after_timeout { self.mss } else { 2.0 * self.mss })
            }
        };
        self.grow(increment);
    }

    /// Congestion avoidance: MSS * MSS / cwnd for each acknowledgment, about a segment in a round trip (T-03); or N times as
    /// much for N acknowledgments, which keeps integers from rounding the increment to nothing (T-41).
    #[inline]
    pub fn grow_linearly(&mut self) {
        self.acknowledgments += 1;
        if self.acknowledgments < self.increment_period {
            return;
        }
        self.acknowledgments = 0;
        self.grow(self.rounded(self.increment_area / self.cwnd));
    }

    /// Adds `increment` bytes, up to the limit.
    #[inline]
    pub fn grow(&mut self, increment: f64) {
        let grown = self.cwnd + increment;
        self.cwnd = if grown <= self.limit { grown } else { grown.min(self.limit.max(self.cwnd)) };
    }

    /// Makes it `bytes`, up to the limit.
    pub fn set(&mut self, bytes: f64) {
        self.cwnd = bytes.min(self.limit);
    }

    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn rounded(&self, bytes: f64) -> f64 {
        match self.arithmetic {
            WindowArithmetic::FloatingPoint => bytes,
            WindowArithmetic::Integer => whole_bytes(bytes) as f64,
        }
    }

    /// Half of what was under way, as the threshold rule has it, but at least two segments (T-05).
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    pub fn halve_threshold(&mut self, flight: u64) {
        let half = match self.threshold_rule {
            ThresholdRule::AsPrinted | ThresholdRule::ByFlavor => (self.cwnd / 2.0).min(self.receiver_window),
            ThresholdRule::Bsd => (self.cwnd.min(self.receiver_window) / 2.0 / self.mss).floor() * self.mss,
            ThresholdRule::FlightSize => flight as f64 / 2.0,
        };
        self.ssthresh = self.rounded(half).max(2.0 * self.mss);
        self.acknowledgments = 0;
    }

    /// Threshold and window after a loss that did not cost a timeout.
    pub fn halve(&mut self, flight: u64) {
        let half = self.cwnd.min(self.receiver_window) / 2.0;
        self.halve_threshold(flight);
        self.cwnd = match self.after_loss {
            WindowAfterLoss::Threshold => self.ssthresh,
            WindowAfterLoss::Half => half,
            WindowAfterLoss::HalfInSegments => (half / self.mss).floor() * self.mss,
        };
    }

    /// Down to one segment.
    pub fn collapse(&mut self) {
        self.cwnd = self.mss;
        self.is_after_timeout = true;
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

    /// Sets the window to the threshold.
    pub fn set_to_threshold(&mut self) {
        self.cwnd = self.ssthresh;
    }

    /// Lets the window be no more than `bytes`.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    pub fn limit(&mut self, bytes: u64) {
        self.cwnd = self.cwnd.min(bytes as f64);
    }
}

#[inline]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a window is positive and below 2^53")]
fn whole_bytes(window: f64) -> u64 {
    // A processor has an instruction for signed integers.
    window as i64 as u64
}
