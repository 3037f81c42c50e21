//! The receiving end: what has arrived, in order, and what to acknowledge.

crate::choice! {
    /// What a receiver does with a segment beyond a hole (T-15).
    pub enum OutOfOrder {
        /// Keeps it: when the hole is filled, one acknowledgment covers all.
        Keep = "keep",
        /// Throws it away.
        Discard = "discard",
    }
}

/// A receiver that acknowledges every segment at once (T-09).
#[derive(Clone, Debug)]
pub struct Receiver {
    out_of_order: OutOfOrder,
    next: u64,
    /// Ranges beyond `next`, disjoint, not adjacent, ascending.
    islands: Vec<(u64, u64)>,
    /// Highest byte number received, plus one.
    highest: u64,
    /// Bytes of data in all segments that arrived.
    pub bytes_received: u64,
    /// Bytes that were already there, or were thrown away beyond a hole.
    pub bytes_discarded: u64,
}

impl Receiver {
    /// A receiver that has nothing yet.
    #[must_use]
    pub fn new(out_of_order: OutOfOrder) -> Self {
        Self { out_of_order, next: 0, islands: Vec::new(), highest: 0, bytes_received: 0, bytes_discarded: 0 }
    }

    /// The next byte expected, which is also the number of bytes delivered to the application, all in order.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Highest byte number received, plus one.
    #[must_use]
    pub fn highest(&self) -> u64 {
        self.highest
    }

    /// Bytes held beyond a hole.
    #[must_use]
    pub fn bytes_held(&self) -> u64 {
        self.islands.iter().map(|(begin, end)| end - begin).sum()
    }

    /// Takes a segment and gives the acknowledgment to send: the next byte expected.
    pub fn receive(&mut self, sequence: u64, length: u64) -> u64 {
        let (before, held) = (self.next, self.bytes_held());
        let end = sequence + length;
        self.bytes_received += length;
        if sequence <= self.next {
            self.next = self.next.max(end);
            self.join_islands();
        } else if self.out_of_order == OutOfOrder::Keep {
            self.hold(sequence, end);
        }
        if sequence <= before || self.out_of_order == OutOfOrder::Keep {
            self.highest = self.highest.max(end);
        }
        let gained = (self.next - before) + self.bytes_held() - held;
        self.bytes_discarded += length - gained;
        self.next
    }

    fn join_islands(&mut self) {
        let reached = self.islands.iter().take_while(|(begin, _)| *begin <= self.next).count();
        for (_, end) in self.islands.drain(..reached) {
            self.next = self.next.max(end);
        }
    }

    fn hold(&mut self, begin: u64, end: u64) {
        let first = self.islands.partition_point(|island| island.1 < begin);
        let beyond = self.islands.partition_point(|island| island.0 <= end);
        let merged = self.islands[first..beyond]
            .iter()
            .fold((begin, end), |all, island| (all.0.min(island.0), all.1.max(island.1)));
        self.islands.splice(first..beyond, [merged]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_filled_hole_is_acknowledged_with_all_that_was_kept_beyond_it() {
        let mut receiver = Receiver::new(OutOfOrder::Keep);
        assert_eq!(receiver.receive(0, 10), 10);
        assert_eq!(receiver.receive(20, 10), 10);
        assert_eq!(receiver.receive(30, 10), 10);
        assert_eq!(receiver.receive(10, 10), 40);
        assert_eq!((receiver.bytes_held(), receiver.bytes_discarded), (0, 0));
    }

    #[test]
    fn a_discarding_receiver_waits_for_everything_beyond_the_hole_again() {
        let mut receiver = Receiver::new(OutOfOrder::Discard);
        assert_eq!(receiver.receive(10, 10), 0);
        assert_eq!(receiver.receive(0, 10), 10);
        assert_eq!(receiver.bytes_discarded, 10);
    }

    proptest! {
        #[test]
        fn a_receiver_agrees_with_a_set_of_bytes(segments in prop::collection::vec((0_u64..60, 1_u64..12), 1..60)) {
            let mut receiver = Receiver::new(OutOfOrder::Keep);
            let mut bytes = std::collections::BTreeSet::new();
            let mut received = 0;
            for (sequence, length) in segments {
                bytes.extend(sequence..sequence + length);
                received += length;
                let next = (0..).find(|byte| !bytes.contains(byte)).unwrap();
                prop_assert_eq!(receiver.receive(sequence, length), next);
                prop_assert_eq!(receiver.bytes_held(), bytes.len() as u64 - next);
                prop_assert_eq!(received, bytes.len() as u64 + receiver.bytes_discarded);
            }
        }
    }
}
