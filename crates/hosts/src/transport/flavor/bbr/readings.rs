//! Readings that the draft leaves open, and those of the module of Linux (`net/ipv4/tcp_bbr.c`): parameters of BBR. The defaults are left out of
//! resolved scenarios.

use longfat_foundation::registry::Plan;

use crate::transport::recovery::{RackTlp, RackTlpLinux, Recovery, Reduction, SackRfc6675};

longfat_foundation::choice! {
    /// How losses are noticed and repaired, by selective acknowledgments in any case: the draft leaves it open. Rate and window alone limit
    /// what is sent, so none reduces in proportion.
    pub enum RecoveryOfBbr {
        /// From how much has arrived beyond a segment.
        SackRfc6675 = "sack-rfc6675",
        /// From the time since a segment was sent.
        RackTlp = "rack-tlp",
        /// From the time since a segment was sent, with the states of the Linux kernel.
        RackTlpLinux = "rack-tlp-linux",
    }
    absent SackRfc6675
}

longfat_foundation::choice! {
    /// Allowance of the window beyond bandwidth-delay products, for what hosts hold back to work on several segments at once.
    pub enum WindowAllowance {
        /// Three send quanta of a segment each (section 4.2.3.2).
        ThreeSegments = "three-segments",
        /// Three send quanta: each what the pacing rate sends in 1/1024 s, at least two segments, or one below 1.2 Mbit/s. The window is then
        /// an even number of segments, and two more in the phase that probes for bandwidth (`bbr_quantization_budget`).
        SendQuanta = "send-quanta",
    }
    absent ThreeSegments
}

longfat_foundation::choice! {
    /// Share by which segments are paced below the rate that the model asks for.
    pub enum PacingMargin {
        /// Not at all.
        None = "none",
        /// By a hundredth, so that the queue drains (`bbr_pacing_margin_percent`).
        Percent = "1%",
    }
    absent None
}

longfat_foundation::choice! {
    /// The amount in flight that ends a phase of the cycle and Drain.
    pub enum FlightAt {
        /// At the acknowledgment.
        Acknowledgment = "acknowledgment",
        /// When pacing lets the next segment go: less what is delivered until then, and with the send quantum that goes then if the rate is
        /// above the bandwidth (`bbr_packets_in_net_at_edt`).
        Departure = "departure",
    }
    absent Acknowledgment
}

longfat_foundation::choice! {
    /// Whether the window allows for acknowledgments that come late and together.
    pub enum AggregationAllowance {
        /// No.
        None = "none",
        /// By the most that was delivered in the last five to ten rounds beyond the bandwidth, at most what the bandwidth delivers in 100 ms
        /// (`bbr_update_ack_aggregation`).
        Observed = "observed",
    }
    absent None
}

longfat_foundation::choice! {
    /// Whether a policer is recognized, which drops all that exceeds a rate.
    pub enum PolicerDetection {
        /// No.
        None = "none",
        /// Two intervals of 4 to 16 rounds with a fifth of the segments lost and the same rate: BBR then sends at this rate for 48 rounds
        /// (`bbr_lt_bw_sampling`).
        LongTermRate = "long-term-rate",
    }
    absent None
}

longfat_foundation::choice! {
    /// How the window follows losses.
    pub enum LossResponse {
        /// Section 4.2.3.4: in a recovery the window gives way to losses after its first round. A timeout ends with the data that was in
        /// flight.
        Draft = "draft",
        /// `bbr_set_cwnd_to_recover_or_restore`: losses are taken from the window whenever they are found. Only an acknowledgment that
        /// delivers something changes it. A timeout ends a round, and the search for the full pipe begins anew after one.
        Kernel = "linux",
    }
    absent Draft
}

impl RecoveryOfBbr {
    /// The recovery, which leaves the window to BBR.
    pub fn plan(self) -> &'static dyn Plan<dyn Recovery> {
        match self {
            Self::SackRfc6675 => &SackRfc6675 { reduction: Reduction::AtOnce },
            Self::RackTlp => RackTlp::without_reduction(),
            Self::RackTlpLinux => RackTlpLinux::without_reduction(),
        }
    }
}

impl PacingMargin {
    /// The margin in percent.
    pub fn percent(self) -> u32 {
        match self {
            Self::None => 0,
            Self::Percent => 1,
        }
    }
}
