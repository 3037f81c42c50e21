//! A queue discipline with counts of what becomes of packets.

use longfat_foundation::measure::Histogram;
use longfat_foundation::units::Time;

use super::{QueueDiscipline, Waiting};
use crate::framing::{Cell, Packets};
use crate::link::Terminals;
use crate::switch::{DisciplineCounts, Dropped};

/// A queue discipline with its statistics.
pub struct ActiveQueue {
    discipline: Box<dyn QueueDiscipline>,
    supersedes: bool,
    /// Waiting times of the packets that were sent.
    delays: Histogram,
    packets_marked: u64,
    acknowledgments_superseded: u64,
}

impl ActiveQueue {
    /// An empty queue.
    #[must_use]
    pub fn new(discipline: Box<dyn QueueDiscipline>) -> Self {
        Self {
            supersedes: discipline.supersedes(),
            discipline,
            delays: Histogram::default(),
            packets_marked: 0,
            acknowledgments_superseded: 0,
        }
    }

    /// [`QueueDiscipline::know_terminals`].
    pub fn know_terminals(&mut self, terminals: &Terminals) {
        self.discipline.know_terminals(terminals);
    }

    /// A packet arrives, one of those under way.
    pub fn enqueue(&mut self, packet: Waiting, packets: &Packets, dropped: &mut Vec<Dropped>) {
        if self.supersedes {
            let before = dropped.len();
            self.discipline.supersede(&packet, packets, dropped);
            self.acknowledgments_superseded += (dropped.len() - before) as u64;
        }
        self.discipline.enqueue(packet, dropped);
    }

    /// Takes the packet to send.
    pub fn dequeue(&mut self, now: Time, dropped: &mut Vec<Dropped>) -> Option<Cell> {
        let packet = self.discipline.dequeue(now, dropped)?;
        self.delays.record(packet.delay(now));
        self.packets_marked += u64::from(packet.is_marked_here);
        Some(packet.cell)
    }

    /// Counts until now.
    #[must_use]
    pub fn counts(&self) -> DisciplineCounts<'_> {
        DisciplineCounts {
            delays: &self.delays,
            packets_marked: self.packets_marked,
            acknowledgments_superseded: self.acknowledgments_superseded,
        }
    }

    /// Empties the distribution of waiting times.
    pub fn count_anew(&mut self) {
        self.delays = Histogram::default();
    }

    /// [`QueueDiscipline::decides_on_arrival`].
    #[must_use]
    pub fn decides_on_arrival(&self) -> bool {
        self.discipline.decides_on_arrival()
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

#[cfg(test)]
mod tests {
    use longfat_foundation::registry::Chosen;
    use longfat_hosts::transport::Codepoint;

    use super::super::test_support::{at, context, packet, read};
    use super::super::{QueueContext, Room};
    use super::*;
    use crate::framing::Content;
    use crate::switch::drop_policy::Verdict;

    fn built(text: &str) -> ActiveQueue {
        let chosen: Chosen<dyn QueueDiscipline> = read(text);
        let context: QueueContext = context(Room::default());
        ActiveQueue::new(chosen.build(&context))
    }

    /// Also of what stands for no discipline, which holds packets like any other.
    #[test]
    fn a_queue_shows_and_gives_what_waits() {
        for name in ["tail-drop", "by-policy"] {
            let mut queue = built(&format!("{name:?}"));
            let (packets, mut dropped) = (Packets::default(), Vec::new());
            assert!(queue.is_empty());
            queue.enqueue(packet(0, Codepoint::NotCapable), &packets, &mut dropped);
            queue.enqueue(packet(0, Codepoint::NotCapable), &packets, &mut dropped);
            assert!(!queue.is_empty() && queue.len() == 2);
            let mut shown = 0;
            queue.visit(&mut |_| shown += 1);
            assert_eq!((shown, dropped.len()), (2, 0));
            assert!(queue.dequeue(at(1), &mut dropped).is_some() && queue.dequeue(at(1), &mut dropped).is_some());
            assert!(queue.dequeue(at(1), &mut dropped).is_none() && queue.is_empty());
        }
    }

    /// Two are driven out, one after the other, and another packet was dropped before.
    #[test]
    fn acknowledgments_that_are_driven_out_are_counted() {
        let mut queue = built("{ kind = \"ack-filter\" }");
        let (mut packets, mut dropped) =
            (Packets::default(), vec![(packet(0, Codepoint::NotCapable).cell, Verdict::Overflow)]);
        for next in [1000, 2000, 3000_u64] {
            let id = packets.insert(Content::Acknowledgment(next.into()), 1, 320);
            queue.enqueue(Waiting::new(Cell::new(id, 1, true, true), 40, at(0)), &packets, &mut dropped);
        }
        assert_eq!((queue.acknowledgments_superseded, queue.len(), dropped.len()), (2, 1, 3));
    }

    /// Three packets that have waited for longer than the ramp of `DualPI2`, which leaves the last one alone.
    #[test]
    fn packets_that_are_marked_here_are_counted() {
        let mut queue = built("\"dualpi2\"");
        let (packets, mut dropped) = (Packets::default(), Vec::new());
        (0..3).for_each(|_| queue.enqueue(packet(0, Codepoint::Scalable), &packets, &mut dropped));
        while queue.dequeue(at(5), &mut dropped).is_some() {}
        assert_eq!(queue.packets_marked, 1, "the second: likelihoods of 1 add up to more than 1 with it");
    }
}
