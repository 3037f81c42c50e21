//! A discipline at work, and what has become of the packets that it was given.

use super::{QueueDiscipline, Waiting};
use crate::framing::{Cell, Packets};
use crate::measure::Histogram;
use crate::switch::Dropped;
use crate::units::Time;

/// A queue discipline with its statistics.
pub struct ActiveQueue {
    discipline: Box<dyn QueueDiscipline>,
    /// How long the packets waited that were sent.
    pub delays: Histogram,
    /// Packets that were marked here, and sent.
    pub packets_marked: u64,
    /// Acknowledgments that were dropped because a newer one says what they say.
    pub acknowledgments_superseded: u64,
}

impl ActiveQueue {
    /// An empty queue.
    #[must_use]
    pub fn new(discipline: Box<dyn QueueDiscipline>) -> Self {
        Self { discipline, delays: Histogram::default(), packets_marked: 0, acknowledgments_superseded: 0 }
    }

    /// A packet arrives, one of those under way.
    pub fn enqueue(&mut self, packet: Waiting, packets: &Packets, dropped: &mut Vec<Dropped>) {
        let before = dropped.len();
        self.discipline.supersede(&packet, packets, dropped);
        self.acknowledgments_superseded += (dropped.len() - before) as u64;
        self.discipline.enqueue(packet, dropped);
    }

    /// Takes the packet to send.
    pub fn dequeue(&mut self, now: Time, dropped: &mut Vec<Dropped>) -> Option<Cell> {
        let packet = self.discipline.dequeue(now, dropped)?;
        self.delays.record(packet.delay(now));
        self.packets_marked += u64::from(packet.is_marked_here);
        Some(packet.cell)
    }

    /// Packets that wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.discipline.len()
    }

    /// Whether none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.discipline.is_empty()
    }

    /// Shows the packets that wait.
    pub fn visit(&self, visit: &mut dyn FnMut(Cell)) {
        self.discipline.visit(visit);
    }
}
