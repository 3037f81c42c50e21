//! Stochastic fairness queueing.

use std::collections::VecDeque;

use longfat_foundation::config::{AtLeastOne, Bytes};
use longfat_foundation::units::Time;

use super::turns::{hash_circuits, queues_in_use, signed};
use super::{PacketQueue, QueueContext, QueueDiscipline, Room, Waiting, objection_to_quantum};
use crate::framing::Cell;
use crate::switch::Dropped;
use crate::switch::drop_policy::Verdict;

longfat_foundation::choice! {
    /// Which packet of the longest queue a full buffer drops.
    pub enum DroppedEnd {
        /// The latest.
        Tail = "tail",
        /// The one that has waited longest.
        Head = "head",
    }
}

longfat_foundation::model! {
    /// Stochastic fairness queueing: a queue per circuit, as far as hashing tells circuits apart. Queues are served in turn, and a new one comes last.
    /// A full buffer drops from the queue with the most packets.
    #[name = "sfq"]
    #[source = "McKenney 1990, IEEE INFOCOM; Linux 6.12, net/sched/sch_sfq.c"]
    pub struct StochasticFairQueue: dyn QueueDiscipline {
        /// Bytes that a queue may send per turn, at least 256 B.
        quantum: Bytes = "1514 B",
        /// Packets that wait in one queue at most (`depth`).
        depth: AtLeastOne = "127",
        /// Queues that have packets at the same time, at most (`flows`). What would need another is dropped.
        busy_queues: AtLeastOne = "127",
        /// The number of hashes of circuits (`divisor`). Two circuits with the same hash share a queue. They are not hashed anew (`perturb`).
        queues: AtLeastOne = "1024",
        /// Which packet of the longest queue a full buffer drops (`headdrop`).
        drops: DroppedEnd = "tail" or ["head"],
    }
    build(config, context) { Box::new(Queues::new(config, context)) }
    objections(config, _context) { objection_to_quantum(config.quantum).into_iter().collect() }
}

#[derive(Clone, Debug, Default)]
struct FlowQueue {
    queue: PacketQueue,
    /// Bytes that it may still send in this turn; below zero if it has sent more (`allot`).
    credit: i64,
    /// When its length last changed, as a count of such changes.
    changed: u64,
}

struct Queues {
    settings: StochasticFairQueue,
    room: Room,
    /// The queue of each circuit.
    queue_of: Vec<usize>,
    queues: Vec<FlowQueue>,
    /// Queues with packets, in the order of their turns.
    busy: VecDeque<usize>,
    changes: u64,
    packets: usize,
    bytes: u64,
}

impl Queues {
    fn new(config: &StochasticFairQueue, context: &QueueContext) -> Self {
        let queue_of = hash_circuits(context.circuits.len(), config.queues.0, &context.chance);
        Self {
            room: context.room,
            queues: vec![FlowQueue::default(); queues_in_use(&queue_of)],
            queue_of,
            busy: VecDeque::new(),
            changes: 0,
            packets: 0,
            bytes: 0,
            settings: config.clone(),
        }
    }

    fn note_change(&mut self, number: usize) {
        self.changes += 1;
        self.queues[number].changed = self.changes;
    }

    fn push(&mut self, number: usize, packet: Waiting) {
        self.packets += 1;
        self.bytes += packet.bytes;
        let flow = &mut self.queues[number];
        if flow.queue.is_empty() {
            flow.credit = signed(self.settings.quantum.0);
            self.busy.push_back(number);
        }
        flow.queue.push(packet);
        self.note_change(number);
    }

    /// Takes the packet at a place in a queue.
    fn take(&mut self, number: usize, place: usize) -> Option<Waiting> {
        let packet = self.queues[number].queue.take(place)?;
        self.packets -= 1;
        self.bytes -= packet.bytes;
        self.note_change(number);
        Some(packet)
    }

    /// Drops a packet of the queue with the most; of several, that whose length has changed last; of those with one packet, that whose turn it is
    /// (`sfq_drop`).
    fn make_room(&mut self, dropped: &mut Vec<Dropped>) {
        let length = |number: usize| (self.queues[number].queue.len(), self.queues[number].changed);
        let Some(mut number) = self.busy.iter().copied().max_by_key(|&number| length(number)) else { return };
        let place = match self.settings.drops {
            DroppedEnd::Tail => self.queues[number].queue.len() - 1,
            DroppedEnd::Head => 0,
        };
        if self.queues[number].queue.len() == 1 {
            number = self.busy.pop_front().expect("one is busy");
        }
        if let Some(packet) = self.take(number, place) {
            dropped.push((packet.cell, Verdict::Overflow));
        }
    }

    /// Whether a queue takes no more packets.
    fn is_full(&self, number: usize) -> bool {
        let length = self.queues[number].queue.len() as u64;
        length >= self.settings.depth.0 || (length == 0 && self.busy.len() as u64 >= self.settings.busy_queues.0)
    }
}

