//! The bytes of a stream, at its sender and at its receiver.

use super::frame::Frame;
use crate::transport::ReceivedBytes;
use crate::transport::ranges::{Range, RangeSet};

/// Bytes to send.
#[derive(Debug, Default)]
pub struct Outgoing {
    /// Bytes that were handed over; `u64::MAX` for data without end.
    pub offered: u64,
    /// End of what was sent.
    pub sent_to: u64,
    acknowledged: RangeSet,
    lost: RangeSet,
}

impl Outgoing {
    /// The next bytes to send below `limit`: what was lost comes first.
    #[must_use]
    pub fn next(&self, limit: u64) -> Option<Range> {
        self.first_lost().or_else(|| {
            let end = self.offered.min(limit);
            (end > self.sent_to).then_some((self.sent_to, end))
        })
    }

    /// The first bytes that are lost and were not acknowledged after all.
    fn first_lost(&self) -> Option<Range> {
        self.lost.ranges().iter().find_map(|&(mut begin, end)| {
            while let Some(range) = self.acknowledged.containing(begin).filter(|_| begin < end) {
                begin = range.1;
            }
            let arrived = self.acknowledged.ranges().iter().find(|range| range.0 > begin).map_or(end, |range| range.0);
            (begin < end).then(|| (begin, end.min(arrived)))
        })
    }

    /// Takes bytes that [`next`](Self::next) has given, or the first of them.
    pub fn take(&mut self, (_, end): Range) {
        self.lost.remove_below(end);
        self.sent_to = self.sent_to.max(end);
    }

    /// Adds a frame of the next bytes below `limit` to a packet, if there are any and it has room. `frame` makes a frame of a range that fills
    /// the packet or not. Tells whether it did.
    pub fn add_to(
        &mut self,
        limit: u64,
        frames: &mut Vec<Frame>,
        left: &mut u64,
        frame: impl Fn(Range, bool) -> Frame,
    ) -> bool {
        let Some((begin, end)) = self.next(limit) else { return false };
        let header = frame((begin, begin), true).header_bytes();
        let filling = frame((begin, begin + left.saturating_sub(header)), true);
        let range = if filling.bytes() == *left && filling.data_bytes() > 0 && end - begin >= filling.data_bytes() {
            let range = (begin, begin + filling.data_bytes());
            filling.add_to(frames, left);
            range
        } else {
            let without_length = header - u64::from(matches!(filling, Frame::Crypto(_)));
            let Some(length) = Frame::fitting(without_length, end - begin, *left) else { return false };
            frame((begin, begin + length), false).add_to(frames, left);
            (begin, begin + length)
        };
        self.take(range);
        true
    }

    /// The peer has these bytes.
    pub fn acknowledge(&mut self, range: Range) {
        self.acknowledged.insert(range);
    }

    /// Bytes that the peer has from the beginning on.
    #[must_use]
    pub fn acknowledged_to(&self) -> u64 {
        self.acknowledged.containing(0).map_or(0, |range| range.1)
    }

    /// These bytes are lost.
    pub fn lose(&mut self, range: Range) {
        self.lost.insert(range);
    }

    /// Allocated memory in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.acknowledged.memory_bytes() + self.lost.memory_bytes()
    }
}

/// Bytes received.
#[derive(Debug, Default)]
pub struct Incoming {
    arrived: RangeSet,
    /// Bytes delivered in order.
    pub delivered: u64,
    /// End of the furthest byte.
    pub received_to: u64,
}

impl Incoming {
    /// Takes bytes, and returns which of them are new.
    pub fn take_in(&mut self, (begin, end): Range) -> ReceivedBytes {
        let new = self.arrived.insert((begin.max(self.delivered), end));
        self.received_to = self.received_to.max(end);
        self.delivered = self.arrived.containing(self.delivered).map_or(self.delivered, |range| range.1);
        self.arrived.remove_below(self.delivered);
        ReceivedBytes { new, duplicate: end - begin - new, beyond_hole: 0 }
    }

    /// Bytes beyond a hole.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.arrived.bytes()
    }

    /// Allocated memory in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.arrived.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_lost_goes_first_but_not_what_has_arrived_after_all() {
        let mut stream = Outgoing { offered: 100, ..Outgoing::default() };
        assert_eq!(stream.next(60), Some((0, 60)));
        stream.take((0, 50));
        assert_eq!(stream.next(60), Some((50, 60)));
        stream.take((50, 60));
        assert_eq!(stream.next(60), None, "the peer allows no more");
        stream.lose((10, 30));
        stream.acknowledge((10, 15));
        stream.acknowledge((20, 25));
        assert_eq!(stream.next(60), Some((15, 20)));
        stream.take((15, 20));
        assert_eq!(stream.next(60), Some((25, 30)));
        stream.take((25, 28));
        stream.take((28, 30));
        assert_eq!(stream.next(u64::MAX), Some((60, 100)));
    }

    #[test]
    fn bytes_are_delivered_in_order_and_once() {
        let mut stream = Incoming::default();
        let kinds = |bytes: ReceivedBytes| (bytes.new, bytes.duplicate);
        assert_eq!(kinds(stream.take_in((10, 20))), (10, 0));
        assert_eq!((stream.delivered, stream.held(), stream.received_to), (0, 10, 20));
        assert_eq!(kinds(stream.take_in((0, 15))), (10, 5));
        assert_eq!((stream.delivered, stream.held()), (20, 0));
        assert_eq!(kinds(stream.take_in((5, 25))), (5, 15));
        assert_eq!(kinds(stream.take_in((5, 25))), (0, 20));
    }
}
