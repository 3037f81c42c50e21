//! TCP: a sender (mechanism), a flavor (window and threshold), a timeout estimator and a receiver.

mod clock;
pub mod flavor;
mod receiver;
pub mod rto;
mod sender;
mod window;

pub use clock::{TickClock, TimerPhase};
pub use receiver::{OutOfOrder, Receiver};
pub use sender::{Segment, Sender, SenderStatistics};
pub use window::{CongestionWindowLimit, InitialThreshold, SlowStartGrowth, ThresholdRule, Window, WindowArithmetic};

use crate::config::{Bytes, PositiveSpan};
use crate::registry::Chosen;
use flavor::Flavor;
use rto::TimeoutEstimator;

crate::section! {
    /// The end systems. Every connection has the same settings.
    pub struct TcpConfig {
        /// Congestion control.
        pub flavor: Chosen<dyn Flavor> = "vanilla",
        /// Maximum segment size: bytes of data in a full segment (T-08).
        pub mss: Bytes = "512 B",
        /// The window that the receiver advertises, always the same: its application reads at once (T-07).
        pub receiver_window: Bytes = "65535 B",
        /// Length of a clock tick, in which round trips are measured and timeouts counted (T-10; UBR+ section 3.1).
        pub timer_granularity: PositiveSpan = "100 ms",
        /// Whether the clocks of all hosts tick at once (T-10). BSD's slow timer and a simulator without "randomization in
        /// any component" suggest it, and the tables need it: with a phase for each connection tail drop is far too good.
        pub timer_phase: TimerPhase = "common" or ["per-connection", "from-start"],
        /// How round trips become a retransmission timeout (T-11, T-12).
        pub retransmission_timeout: Chosen<dyn TimeoutEstimator> = "bsd-integer" or ["floating-point"],
        /// Slow start threshold of a new connection (T-04). The text says "typically 64K", but with that the windows that
        /// Table 1 of UBR+ reports for WANs cannot be reached in its 20 s.
        pub initial_ssthresh: InitialThreshold = "receiver-window" or ["unlimited", "65535 B"],
        /// Slow start threshold after a loss (T-05).
        pub ssthresh_rule: ThresholdRule = "as-printed" or ["bsd"],
        /// How far the congestion window may grow (T-06).
        pub cwnd_limit: CongestionWindowLimit = "receiver-window" or ["unlimited"],
        /// What slow start adds to the window (T-02).
        pub slow_start_growth: SlowStartGrowth = "per-acknowledgment" or ["per-segment"],
        /// Whether the window still doubles when it is equal to the threshold (T-03). BSD does; UBR+ section 2 says "until
        /// CWND reaches SSTHRESH", and its study sets it so.
        pub slow_start_at_ssthresh: bool = "true" or ["false"],
        /// Arithmetic of the congestion window (T-03, T-40, T-43).
        pub window_arithmetic: WindowArithmetic = "floating-point" or ["integer"],
        /// What a receiver does with a segment beyond a hole (T-15).
        pub out_of_order: OutOfOrder = "keep" or ["discard"],
    }
}
