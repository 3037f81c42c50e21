//! One queue that drops what finds no room.

use longfat_foundation::units::Time;

use super::{PacketQueue, QueueDiscipline, Room, Waiting};
use crate::framing::Cell;
use crate::switch::Dropped;

longfat_foundation::model! {
    /// First in, first out; a packet that finds no room is dropped. Like `policy = "tail-drop"`, but the buffer may also be in bytes, and
    /// waiting times are measured. The baseline for the other disciplines.
    #[name = "tail-drop"]
    #[source = "RFC 7567 section 2.1"]
    pub struct TailDrop: dyn QueueDiscipline {}
    build(_config, context) { Box::new(Fifo { room: context.room, queue: PacketQueue::default() }) }
}

/// One queue with this room.
#[derive(Default)]
pub(super) struct Fifo {
    room: Room,
    queue: PacketQueue,
}

impl QueueDiscipline for Fifo {
    fn enqueue(&mut self, packet: Waiting, dropped: &mut Vec<Dropped>) {
        self.queue.push_within(&self.room, packet, dropped);
    }

    fn dequeue(&mut self, _now: Time, _dropped: &mut Vec<Dropped>) -> Option<Waiting> {
        self.queue.pop()
    }

    fn decides_on_arrival(&self) -> bool {
        true
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
    use super::super::test_support::Bench;

    #[test]
    fn a_packet_that_finds_no_room_is_dropped_and_the_others_leave_in_order() {
        let mut bench = Bench::with_bytes("tail-drop", 3000);
        bench.arrive(0, &[0, 1, 2]);
        assert_eq!(bench.dropped(), "2o");
        assert_eq!(bench.serve(5, 3), "01.");
    }
}
