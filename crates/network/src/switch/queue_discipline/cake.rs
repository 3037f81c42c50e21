//! The flow and host isolation of CAKE.

mod cobalt;
mod flow_table;
mod isolation;

use std::collections::VecDeque;

use longfat_foundation::config::{AtLeastOne, Bytes, PositiveSpan};
use longfat_foundation::units::{Span, Time, TransmissionTime};

use self::cobalt::Cobalt;
use self::flow_table::FlowTable;
use self::isolation::{Isolation, Loads};
use super::controlled_delay::{ControlledDelay, Law, SquareRoot};
use super::superseded::Superseded;
use super::{Ends, PacketQueue, QueueContext, QueueDiscipline, Room, Waiting, objection_to_quantum};
use crate::framing::{Cell, Packets};
use crate::switch::Dropped;
use crate::switch::drop_policy::Verdict;

longfat_foundation::choice! {
    /// How the delay of a flow's queue is kept low.
    pub enum Control {
        /// CoDel (RFC 8289), which begins again when another flow takes over the queue.
        CoDel = "codel",
        /// COBALT, as in Linux: the count of drops goes down step by step, and a queue's last packet is not dropped. Without its BLUE, which
        /// acts where the buffer overflows.
        Cobalt = "cobalt",
    }
    absent CoDel
}

/// The state of such a control.
enum Controlled {
    CoDel(ControlledDelay),
    Cobalt(Cobalt),
}

impl Controlled {
    fn new(control: Control, law: Law) -> Self {
        match control {
            Control::CoDel => Self::CoDel(ControlledDelay::new(law)),
            Control::Cobalt => Self::Cobalt(Cobalt::new(law)),
        }
    }
}

longfat_foundation::model! {
    /// A queue per flow with `CoDel`, served by deficit round robin; flows with little to send go first. A host with many flows gets no
    /// more than a host with one: each of its flows may send only a fraction of the quantum per turn. Flows find their queues by
    /// set-associative hashing. A full buffer drops from the head of the longest queue.
    #[name = "cake"]
    #[source = "Høiland-Jørgensen, Täht and Morton 2018 (arXiv:1804.07617), section III; sch_cake of Linux"]
    pub struct Cake: dyn QueueDiscipline {
        /// Between whom the line is divided fairly.
        isolation: Isolation = "triple-isolate",
        /// The acceptable delay of a standing queue, for each flow.
        target: PositiveSpan = "5 ms",
        /// How long the delay must stay above the target before packets are dropped.
        interval: PositiveSpan = "100 ms",
        /// Bytes that the only busy flow of a host may send per turn; with n busy flows each may send an n-th of it. At least 256 B.
        quantum: Bytes = "1514 B",
        /// The number of queues into which flows are hashed, in sets of eight, at most 8,192; an incomplete set is not used.
        queues: AtLeastOne = "1024",
        /// Whether packets of connections that support ECN (RFC 3168) are marked instead of dropped. A full buffer drops them all the same.
        ecn: bool = "true" or ["false"],
        /// How the delay of a flow's queue is kept low.
        control: Control = "codel" or ["cobalt"],
        /// Which waiting acknowledgments are dropped when a newer one of the same connection arrives.
        superseded_acknowledgments: Superseded = "kept",
    }
    build(config, context) { Box::new(Queues::new(config, context)) }
    objections(config, _context) {
        let many = (config.queues.0 > MOST_QUEUES).then(|| ("queues", format!("must be at most {MOST_QUEUES}")));
        objection_to_quantum(config.quantum).into_iter().chain(many).collect()
    }
}

/// A turn of n busy flows of a host takes n turns of all of them.
const MOST_QUEUES: u64 = 8192;

/// The state of a queue in the rounds of the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It is in no list.
    Resting,
    /// New.
    Sparse,
    /// It has sent all that it had and more than it may, and waits among the old ones until that is made up for.
    SparseInTurn,
    /// It is among the old ones, and its hosts' shares are divided by it.
    Busy,
}

struct FlowQueue {
    queue: PacketQueue,
    control: Controlled,
    /// Bytes that it may still send in this turn; below zero if it has sent more.
    deficit: f64,
    state: State,
    ends: Ends,
}

struct Queues {
    room: Room,
    superseded: Superseded,
    quantum: f64,
    law: Law,
    control: Control,
    /// How long the line takes for a full packet.
    packet_time: Span,
    circuits: Vec<Ends>,
    /// The flow of each circuit.
    flow_of: Vec<usize>,
    table: FlowTable,
    queues: Vec<FlowQueue>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    loads: Loads,
    packets: usize,
    bytes: u64,
}

impl Queues {
    #[expect(clippy::cast_precision_loss, reason = "packets are small")]
    fn new(config: &Cake, context: &QueueContext) -> Self {
        let flow_of = config.isolation.flows(&context.circuits);
        let flows = flow_of.iter().max().map_or(0, |most| most + 1);
        let table = FlowTable::new(flows, config.queues.0, &context.chance);
        let law = Law {
            target: config.target.0,
            interval: config.interval.0,
            full_packet_bytes: context.full_packet_bytes,
            marks: config.ecn,
            square_root: SquareRoot::Exact,
        };
        let queue = |_| FlowQueue {
            queue: PacketQueue::default(),
            control: Controlled::new(config.control, law),
            deficit: 0.0,
            state: State::Resting,
            ends: Ends::default(),
        };
        Self {
            room: context.room,
            superseded: config.superseded_acknowledgments,
            quantum: config.quantum.0 as f64,
            law,
            control: config.control,
            packet_time: TransmissionTime::of_bits(8 * context.full_packet_bytes, context.rate).at_least(),
            flow_of,
            queues: (0..table.len()).map(queue).collect(),
            table,
            new: VecDeque::new(),
            old: VecDeque::new(),
            loads: Loads::none(config.isolation, &context.circuits),
            circuits: context.circuits.clone(),
            packets: 0,
            bytes: 0,
        }
    }

