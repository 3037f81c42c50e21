//! Round trips by which laws of the kernel judge a queue (`tcp_vegas_pkts_acked`, which YeAH uses too; `tcp_veno_pkts_acked`).

use super::{Arrivals, microseconds};

/// Fewest samples by which a queue is judged; one or two may be those of delayed acknowledgments.
const LEAST_SAMPLES: u64 = 3;

/// Shortest round trips in microseconds, `u64::MAX` before the first sample.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport) struct RoundTrips {
    /// The shortest that stands for an empty queue (`baseRTT`).
    pub base: u64,
    /// The shortest since the latest judgment (`minRTT`).
    pub shortest: u64,
    /// Number of samples.
    pub samples: u64,
}

impl RoundTrips {
    pub fn new() -> Self {
        Self { base: u64::MAX, shortest: u64::MAX, samples: 0 }
    }

    /// Notes the round trip of an acknowledgment, and returns it in microseconds: one more than measured, so that none is zero.
    pub fn note(&mut self, arrivals: &Arrivals) -> Option<u64> {
        let us = microseconds(arrivals.round_trip?) + 1;
        self.base = self.base.min(us);
        self.shortest = self.shortest.min(us);
        self.samples += 1;
        Some(us)
    }

    /// Forgets all but `base`.
    pub fn begin_round(&mut self) {
        (self.shortest, self.samples) = (u64::MAX, 0);
    }

    /// True if there are enough samples for a judgment.
    pub fn are_enough(&self) -> bool {
        self.samples >= LEAST_SAMPLES && self.shortest < u64::MAX
    }
}
