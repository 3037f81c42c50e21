//! FQ, Linux's scheduler of flows.

use longfat_foundation::config::{AtLeastOne, Bytes, SpanIfAny};
use longfat_foundation::units::{Span, Time};

use super::turns::{Turns, hash_circuits, queues_in_use, signed};
use super::{PacketQueue, QueueContext, QueueDiscipline, Room, Waiting, objection_to_quantum};
use crate::framing::Cell;
use crate::switch::Dropped;
use crate::switch::drop_policy::Verdict;

longfat_foundation::model! {
    /// A queue per circuit, as far as hashing tells circuits apart, each with a limit of its own. Queues are served by deficit round robin, and a
    /// queue that has just become busy goes first; nothing is dropped early. What hosts' `fq` does besides, pacing, is a setting of
    /// `tcp.pacing`.
    #[name = "fq"]
    #[source = "Linux 6.12, net/sched/sch_fq.c"]
    pub struct FairQueue: dyn QueueDiscipline {
        /// Packets that wait in the queue of one circuit at most (`flow_limit`).
        flow_limit: AtLeastOne = "100",
        /// Bytes that a queue may send per turn, at least 256 B.
        quantum: Bytes = "3028 B",
        /// Bytes that a circuit may send in its very first turn.
        initial_quantum: Bytes = "15140 B",
        /// A circuit that had nothing to send for longer than this has at least a quantum in its next turn (`refill_delay`).
        refill_delay: SpanIfAny = "40 ms",
        /// While no queue of a circuit has packets, so many are sent in the order of their arrival, whosever they are (the fast path of Linux
        /// since 6.7); 0 for none.
        fast_path: u64 = "8",
        /// The number of queues into which circuits are hashed. Two circuits with the same hash share a queue.
        queues: AtLeastOne = "1024",
        /// Packets that can be marked (ECN; RFC 3168) are marked when they have waited for longer than this; 0 for no such threshold.
        ce_threshold: SpanIfAny = "0 s",
    }
    build(config, context) { Box::new(Queues::new(config, context)) }
    objections(config, _context) { objection_to_quantum(config.quantum).into_iter().collect() }
}

struct Queues {
    settings: FairQueue,
    room: Room,
    flow_limit: usize,
    fast_path: usize,
    /// The queue of each circuit.
    queue_of: Vec<usize>,
    queues: Vec<PacketQueue>,
    turns: Turns,
    /// Since when each queue takes no turns; `None` before its first.
    idle_since: Vec<Option<Time>>,
    /// Packets of whatever circuit that came while no queue had any.
    quick: PacketQueue,
    /// Packets and bytes in the queues.
    packets: usize,
    bytes: u64,
}

fn number(setting: u64) -> usize {
    usize::try_from(setting).unwrap_or(usize::MAX)
}

impl Queues {
    fn new(config: &FairQueue, context: &QueueContext) -> Self {
        let queue_of = hash_circuits(context.circuits.len(), config.queues.0, &context.chance);
        let in_use = queues_in_use(&queue_of);
        Self {
            room: context.room,
            flow_limit: number(config.flow_limit.0),
            fast_path: number(config.fast_path),
            queues: vec![PacketQueue::default(); in_use],
            turns: Turns::new(in_use, config.quantum.0),
            idle_since: vec![None; in_use],
            queue_of,
            quick: PacketQueue::default(),
            packets: 0,
            bytes: 0,
            settings: config.clone(),
        }
    }

    /// Bytes that a queue may send that takes turns again.
    fn credit(&self, number: usize, now: Time) -> i64 {
        let Some(since) = self.idle_since[number] else { return signed(self.settings.initial_quantum.0) };
        let left = self.turns.credit(number);
        if now - since > self.settings.refill_delay.0 { left.max(self.turns.quantum()) } else { left }
    }
}

impl QueueDiscipline for Queues {
    fn enqueue(&mut self, packet: Waiting, dropped: &mut Vec<Dropped>) {
        let queue = self.queue_of[packet.cell.circuit()];
        let is_quick = self.packets == 0 && self.quick.len() < self.fast_path;
        let fits = self.room.holds(self.len() + 1, self.bytes + self.quick.bytes() + packet.bytes);
        if !fits || (!is_quick && self.queues[queue].len() >= self.flow_limit) {
            dropped.push((packet.cell, Verdict::Overflow));
        } else if is_quick {
            self.quick.push(packet);
        } else {
            if !self.turns.has(queue) {
                self.turns.begin(queue, self.credit(queue, packet.arrived));
            }
            self.packets += 1;
            self.bytes += packet.bytes;
            self.queues[queue].push(packet);
        }
    }

