//! Measures and counters of the modules of the Linux kernel beside the window: acknowledgments one by one, and jiffies.

use longfat_foundation::units::{Span, Time};

/// States of the kernel's loss recovery (`tcp_ca_state`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Nothing is missing (`TCP_CA_Open`).
    #[default]
    Open,
    /// Data has arrived beyond a hole that is not known to be a loss (`TCP_CA_Disorder`).
    Disorder,
    /// The window is being reduced for a loss (`TCP_CA_Recovery`).
    Recovery,
    /// Data in flight at a timeout is being repaired (`TCP_CA_Loss`).
    Loss,
}

/// An acknowledgment before recovery and growth respond to it, as the kernel passes it to modules (`pkts_acked`, `in_ack_event`).
#[derive(Clone, Copy, Debug, Default)]
pub struct Arrivals {
    /// Time of arrival.
    pub now: Time,
    /// Segments that the cumulative acknowledgment has passed (`pkts_acked`).
    pub segments: u64,
    /// Bytes that the cumulative acknowledgment has passed.
    pub bytes: u64,
    /// Round trip of the segment sent last among those newly reported; `None` if it was sent twice (`rtt_us`).
    pub round_trip: Option<Span>,
    /// Bytes delivered from when that segment was sent until now (`in_flight`).
    pub delivered_since: u64,
    /// First byte not acknowledged.
    pub unacknowledged: u64,
    /// First byte never sent.
    pub highest: u64,
    /// State in which the acknowledgment was received.
    pub phase: Phase,
    /// Whether segments are paced.
    pub is_paced: bool,
}

impl Arrivals {
    /// Round trip in whole microseconds, at least one.
    #[must_use]
    pub fn microseconds(&self) -> Option<u64> {
        self.round_trip.map(|round_trip| microseconds(round_trip).max(1))
    }
}

/// Whole microseconds of a span.
#[must_use]
pub fn microseconds(span: Span) -> u64 {
    span.0 / Span::from_microseconds(1).0
}

/// Jiffies in a second (`HZ`). Distributions build kernels with 250 or 1000; those that were recorded have 250.
pub const JIFFIES_PER_SECOND: u64 = 250;

const JIFFY_US: u64 = 1_000_000 / JIFFIES_PER_SECOND;

/// Jiffies since the start (`tcp_jiffies32`).
#[must_use]
pub fn jiffies(now: Time) -> u64 {
    microseconds(now - Time::ZERO) / JIFFY_US
}

/// Jiffies in so many microseconds, rounded up (`usecs_to_jiffies`).
#[must_use]
pub fn jiffies_in(microseconds: u64) -> u64 {
    microseconds.div_ceil(JIFFY_US)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_down_to_jiffies_of_four_milliseconds_and_spans_up() {
        let at = |us| jiffies(Time::ZERO + Span::from_microseconds(us));
        assert_eq!([at(0), at(3999), at(4000), at(1_000_000)], [0, 0, 1, 250]);
        assert_eq!([0, 1, 4000, 4001, 40_119].map(jiffies_in), [0, 1, 1, 2, 11]);
    }
}
