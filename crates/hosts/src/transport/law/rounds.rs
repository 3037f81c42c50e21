//! Packet-timed round trips.

use crate::transport::Delivery;

/// Counts packet-timed round trips: one ends with the delivery of a packet that was sent after it began (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.1.1.3;
/// draft-ietf-ccwg-bbr section 5.5.1).
#[derive(Clone, Copy, Debug, Default)]
pub struct Rounds {
    /// Rounds that have ended.
    pub count: u64,
    /// Whether the latest delivery begins a round.
    pub starts: bool,
    next_delivered: u64,
}

impl Rounds {
    /// Whether a delivery would begin a round.
    #[must_use]
    pub fn would_start(&self, delivery: &Delivery) -> bool {
        delivery.bytes > 0 && delivery.total_when_sent >= self.next_delivered
    }

    /// Records a delivery; returns whether it begins a round.
    pub fn note(&mut self, delivery: &Delivery) -> bool {
        self.starts = self.would_start(delivery);
        if self.starts {
            self.next_delivered = delivery.total;
            self.count += 1;
        }
        self.starts
    }

    /// Begins a round now, with `total` bytes delivered so far.
    pub fn begin(&mut self, total: u64) {
        self.next_delivered = total;
    }
}
