//! Turns of equal time on a line that terminals share.

use longfat_foundation::config::PositiveSpan;
use longfat_foundation::units::{Rate, Time, TransmissionTime};

use super::turns::Turns;
use super::{PacketQueue, QueueContext, QueueDiscipline, Room, Waiting};
use crate::framing::Cell;
use crate::link::Terminals;
use crate::switch::Dropped;
use crate::switch::drop_policy::Verdict;

longfat_foundation::model! {
    /// A queue for each receiving host, served in turns of equal time instead of equal numbers of bytes. On a carrier that terminals share, one in
    /// rain, whose packets take longer, so gets fewer of them through and takes no time from others. A queue that becomes busy has its first
    /// turn before those that have been busy. A full buffer drops the latest packet of the queue with the most packets.
    #[name = "airtime-fair"]
    #[source = "Høiland-Jørgensen, Kazior, Täht, Hurtig and Brunstrom 2017, USENIX ATC, section 3.2; Shreedhar and Varghese 1995, SIGCOMM"]
    pub struct AirtimeFair: dyn QueueDiscipline {
        /// Time on the line that a queue has per turn. What a packet takes beyond it is missing in later turns, at most a thousand.
        quantum: PositiveSpan = "1 ms",
    }
    build(config, context) { Box::new(Queues::new(config, context)) }
    objections(_config, _context) { Vec::new() }
}

/// Most turns that one packet costs, so that no rate makes a queue wait for longer, and finding the next turn remains quick.
const MOST_TURNS_OF_A_PACKET: u64 = 1000;

struct Queues {
    room: Room,
    rate: Rate,
    /// Where terminals share the line, their rates.
    terminals: Option<Terminals>,
    /// The queue of each circuit: that of its destination.
    queue_of: Vec<usize>,
    queues: Vec<PacketQueue>,
    turns: Turns,
    /// Picoseconds of a turn.
    quantum: u64,
    packets: usize,
    bytes: u64,
}

impl Queues {
    fn new(config: &AirtimeFair, context: &QueueContext) -> Self {
        let mut hosts: Vec<_> = context.circuits.iter().map(|ends| ends.destination).collect();
        let place = |hosts: &[usize], host| hosts.partition_point(|other| *other < host);
        hosts.sort_unstable();
        hosts.dedup();
        Self {
            room: context.room,
            rate: context.rate,
            terminals: None,
            queue_of: context.circuits.iter().map(|ends| place(&hosts, ends.destination)).collect(),
            turns: Turns::new(hosts.len(), config.quantum.0.0),
            quantum: config.quantum.0.0,
            queues: vec![PacketQueue::default(); hosts.len()],
            packets: 0,
            bytes: 0,
        }
    }

    /// Picoseconds on the line that a packet sent at `now` costs its queue.
    fn cost_of(&self, packet: &Waiting, now: Time) -> u64 {
        let of_terminal = self.terminals.as_ref().and_then(|terminals| terminals.rate(packet.cell.circuit(), now));
        let time = TransmissionTime::of_bits(8 * packet.bytes, of_terminal.unwrap_or(self.rate)).rounded_down();
        time.0.min(self.quantum.saturating_mul(MOST_TURNS_OF_A_PACKET))
    }

    fn count_out(&mut self, packet: &Waiting) {
        self.packets -= 1;
        self.bytes -= packet.bytes;
    }

    /// Drops the latest packet of the longest queue.
    fn make_room(&mut self, dropped: &mut Vec<Dropped>) {
        let longest = self.queues.iter_mut().max_by_key(|queue| queue.len());
        let packet = longest.and_then(|queue| queue.take(queue.len().checked_sub(1)?));
        if let Some(packet) = packet {
            self.count_out(&packet);
            dropped.push((packet.cell, Verdict::Overflow));
        }
    }
}

impl QueueDiscipline for Queues {
    fn know_terminals(&mut self, terminals: &Terminals) {
        self.terminals = Some(terminals.clone());
    }

    fn enqueue(&mut self, packet: Waiting, dropped: &mut Vec<Dropped>) {
        let number = self.queue_of[packet.cell.circuit()];
        self.packets += 1;
        self.bytes += packet.bytes;
        self.queues[number].push(packet);
        if !self.turns.has(number) {
            self.turns.begin(number, self.turns.quantum());
        }
        while !self.room.holds(self.packets, self.bytes) {
            self.make_room(dropped);
        }
    }

    fn dequeue(&mut self, now: Time, _dropped: &mut Vec<Dropped>) -> Option<Waiting> {
        loop {
            let number = self.turns.next()?;
            let Some(packet) = self.queues[number].pop() else {
                self.turns.pass(number);
                continue;
            };
            self.count_out(&packet);
            self.turns.spend(number, self.cost_of(&packet, now));
            return Some(packet);
        }
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

    /// A packet takes a millisecond. A queue that has just become busy goes before those that have had their turn.
    #[test]
    fn hosts_take_turns_of_the_time_of_a_packet() {
        let mut bench = Bench::new("airtime-fair");
        bench.arrive(0, &[0, 0, 0, 2, 2]);
        assert_eq!(bench.serve(0, 2), "02");
        bench.arrive(2, &[4]);
        assert_eq!(bench.serve(2, 5), "4020.");
    }

    /// Circuits 4, 6 and 8 lead from one host to three.
    #[test]
    fn a_turn_may_be_longer_than_a_packet() {
        let mut bench = Bench::new("{ kind = \"airtime-fair\", quantum = \"2 ms\" }");
        bench.arrive(0, &[4, 4, 4, 6, 6, 6]);
        assert_eq!(bench.serve(0, 7), "446646.");
    }

    #[test]
    fn a_full_buffer_drops_the_latest_packet_of_the_longest_queue() {
        let mut bench = Bench::with_packets("airtime-fair", 3);
        bench.arrive(0, &[0, 0, 2]);
        bench.arrive(1, &[4]);
        assert_eq!(bench.dropped(), "0o");
        assert_eq!(bench.serve(1, 4), "024.");
    }
}
