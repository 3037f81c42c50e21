//! One queue from which newer acknowledgments drive out older ones.

use longfat_foundation::units::Time;

use super::superseded::Superseded;
use super::{PacketQueue, QueueDiscipline, Room, Waiting};
use crate::framing::{Cell, Packets};
use crate::switch::Dropped;
use crate::switch::drop_policy::Verdict;

longfat_foundation::model! {
    /// First in, first out, but an arriving acknowledgment replaces an older one of its connection that it makes redundant. For slow return
    /// links, as cable modems and satellite terminals do. Otherwise like `tail-drop`.
    #[name = "ack-filter"]
    #[source = "RFC 3449 section 5.2.1; sch_cake of Linux"]
    pub struct AcknowledgmentFilter: dyn QueueDiscipline {
        /// Which older acknowledgments are dropped.
        superseded_acknowledgments: Superseded = "aggressive" or ["conservative"],
    }
    build(config, context) {
        Box::new(Filter { superseded: config.superseded_acknowledgments, room: context.room, queue: PacketQueue::default() })
    }
}

struct Filter {
    superseded: Superseded,
    room: Room,
    queue: PacketQueue,
}

impl QueueDiscipline for Filter {
    fn supersedes(&self) -> bool {
        true
    }

    fn supersede(&mut self, newer: &Waiting, packets: &Packets, dropped: &mut Vec<Dropped>) {
        let place = self.superseded.find(&self.queue, newer, packets);
        let older = place.and_then(|place| self.queue.take(place));
        dropped.extend(older.map(|older| (older.cell, Verdict::Refused)));
    }

    fn enqueue(&mut self, packet: Waiting, dropped: &mut Vec<Dropped>) {
        self.queue.push_within(&self.room, packet, dropped);
    }

    fn dequeue(&mut self, _now: Time, _dropped: &mut Vec<Dropped>) -> Option<Waiting> {
        self.queue.pop()
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn visit(&self, visit: &mut dyn FnMut(Cell)) {
        self.queue.visit(visit);
    }
}

#[cfg(test)]
mod tests {
    use longfat_foundation::units::Time;

    use super::super::test_support::context;
    use super::*;
    use crate::framing::Content;

    #[test]
    fn an_acknowledgment_that_comes_drives_out_an_older_one_that_waits() {
        let mut filter = Filter {
            superseded: Superseded::Aggressive,
            room: context(Room::default()).room,
            queue: PacketQueue::default(),
        };
        let (mut packets, mut dropped) = (Packets::default(), Vec::new());
        let mut acknowledgment = |next: u64| {
            let id = packets.insert(Content::Acknowledgment(next.into()), 1, 320);
            Waiting::new(Cell::new(id, 1, true, true), 40, Time::ZERO)
        };
        let (older, newer) = (acknowledgment(1000), acknowledgment(2000));
        filter.enqueue(older, &mut dropped);
        filter.supersede(&newer, &packets, &mut dropped);
        filter.enqueue(newer, &mut dropped);
        assert_eq!(dropped, [(older.cell, Verdict::Refused)]);
        assert_eq!(filter.dequeue(Time::ZERO, &mut dropped).map(|packet| packet.cell), Some(newer.cell));
    }
}