    /// The queue of a circuit, which is this circuit's from now on.
    fn queue_for(&mut self, circuit: usize) -> usize {
        let place = self.table.find(self.flow_of[circuit], |place| self.queues[place].state == State::Resting);
        let queue = &mut self.queues[place.number];
        let is_busy = queue.state == State::Busy;
        let before = std::mem::replace(&mut queue.ends, self.circuits[circuit]);
        if is_busy {
            // Flows that share a queue count as one, of the hosts of the latest packet.
            self.loads.remove(before);
            self.loads.add(self.circuits[circuit]);
        } else if self.control == Control::CoDel && queue.state == State::Resting && place.is_taken_over {
            queue.control = Controlled::new(self.control, self.law);
        }
        place.number
    }

    /// The quantum of a queue, in bytes.
    fn share(&self, number: usize) -> f64 {
        self.quantum / f64::from(self.loads.sharers(self.queues[number].ends))
    }

    fn set_state(&mut self, number: usize, state: State) {
        let queue = &mut self.queues[number];
        let before = std::mem::replace(&mut queue.state, state);
        let ends = queue.ends;
        match (before == State::Busy, state == State::Busy) {
            (false, true) => self.loads.add(ends),
            (true, false) => self.loads.remove(ends),
            _ => {}
        }
    }

    /// A packet was queued.
    fn wake(&mut self, number: usize) {
        match self.queues[number].state {
            State::Resting => {
                self.set_state(number, State::Sparse);
                self.queues[number].deficit = self.share(number);
                self.new.push_back(number);
            }
            State::SparseInTurn => self.set_state(number, State::Busy),
            State::Sparse | State::Busy => {}
        }
    }

    /// The queue whose turn it is: new ones first.
    fn next_queue(&self) -> Option<usize> {
        self.new.front().or_else(|| self.old.front()).copied()
    }

    /// Takes the queue whose turn it is out of its list.
    fn unlist(&mut self, number: usize) {
        let list = if self.queues[number].state == State::Sparse { &mut self.new } else { &mut self.old };
        list.pop_front();
    }

    /// A queue has sent what it may in this turn.
    fn end_turn(&mut self, number: usize) {
        self.unlist(number);
        if self.queues[number].state == State::Sparse {
            let is_empty = self.queues[number].queue.is_empty();
            self.set_state(number, if is_empty { State::SparseInTurn } else { State::Busy });
        }
        self.queues[number].deficit += self.share(number);
        self.old.push_back(number);
    }

    /// A queue whose turn it is has nothing to send.
    fn rest(&mut self, number: usize) {
        self.unlist(number);
        self.set_state(number, State::Resting);
    }

    /// The packet that the control of a queue sends, with the bytes left in all queues.
    fn take_from(&mut self, number: usize, now: Time, dropped: &mut Vec<Dropped>) -> Option<Waiting> {
        let FlowQueue { queue, control, .. } = &mut self.queues[number];
        let (packets, bytes) = (queue.len(), queue.bytes());
        let packet = match control {
            Controlled::CoDel(control) => control.dequeue(now, queue, dropped),
            Controlled::Cobalt(control) => control.dequeue(now, queue, self.packet_time, dropped),
        };
        self.packets -= packets - queue.len();
        self.bytes -= bytes - queue.bytes();
        packet
    }

    /// Drops from the head of the queue with the most bytes.
    fn make_room(&mut self, dropped: &mut Vec<Dropped>) {
        let longest = self.queues.iter_mut().max_by_key(|queue| queue.queue.bytes());
        let Some(packet) = longest.and_then(|queue| queue.queue.pop()) else { return };
        self.packets -= 1;
        self.bytes -= packet.bytes;
        dropped.push((packet.cell, Verdict::Overflow));
    }
}

impl QueueDiscipline for Queues {
    fn supersedes(&self) -> bool {
        self.superseded != Superseded::Kept
    }

    fn supersede(&mut self, newer: &Waiting, packets: &Packets, dropped: &mut Vec<Dropped>) {
        let number = self.queue_for(newer.cell.circuit());
        let queue = &mut self.queues[number].queue;
        let Some(older) = self.superseded.find(queue, newer, packets).and_then(|place| queue.take(place)) else {
            return;
        };
        self.packets -= 1;
        self.bytes -= older.bytes;
        dropped.push((older.cell, Verdict::Refused));
    }

    fn enqueue(&mut self, packet: Waiting, dropped: &mut Vec<Dropped>) {
        let number = self.queue_for(packet.cell.circuit());
        self.packets += 1;
        self.bytes += packet.bytes;
        self.queues[number].queue.push(packet);
        self.wake(number);
        while !self.room.holds(self.packets, self.bytes) {
            self.make_room(dropped);
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "packets are small")]
    fn dequeue(&mut self, now: Time, dropped: &mut Vec<Dropped>) -> Option<Waiting> {
        while let Some(number) = self.next_queue() {
            if self.queues[number].deficit <= 0.0 {
                self.end_turn(number);
            } else if let Some(packet) = self.take_from(number, now, dropped) {
                self.queues[number].deficit -= packet.bytes as f64;
                return Some(packet);
            } else {
                self.rest(number);
            }
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
mod tests;
