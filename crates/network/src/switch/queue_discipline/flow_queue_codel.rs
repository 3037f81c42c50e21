//! FQ-CoDel.

use longfat_foundation::config::{AtLeastOne, Bytes, PositiveSpan, SpanIfAny};
use longfat_foundation::units::Time;

use super::controlled_delay::{ControlledDelay, Law, SquareRoot};
use super::turns::{Turns, hash_circuits, queues_in_use};
use super::{PacketQueue, QueueContext, QueueDiscipline, Room, Waiting, objection_to_quantum};
use crate::framing::Cell;
use crate::switch::Dropped;
use crate::switch::drop_policy::Verdict;

longfat_foundation::model! {
    /// A queue per circuit, as far as hashing tells circuits apart, each with `CoDel`. Queues are served by deficit round robin, and a
    /// queue that has just become busy goes first. A full buffer drops from the head of the longest queue.
    #[name = "fq-codel"]
    #[source = "RFC 8290"]
    pub struct FlowQueueCodel: dyn QueueDiscipline {
        /// The acceptable delay of a standing queue, for each circuit.
        target: PositiveSpan = "5 ms",
        /// How long the delay must stay above the target before packets are dropped.
        interval: PositiveSpan = "100 ms",
        /// Bytes that a queue may send per turn, at least 256 B as in Linux.
        quantum: Bytes = "1514 B",
        /// The number of queues into which circuits are hashed. Two circuits with the same hash share a queue.
        queues: AtLeastOne = "1024",
        /// The most packets that a full buffer drops from the longest queue at once, and never more than half of that queue (section 4.1).
        drop_batch: AtLeastOne = "64" or ["1"],
        /// Whether packets of connections that support ECN (RFC 3168) are marked instead of dropped. A full buffer drops them all the same.
        ecn: bool = "true" or ["false"],
        /// Packets that can be marked (ECN; RFC 3168) are marked when they have waited for longer than this, besides what the law does and whatever
        /// `ecn` says, as in Linux, for senders such as DCTCP; 0 for no such threshold.
        ce_threshold: SpanIfAny = "0 s",
    }
    build(config, context) { Box::new(Queues::new(config, context)) }
    objections(config, _context) { objection_to_quantum(config.quantum).into_iter().collect() }
}

struct FlowQueue {
    queue: PacketQueue,
    control: ControlledDelay,
}

struct Queues {
    room: Room,
    drop_batch: usize,
    /// The queue of each circuit.
    queue_of: Vec<usize>,
    queues: Vec<FlowQueue>,
    turns: Turns,
    packets: usize,
    bytes: u64,
}

impl Queues {
    fn new(config: &FlowQueueCodel, context: &QueueContext) -> Self {
        let queue_of = hash_circuits(context.circuits.len(), config.queues.0, &context.chance);
        let law = Law {
            target: config.target.0,
            interval: config.interval.0,
            full_packet_bytes: context.full_packet_bytes,
            marks: config.ecn,
            square_root: SquareRoot::Exact,
        };
        let control = ControlledDelay::new(law).marking_above(config.ce_threshold.0);
        let queue = |_| FlowQueue { queue: PacketQueue::default(), control: control.clone() };
        let in_use = queues_in_use(&queue_of);
        Self {
            room: context.room,
            drop_batch: usize::try_from(config.drop_batch.0).unwrap_or(usize::MAX),
            queues: (0..in_use).map(queue).collect(),
            turns: Turns::new(in_use, config.quantum.0),
            queue_of,
            packets: 0,
            bytes: 0,
        }
    }

    /// Drops from the head of the queue with the most bytes: half of it, but no more than a batch (section 4.1).
    fn make_room(&mut self, dropped: &mut Vec<Dropped>) {
        let longest = (0..self.queues.len()).max_by_key(|&number| (self.queues[number].queue.bytes(), number));
        let Some(longest) = longest else { return };
        let queue = &mut self.queues[longest].queue;
        let batch = (queue.len() / 2).clamp(1, self.drop_batch);
        for packet in std::iter::from_fn(|| queue.pop()).take(batch) {
            self.packets -= 1;
            self.bytes -= packet.bytes;
            dropped.push((packet.cell, Verdict::Overflow));
        }
    }

    /// The packet that the control of a queue sends, with the bytes left in all queues.
    #[inline(always)]
    fn take_from(&mut self, number: usize, now: Time, dropped: &mut Vec<Dropped>) -> Option<Waiting> {
        let FlowQueue { queue, control, .. } = &mut self.queues[number];
        let (packets, bytes) = (queue.len(), queue.bytes());
        let packet = control.dequeue(now, queue, dropped);
        self.packets -= packets - queue.len();
        self.bytes -= bytes - queue.bytes();
        packet
    }
}

