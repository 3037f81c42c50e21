//! Round trips by the packets' own time.

use crate::transport::Delivery;

/// A round is over when something is delivered that was sent after it began (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.1.1.3;
/// draft-ietf-ccwg-bbr section 5.5.1).
#[derive(Clone, Copy, Debug, Default)]
pub struct Rounds {
    /// How many are over.
    pub count: u64,
    /// Whether the latest delivery has begun one.
    pub starts: bool,
    next_delivered: u64,
}

impl Rounds {
    /// Takes in a delivery; tells whether it begins a round.
    pub fn note(&mut self, delivery: &Delivery) -> bool {
        self.starts = delivery.bytes > 0 && delivery.total_when_sent >= self.next_delivered;
        if self.starts {
            self.next_delivered = delivery.total;
            self.count += 1;
        }
        self.starts
    }

    /// A round begins now, with so much delivered in all.
    pub fn begin(&mut self, total: u64) {
        self.next_delivered = total;
    }
}
