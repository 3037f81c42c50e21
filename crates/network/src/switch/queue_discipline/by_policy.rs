//! No discipline of its own.

use longfat_foundation::units::Time;

use super::{PacketQueue, QueueDiscipline, Waiting};
use crate::framing::Cell;
use crate::switch::Dropped;

longfat_foundation::model! {
    /// No queue discipline: `policy` guards one queue for each class, and `scheduler` takes cells or packets from them.
    #[name = "by-policy"]
    #[source = "UBR+ section 3"]
    pub struct ByPolicy: dyn QueueDiscipline {}
    build(_config, _context) { Box::new(Unguarded(PacketQueue::default())) }
}

/// A queue that nobody guards; the port keeps its own where this is chosen.
struct Unguarded(PacketQueue);

impl QueueDiscipline for Unguarded {
    fn enqueue(&mut self, packet: Waiting, _dropped: &mut Vec<Dropped>) {
        self.0.push(packet);
    }

    fn dequeue(&mut self, _now: Time, _dropped: &mut Vec<Dropped>) -> Option<Waiting> {
        self.0.pop()
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn visit(&self, visit: &mut dyn FnMut(Cell)) {
        self.0.visit(visit);
    }
}
