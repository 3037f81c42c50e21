//! The congestion window and the slow start threshold: their arithmetic, apart from when it is applied.

use serde_json::Value as Json;

use super::TcpConfig;
use crate::config::{Bytes, Node, Parameter, Reader, Shape, Value};

crate::choice! {
    /// Slow start threshold after a loss (T-05).
    pub enum ThresholdRule {
        /// max(2 MSS, min(cwnd / 2, receiver window)), as UBR+ section 2 prints it.
        AsPrinted = "as-printed",
        /// max(2, min(cwnd, receiver window) / 2) in whole segments, as BSD computes it.
        Bsd = "bsd",
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

/// Largest value of the window field of a TCP header.
const LARGEST_UNSCALED_WINDOW: u64 = 65_535;

/// The congestion window and slow start threshold of a connection, in bytes.
#[derive(Clone, Debug)]
pub struct Window {
    /// Congestion window.
    pub cwnd: f64,
    /// Slow start threshold.
    pub ssthresh: f64,
    mss: f64,
    receiver_window: f64,
    limit: f64,
    threshold_rule: ThresholdRule,
    growth: SlowStartGrowth,
    slow_start_at_ssthresh: bool,
    arithmetic: WindowArithmetic,
}

impl Window {
    /// The window of a new connection: one segment (T-02).
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    pub fn new(config: &TcpConfig) -> Self {
        let mss = config.mss.0 as f64;
        let receiver_window = config.receiver_window.0 as f64;
        Self {
            cwnd: mss,
            ssthresh: match config.initial_ssthresh {
                InitialThreshold::ReceiverWindow => receiver_window,
                InitialThreshold::Unlimited => f64::INFINITY,
                InitialThreshold::Size(bytes) => bytes.0 as f64,
            },
            mss,
            receiver_window,
            limit: match config.cwnd_limit {
                CongestionWindowLimit::ReceiverWindow => receiver_window,
                CongestionWindowLimit::ScaledMaximum => scaled_maximum(config.receiver_window.0) as f64,
                CongestionWindowLimit::Unlimited => f64::INFINITY,
            },
            threshold_rule: config.ssthresh_rule,
            growth: config.slow_start_growth,
            slow_start_at_ssthresh: config.slow_start_at_ssthresh,
            arithmetic: config.window_arithmetic,
        }
    }

    /// Bytes that may be under way: the smaller of both windows.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a window is positive and below 2^53")]
    pub fn usable(&self) -> u64 {
        self.cwnd.min(self.receiver_window) as u64
    }

    /// Whether the window is in slow start.
    #[must_use]
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh || (self.slow_start_at_ssthresh && self.cwnd <= self.ssthresh)
    }

    /// Slow start: one segment more for an acknowledgment of `acknowledged` new bytes (T-02).
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    pub fn grow_exponentially(&mut self, acknowledged: u64) {
        let increment = match self.growth {
            SlowStartGrowth::PerAcknowledgment => self.mss,
            SlowStartGrowth::PerSegment => acknowledged as f64,
        };
        self.grow(increment);
    }

    /// Congestion avoidance: MSS * MSS / cwnd for each acknowledgment, about a segment in a round trip (T-03).
    pub fn grow_linearly(&mut self) {
        let increment = self.mss * self.mss / self.cwnd;
        self.grow(match self.arithmetic {
            WindowArithmetic::FloatingPoint => increment,
            WindowArithmetic::Integer => increment.floor(),
        });
    }

    fn grow(&mut self, increment: f64) {
        self.cwnd = (self.cwnd + increment).min(self.limit);
    }

    /// Half of what was under way, as the threshold rule has it, but at least two segments (T-05).
    pub fn halve_threshold(&mut self) {
        self.ssthresh = match self.threshold_rule {
            ThresholdRule::AsPrinted => (self.cwnd / 2.0).min(self.receiver_window).max(2.0 * self.mss),
            ThresholdRule::Bsd => {
                let segments = (self.cwnd.min(self.receiver_window) / 2.0 / self.mss).floor();
                segments.max(2.0) * self.mss
            }
        };
    }

    /// Down to one segment.
    pub fn collapse(&mut self) {
        self.cwnd = self.mss;
    }
}

/// 65535 shifted left until it holds `window` (RFC 1323 section 2).
fn scaled_maximum(window: u64) -> u64 {
    (0..).map(|shift| LARGEST_UNSCALED_WINDOW << shift).find(|&maximum| maximum >= window).expect("a shift suffices")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scaled_maximum_is_the_smallest_shifted_window_that_suffices() {
        assert_eq!(scaled_maximum(65_535), 65_535);
        assert_eq!(scaled_maximum(600_000), 65_535 << 4);
        assert_eq!(scaled_maximum(8_704_000), 65_535 << 8);
    }
}