impl QueueDiscipline for Queues {
    fn enqueue(&mut self, packet: Waiting, dropped: &mut Vec<Dropped>) {
        let number = self.queue_of[packet.cell.circuit()];
        if self.is_full(number) {
            let makes_way = self.settings.drops == DroppedEnd::Head && !self.queues[number].queue.is_empty();
            let Some(oldest) = makes_way.then(|| self.take(number, 0)).flatten() else {
                dropped.push((packet.cell, Verdict::Overflow));
                return;
            };
            dropped.push((oldest.cell, Verdict::Overflow));
            if self.queues[number].queue.is_empty() {
                self.busy.retain(|other| *other != number);
            }
        }
        self.push(number, packet);
        while !self.room.holds(self.packets, self.bytes) {
            self.make_room(dropped);
        }
    }

    fn dequeue(&mut self, _now: Time, _dropped: &mut Vec<Dropped>) -> Option<Waiting> {
        loop {
            let number = *self.busy.front()?;
            let flow = &mut self.queues[number];
            if flow.credit <= 0 {
                flow.credit += signed(self.settings.quantum.0);
                self.busy.rotate_left(1);
                continue;
            }
            let packet = self.take(number, 0)?;
            if self.queues[number].queue.is_empty() {
                self.busy.pop_front();
            } else {
                self.queues[number].credit -= signed(packet.bytes);
            }
            return Some(packet);
        }
    }

    fn len(&self) -> usize {
        self.packets
    }

    fn visit(&self, visit: &mut dyn FnMut(Cell)) {
        self.queues.iter().for_each(|flow| flow.queue.visit(visit));
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::Bench;

    fn with_packets(settings: &str, packets: u64) -> Bench {
        Bench::with_packets(&format!("{{ kind = \"sfq\", quantum = \"1500 B\", {settings} }}"), packets)
    }

    /// A quantum of 1514 bytes pays for a packet of 1500 and leaves 14, so each sends two in its first turn.
    #[test]
    fn queues_take_turns() {
        assert_eq!(with_packets("", 100).serve(0, 1), ".");
        let mut bench = with_packets("", 100);
        bench.arrive(0, &[0, 0, 0, 0, 2, 2, 4]);
        assert_eq!(bench.serve(1, 8), "0240200.");
        let mut bench = Bench::new("sfq");
        bench.arrive(0, &[0, 0, 0, 0, 2, 2, 4]);
        assert_eq!(bench.serve(1, 8), "0022400.");
    }

    #[test]
    fn a_queue_that_becomes_busy_comes_last() {
        let mut bench = with_packets("", 100);
        bench.arrive(0, &[0, 0, 0, 2, 2, 2]);
        assert_eq!(bench.serve(1, 2), "02");
        bench.arrive(2, &[4]);
        assert_eq!(bench.serve(2, 3), "042", "the turn of 2 ends only now");
    }

    #[test]
    fn a_full_buffer_drops_the_latest_packet_of_the_longest_queue() {
        let mut bench = with_packets("", 6);
        bench.arrive(0, &[0, 0, 0, 0, 2, 2]);
        bench.arrive(1, &[4]);
        assert_eq!(bench.dropped(), "0o");
        assert_eq!(bench.serve(1, 6), "024020");
    }

    /// Both have three packets: the latter's has changed last.
    #[test]
    fn of_two_that_are_equally_long_that_which_has_changed_last_loses_a_packet() {
        for (order, dropped) in [([0, 0, 0, 2, 2, 2], "2o"), ([2, 2, 2, 0, 0, 0], "0o")] {
            let mut bench = with_packets("", 6);
            bench.arrive(0, &order);
            bench.arrive(1, &[4]);
            assert_eq!(bench.dropped(), dropped);
        }
    }

    #[test]
    fn of_queues_of_one_packet_that_whose_turn_it_is_loses_it() {
        let mut bench = with_packets("", 2);
        bench.arrive(0, &[0, 2, 4]);
        assert_eq!(bench.dropped(), "0o");
        assert_eq!(bench.serve(1, 3), "24.");
    }

    /// Packets that can be marked are told apart from the others.
    #[test]
    fn the_dropped_end_is_the_tail_or_the_head() {
        for (drops, left) in [("tail", "first"), ("head", "latest")] {
            let mut bench = with_packets(&format!("drops = \"{drops}\""), 2);
            bench.arrive(0, &[0, 0]);
            bench.arrive_capable(1, &[0]);
            let dropped = bench.take_dropped();
            assert_eq!(dropped.len(), 1);
            let is_latest = dropped[0].0.codepoint().is_capable();
            assert_eq!(is_latest, left == "first", "{drops}");
        }
    }

    #[test]
    fn a_queue_has_a_depth_and_there_are_so_many_queues() {
        let mut bench = with_packets("depth = 2, busy_queues = 2", 100);
        bench.arrive(0, &[0, 0, 0, 2, 4]);
        assert_eq!(bench.dropped(), "0o4o");
    }
}