impl QueueDiscipline for Queues {
    fn enqueue(&mut self, packet: Waiting, dropped: &mut Vec<Dropped>) {
        let number = self.queue_of[packet.cell.circuit()];
        self.packets += 1;
        self.bytes += packet.bytes;
        self.queues[number].queue.push(packet);
        if !self.turns.has(number) {
            self.turns.begin(number, self.turns.quantum());
        }
        while !self.room.holds(self.packets, self.bytes) {
            self.make_room(dropped);
        }
    }

    fn dequeue(&mut self, now: Time, dropped: &mut Vec<Dropped>) -> Option<Waiting> {
        while let Some(number) = self.turns.next() {
            if let Some(packet) = self.take_from(number, now, dropped) {
                self.turns.spend(number, packet.bytes);
                return Some(packet);
            }
            self.turns.pass(number);
        }
        None
    }

    fn len(&self) -> usize {
        self.packets
    }

    fn visit(&self, visit: &mut dyn FnMut(Cell)) {
        self.queues.iter().for_each(|queue| queue.queue.visit(visit));
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::Bench;

    #[test]
    fn queues_take_turns_however_many_packets_each_has() {
        let mut bench = Bench::new("fq-codel");
        bench.arrive(0, &[0, 0, 0, 0, 2, 2, 4]);
        // A quantum of 1514 bytes pays for one packet of 1500 bytes and leaves 14: a second one goes on credit, so every queue sends
        // two packets in its first turn and one in each turn after.
        assert_eq!(bench.serve(1, 8), "0022400.");
    }

    #[test]
    fn a_queue_that_has_just_become_busy_goes_before_those_that_have_been() {
        let mut bench = Bench::new("{ kind = \"fq-codel\", quantum = \"1500 B\" }");
        bench.arrive(0, &[0, 0, 0, 2, 2, 2]);
        assert_eq!(bench.serve(1, 3), "020");
        bench.arrive(2, &[4]);
        assert_eq!(bench.serve(2, 4), "4202");
    }

    #[test]
    fn a_queue_that_was_empty_for_a_moment_has_to_wait_its_turn() {
        let mut bench = Bench::new("{ kind = \"fq-codel\", quantum = \"1500 B\" }");
        bench.arrive(0, &[0, 0, 0, 2]);
        assert_eq!(bench.serve(1, 2), "02");
        // Queue 2 is empty and still among the new ones until its turn comes; what arrives for it then is not new.
        bench.arrive(2, &[2]);
        assert_eq!(bench.serve(2, 3), "020");
    }

    /// RFC 8290 section 4.2: an empty queue of the old list is removed, "to be added back (as a new queue)".
    #[test]
    fn a_queue_that_is_still_empty_in_its_turn_among_the_old_ones_is_new_when_it_comes_back() {
        let mut bench = Bench::new("{ kind = \"fq-codel\", quantum = \"3000 B\" }");
        bench.arrive(0, &[0, 0, 0, 0, 0, 0, 0, 0, 2]);
        // Queue 2 has 1500 bytes left when it is found empty, first among the new ones, then among the old ones.
        assert_eq!(bench.serve(1, 6), "002000");
        // Queue 0 has 1500 bytes left as well, and its turn is not over.
        bench.arrive(2, &[2]);
        assert_eq!(bench.serve(2, 2), "20");
    }

    #[test]
    fn a_full_buffer_drops_half_of_the_longest_queue_from_its_head() {
        let mut bench = Bench::with_packets("fq-codel", 10);
        bench.arrive(0, &[0, 0, 0, 0, 0, 0, 0, 2, 2, 2]);
        assert_eq!(bench.dropped(), "");
        bench.arrive(1, &[2]);
        assert_eq!(bench.dropped(), "0o0o0o", "three of seven");
        assert_eq!(bench.held(), 8);
    }

    #[test]
    fn no_more_than_a_batch_is_dropped_from_a_long_queue_at_once() {
        for (discipline, dropped) in [("fq-codel", 64), ("{ kind = \"fq-codel\", drop_batch = 1 }", 1)] {
            let mut bench = Bench::with_packets(discipline, 200);
            bench.arrive(0, &[0; 201]);
            assert_eq!((bench.take_dropped().len(), bench.held()), (dropped, 201 - dropped), "{discipline}");
        }
    }

    #[test]
    fn a_standing_queue_is_dropped_from_and_one_that_stands_not_is_left_alone() {
        let mut bench = Bench::new("{ kind = \"fq-codel\", quantum = \"1500 B\" }");
        bench.arrive(0, &[0; 200]);
        for milliseconds in (10..300).step_by(10) {
            bench.arrive(milliseconds, &[2]);
            bench.serve(milliseconds + 1, 2);
        }
        let dropped = bench.dropped();
        assert!(dropped.contains("0x") && !dropped.contains('2'), "{dropped}");
    }
}
