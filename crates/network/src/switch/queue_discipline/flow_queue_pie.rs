//! FQ-PIE.

use longfat_foundation::config::{AtLeastOne, Bytes, PositiveNumber, PositiveSpan, Probability};
use longfat_foundation::units::Time;

use super::proportional_integral::{Decay, DelayEstimate, ProportionalIntegral, Queue};
use super::turns::{Turns, hash_circuits, queues_in_use};
use super::{QueueContext, QueueDiscipline, Room, Waiting, objection_to_quantum};
use crate::framing::Cell;
use crate::switch::Dropped;
use crate::switch::drop_policy::Verdict;

longfat_foundation::model! {
    /// A queue per circuit, as far as hashing tells circuits apart, each with PIE, which sees its own queue's bytes and delay. Queues are served by
    /// deficit round robin, and a queue that has just become busy goes first. A full buffer drops what arrives.
    #[name = "fq-pie"]
    #[source = "Linux 6.12, net/sched/sch_fq_pie.c; RFC 8033; RFC 8290 section 4"]
    pub struct FlowQueuePie: dyn QueueDiscipline {
        /// The target delay, for each circuit (`QDELAY_REF`).
        target: PositiveSpan = "15 ms",
        /// How often the probabilities are updated (`T_UPDATE`).
        update_period: PositiveSpan = "15 ms",
        /// How long a burst into an empty queue is admitted without drops (`MAX_BURST`).
        burst: PositiveSpan = "150 ms",
        /// Weight of the difference between delay and target, in 1/s (alpha).
        alpha: PositiveNumber = "0.125",
        /// Weight of the change of the delay, in 1/s (beta).
        beta: PositiveNumber = "1.25",
        /// The packet size that PIE assumes: a queue of no more than two such packets drops nothing (`MEAN_PKTSIZE`).
        mean_packet: Bytes = "1024 B",
        /// Bytes that a queue may send per turn, at least 256 B as in Linux.
        quantum: Bytes = "1514 B",
        /// The number of queues into which circuits are hashed. Two circuits with the same hash share a queue.
        queues: AtLeastOne = "1024",
        /// Whether packets of connections that support ECN (RFC 3168) are marked instead of dropped while the probability is below `ecn_limit`.
        ecn: bool = "true" or ["false"],
        /// The probability from which packets are dropped even if they could be marked.
        ecn_limit: Probability = "0.1",
    }
    build(config, context) { Box::new(Queues::new(config, context)) }
    objections(config, context) {
        let period = context.objection_to_period(config.update_period.0);
        period.into_iter().chain(objection_to_quantum(config.quantum)).collect()
    }
}

impl FlowQueuePie {
    /// The control of each queue.
    fn control(&self) -> ProportionalIntegral {
        ProportionalIntegral {
            target: self.target,
            update_period: self.update_period,
            burst: self.burst,
            alpha: self.alpha,
            beta: self.beta,
            delay_estimate: DelayEstimate::Timestamps,
            decay: Decay::WithoutQueue,
            mean_packet: self.mean_packet,
            ecn: self.ecn,
            ecn_limit: self.ecn_limit,
        }
    }
}

struct Queues {
    room: Room,
    /// The queue of each circuit.
    queue_of: Vec<usize>,
    queues: Vec<Queue>,
    turns: Turns,
    packets: usize,
    bytes: u64,
}

impl Queues {
    fn new(config: &FlowQueuePie, context: &QueueContext) -> Self {
        let queue_of = hash_circuits(context.circuits.len(), config.queues.0, &context.chance);
        let in_use = queues_in_use(&queue_of);
        // The buffer is that of all; a queue is controlled from its third packet on.
        let own = |number: usize| {
            let chance = context.chance.of_part(number as u64);
            Queue::new(&config.control(), &QueueContext { room: Room::default(), chance, ..context.clone() })
        };
        Self {
            room: context.room,
            queues: (0..in_use).map(own).collect(),
            turns: Turns::new(in_use, config.quantum.0),
            queue_of,
            packets: 0,
            bytes: 0,
        }
    }
}

impl QueueDiscipline for Queues {
    fn enqueue(&mut self, packet: Waiting, dropped: &mut Vec<Dropped>) {
        let (number, bytes) = (self.queue_of[packet.cell.circuit()], packet.bytes);
        let queue = &mut self.queues[number];
        if !self.room.holds(self.packets + 1, self.bytes + bytes) {
            queue.refuse();
            dropped.push((packet.cell, Verdict::Overflow));
            return;
        }
        let before = queue.len();
        queue.enqueue(packet, dropped);
        if queue.len() > before {
            self.packets += 1;
            self.bytes += bytes;
            if !self.turns.has(number) {
                self.turns.begin(number, self.turns.quantum());
            }
        }
    }

    fn dequeue(&mut self, now: Time, dropped: &mut Vec<Dropped>) -> Option<Waiting> {
        while let Some(number) = self.turns.next() {
            if let Some(packet) = self.queues[number].dequeue(now, dropped) {
                self.packets -= 1;
                self.bytes -= packet.bytes;
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
        self.queues.iter().for_each(|queue| queue.visit(visit));
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::Bench;

    #[test]
    fn queues_take_turns_however_many_packets_each_has() {
        let mut bench = Bench::new("{ kind = \"fq-pie\", quantum = \"1500 B\" }");
        bench.arrive(0, &[0, 0, 0, 0, 2, 2, 4]);
        assert_eq!(bench.serve(1, 8), "0240200.");
    }

    #[test]
    fn a_full_buffer_drops_what_arrives_whosever_it_is() {
        let mut bench = Bench::with_packets("fq-pie", 10);
        bench.arrive(0, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
        bench.arrive(1, &[4, 0]);
        assert_eq!(bench.dropped(), "4o0o");
        assert_eq!(bench.serve(1, 1), "0");
        bench.arrive(2, &[4]);
        assert_eq!(bench.dropped(), "4o0o", "there is room again");
    }

    /// A circuit whose packets leave ten milliseconds apart and come twice as fast, and one that sends a packet now and then.
    #[test]
    fn a_queue_that_stands_is_dropped_from_and_one_that_does_not_is_left_alone() {
        let mut bench = Bench::new("{ kind = \"fq-pie\", quantum = \"1500 B\", burst = \"15 ms\" }");
        bench.arrive(0, &[0; 20]);
        for milliseconds in (10..3000).step_by(10) {
            bench.arrive(milliseconds, &[0, 2]);
            bench.serve(milliseconds + 1, 2);
            bench.arrive(milliseconds + 5, &[0]);
        }
        let dropped = bench.dropped();
        assert!(dropped.contains("0x") && !dropped.contains('2'), "{dropped}");
    }

    #[test]
    fn packets_that_can_be_are_marked_while_the_probability_is_small() {
        let mut bench = Bench::new("{ kind = \"fq-pie\", burst = \"1 ps\", ecn_limit = 1.0 }");
        bench.arrive_capable(0, &[0; 40]);
        for milliseconds in (10..500).step_by(10) {
            bench.serve(milliseconds, 1);
            bench.arrive_capable(milliseconds, &[0]);
        }
        while bench.held() > 0 {
            bench.serve(500, 1);
        }
        assert!(bench.take_marked() > 0 && bench.dropped().is_empty());
    }
}