    fn dequeue(&mut self, now: Time, _dropped: &mut Vec<Dropped>) -> Option<Waiting> {
        if let Some(packet) = self.quick.pop() {
            return Some(packet);
        }
        while let Some(queue) = self.turns.next() {
            if let Some(mut packet) = self.queues[queue].pop() {
                self.packets -= 1;
                self.bytes -= packet.bytes;
                self.turns.spend(queue, packet.bytes);
                let threshold = self.settings.ce_threshold.0;
                if threshold > Span::ZERO && packet.delay(now) > threshold {
                    packet.mark();
                }
                return Some(packet);
            }
            self.turns.pass(queue);
            if !self.turns.has(queue) {
                self.idle_since[queue] = Some(now);
            }
        }
        None
    }

    fn len(&self) -> usize {
        self.packets + self.quick.len()
    }

    fn visit(&self, visit: &mut dyn FnMut(Cell)) {
        self.quick.visit(visit);
        self.queues.iter().for_each(|queue| queue.visit(visit));
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::Bench;

    const PLAIN: &str = "fast_path = 0, initial_quantum = \"1500 B\", quantum = \"1500 B\"";

    fn bench(settings: &str) -> Bench {
        Bench::new(&format!("{{ kind = \"fq\", {settings} }}"))
    }

    #[test]
    fn queues_take_turns_of_a_quantum() {
        let mut bench = bench(PLAIN);
        bench.arrive(0, &[0, 0, 0, 0, 2, 2, 4]);
        assert_eq!(bench.serve(1, 8), "0240200.");
    }

    /// 15140 bytes pay for ten packets of 1500 and one on credit; then it is two and three in turn, as 3028 bytes have it.
    #[test]
    fn a_circuit_may_send_ten_packets_and_one_in_its_first_turn() {
        let mut bench = bench("fast_path = 0");
        bench.arrive(0, &[0; 20]);
        bench.arrive(0, &[2; 20]);
        assert_eq!(bench.serve(1, 30), format!("{}{}00220022", "0".repeat(11), "2".repeat(11)));
    }

    #[test]
    fn the_queue_of_a_circuit_has_a_limit_of_its_own() {
        let mut bench = bench("fast_path = 0, flow_limit = 3");
        bench.arrive(0, &[0, 0, 0, 0, 2]);
        assert_eq!(bench.dropped(), "0o");
        assert_eq!(bench.held(), 4);
    }

    /// Eight packets in order, though circuit 2 has come last; what comes while they wait has queues.
    #[test]
    fn packets_that_find_no_queue_busy_go_in_the_order_of_their_arrival() {
        let mut bench = Bench::new("{ kind = \"fq\", initial_quantum = \"1500 B\", quantum = \"1500 B\" }");
        bench.arrive(0, &[0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 2]);
        assert_eq!(bench.serve(1, 13), "000000200202.");
        bench.arrive(2, &[0, 0, 2]);
        assert_eq!(bench.serve(2, 3), "002", "all are served: it begins anew");
    }

    /// Two packets on a credit of 1501 bytes leave a debt of 1499, and a quantum of 3001 makes it 1502, which is for two packets. A whole quantum is for
    /// three.
    #[test]
    fn a_circuit_that_pauses_has_a_quantum_again() {
        let served = |pause: u64| {
            let mut bench = bench("fast_path = 0, initial_quantum = \"1501 B\", quantum = \"3001 B\"");
            bench.arrive(0, &[0, 0]);
            assert_eq!(bench.serve(0, 3), "00.");
            bench.arrive(pause, &[0, 0, 0, 0, 2]);
            bench.serve(pause, 4)
        };
        assert_eq!([served(40), served(41)], ["0020", "0002"]);
    }

    #[test]
    fn packets_that_have_waited_for_longer_than_the_threshold_are_marked() {
        let mut bench = bench("fast_path = 0, ce_threshold = \"5 ms\"");
        bench.arrive_capable(0, &[0, 0, 0]);
        bench.serve(5, 1);
        assert_eq!(bench.take_marked(), 0);
        bench.serve(6, 1);
        assert_eq!(bench.take_marked(), 1);
    }
}
