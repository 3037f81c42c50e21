//! Settings of the congestion window: limits, thresholds, growth, arithmetic.

use serde_json::Value as Json;

use longfat_foundation::config::{Bytes, Node, Parameter, Reader, Shape, Value};

longfat_foundation::choice! {
    /// Slow start threshold after a loss (T-05).
    pub enum ThresholdRule {
        /// As in the flavor's source: as printed for the papers' flavors, from the flight size for those of the RFCs.
        ByFlavor = "by-flavor",
        /// max(2 MSS, min(cwnd / 2, receiver window)), as UBR+ section 2 prints it.
        AsPrinted = "as-printed",
        /// max(2, min(cwnd, receiver window) / 2) in whole segments, as BSD computes it.
        Bsd = "bsd",
        /// max(2 MSS, flight / 2), where flight is the bytes sent and not acknowledged (RFC 5681 equation 4).
        FlightSize = "flight-size",
        /// max(2 MSS, cwnd / 2), whatever is in flight (Linux, `tcp_reno_ssthresh`).
        CongestionWindow = "congestion-window",
    }
}

longfat_foundation::choice! {
    /// The window that fast retransmit leaves, before it is inflated.
    pub enum WindowAfterLoss {
        /// The new threshold, as in 98-0876R1 section 3.2 and RFC 5681.
        Threshold = "ssthresh",
        /// Half of the previous usable window, unrounded and without a minimum, as in ns-2.
        Half = "half",
        /// Half of the previous usable window in whole segments, without a minimum, as in ns-2 until 2006.
        HalfInSegments = "half-in-segments",
    }
}

longfat_foundation::choice! {
    /// How far the congestion window may grow beyond what the receiver allows (T-06).
    pub enum CongestionWindowLimit {
        /// Not beyond the receiver window.
        ReceiverWindow = "receiver-window",
        /// Up to the largest window that the receiver's window scale can express (65535, shifted), as in BSD.
        ScaledMaximum = "scaled-maximum",
        /// Without limit, as UBR+ section 2 says. Only the smaller of the two windows is ever used.
        Unlimited = "unlimited",
        /// Only while it is used: the window does not grow if the application or the receiver is the limit (RFC 7661 section 1; Linux,
        /// `tcp_is_cwnd_limited`). CUBIC and Prague always do this; BBR uses delivery rates instead.
        Used = "used",
    }
}

longfat_foundation::choice! {
    /// Growth of the window in slow start (T-02).
    pub enum SlowStartGrowth {
        /// One segment per acknowledgment of new data, however much it covers.
        PerAcknowledgment = "per-acknowledgment",
        /// One segment per segment acknowledged.
        PerSegment = "per-segment",
        /// The bytes acknowledged, but at most two segments, and at most one after a timeout (RFC 3465 sections 2.2 and 2.3): an
        /// acknowledgment that jumps over data received beyond a hole does not cause a burst.
        AppropriateByteCounting = "appropriate-byte-counting",
        /// The bytes acknowledged, but at most one segment (RFC 5681 equation 2).
        AtMostASegment = "at-most-a-segment",
        /// The bytes acknowledged, up to the threshold; the rest counts for linear growth (Linux, `tcp_slow_start`). Until everything in
        /// flight at a timeout is acknowledged, an acknowledgment counts for one segment at most: it may jump over data that had arrived
        /// before, which Linux has counted already.
        UpToThreshold = "up-to-ssthresh",
    }
}

longfat_foundation::choice! {
    /// Unit of linear growth (T-03).
    pub enum LinearGrowth {
        /// Acknowledgments, however much each covers: delayed acknowledgments halve the growth (RFC 5681 equation 3).
        PerAcknowledgment = "per-acknowledgment",
        /// Bytes acknowledged: one segment more per round trip, however many acknowledgments arrive (RFC 5681 section 3.1, RFC 3465 section
        /// 2.1; Linux, `tcp_cong_avoid_ai`).
        Acknowledged = "acknowledged-bytes",
    }
    absent PerAcknowledgment
}

longfat_foundation::choice! {
    /// Arithmetic of the congestion window.
    pub enum WindowArithmetic {
        /// Fractions of bytes are kept.
        FloatingPoint = "floating-point",
        /// Whole bytes, each increment rounded down: growth stops when the window exceeds MSS squared (T-40).
        Integer = "integer",
        /// Whole segments: less than a segment of growth is kept until it is one, linear growth counts acknowledged segments until they are
        /// a window, and thresholds are rounded down (Linux: `snd_cwnd`, `snd_cwnd_cnt`, `tcp_cong_avoid_ai`).
        WholeSegments = "whole-segments",
    }
}

/// All that a [`Window`](super::Window) is made of, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct WindowSettings {
    /// Largest segment or packet.
    pub mss: u64,
    /// First congestion window.
    pub initial: u64,
    /// Receiver window in bytes.
    pub receiver_window: u64,
    /// First slow start threshold.
    pub threshold: f64,
    /// Largest congestion window.
    pub limit: f64,
    /// Slow start threshold after a loss.
    pub threshold_rule: ThresholdRule,
    /// The window that a loss leaves.
    pub after_loss: WindowAfterLoss,
    /// Growth in slow start.
    pub slow_start_growth: SlowStartGrowth,
    /// Unit of linear growth.
    pub linear_growth: LinearGrowth,
    /// True if the window also grows while it does not limit the sender.
    pub grows_unused: bool,
    /// True if the window still doubles when it equals the threshold.
    pub slow_start_at_ssthresh: bool,
    /// Arithmetic.
    pub arithmetic: WindowArithmetic,
    /// True if linear growth counts bytes until they are a window and then adds a segment, and the count outlives reductions.
    pub counts_windows: bool,
    /// Acknowledgments for one increment of linear growth.
    pub acknowledgments_per_increment: u64,
}

/// Slow start threshold of a new connection (T-04).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialThreshold {
    /// The receiver window.
    ReceiverWindow,
    /// Infinite: slow start ends with the first loss.
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
    /// A number of full segments.
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
    /// Size in bytes, for segments of `mss` bytes.
    #[must_use]
    pub fn bytes(self, mss: u64) -> u64 {
        match self {
            Self::Segments(segments) => segments * mss,
            Self::Size(bytes) => bytes.0,
        }
    }
}
