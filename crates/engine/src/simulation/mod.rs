//! The loop: takes the next event, lets the models act, schedules what follows. No model arithmetic here.

mod audit;
mod background;
mod build;
mod loss_point;
mod policing;
mod results;

pub use audit::Violation;

use loss_point::LossPoint;
use policing::Policing;

use crate::background::Background;
use crate::calendar::{Calendar, Slot};
use crate::framing::{Cell, Content, Framing, Packets, Reassembly};
use crate::link::Line;
use crate::measure::{Fingerprint, RunRecord};
use crate::observer::{Observer, Unobserved};
use crate::scenario::Scenario;
use crate::switch::{Dropped, Port};
use crate::topology::Routes;
use crate::traffic::Source;
use crate::transport::{Acknowledgment, Receiver, Segment, Sender, option_bytes};
use crate::units::Time;

/// Simulates a scenario from beginning to end.
///
/// # Errors
/// If a conservation law does not hold at the end, which would be a mistake of the engine.
pub fn run(scenario: &Scenario) -> Result<RunRecord, Violation> {
    let mut simulation = Simulation::new(scenario, Unobserved);
    simulation.advance(simulation.end());
    simulation.finish()
}

/// What can happen next.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// The next cell on a line reaches its end.
    Arrival(usize),
    /// A port ends a slot, or its transmitter is free again.
    Service(usize),
    /// A flow's retransmission timer expires.
    Timeout(usize),
    /// A flow's source wakes.
    Wake(usize),
    /// A flow's delayed acknowledgment is due.
    LateAcknowledgment(usize),
    /// A background has a datagram.
    Background(usize),
}

/// Of events at one instant a slot closes before the cells that arrive at that very instant, which belong to the next.
const SERVICE_RANK: u8 = 0;
const OTHER_RANK: u8 = 1;

/// What is at the end of a line.
#[derive(Clone, Copy, Debug)]
enum LineEnd {
    Switch(usize),
    Host,
}

/// A line with what surrounds it.
struct Link {
    line: Line,
    end: LineEnd,
    entrance: Entrance,
}

/// What stands before a line.
#[derive(Clone, Copy, Debug)]
enum Entrance {
    /// Nothing: the transmitter takes all that comes.
    Open,
    /// A managed port.
    Port(usize),
    /// A place where packets get lost.
    LossPoint(usize),
    /// A managed port, and before it the network marks what exceeds the promises.
    Police(usize),
}

/// A connection: both end systems.
struct Flow {
    source: Box<dyn Source>,
    sender: Sender,
    receiver: Receiver,
    /// Lines of the sender's and the receiver's network interfaces.
    data_line: usize,
    acknowledgment_line: usize,
    /// Ends of the circuits that carry data and acknowledgments.
    data_in: Reassembly,
    acknowledgments_in: Reassembly,
    /// What is in the calendar for the sender's timers, and for the receiver's.
    timer: Option<Time>,
    late_acknowledgment: Option<Time>,
    /// All bytes that the source will ever hand over, if there is an end, and when the last of them was delivered.
    size: Option<u64>,
    finished: Option<Time>,
    fingerprint: Fingerprint,
}

/// One run in progress.
pub struct Simulation<O: Observer> {
    scenario: Scenario,
    observer: O,
    calendar: Calendar,
    events: Vec<Event>,
    links: Vec<Link>,
    routes: Routes,
    ports: Vec<Port>,
    port_fingerprints: Vec<Fingerprint>,
    loss_points: Vec<LossPoint>,
    flows: Vec<Flow>,
    backgrounds: Vec<Box<dyn Background>>,
    /// The port that they enter.
    background_port: usize,
    policing: Option<Policing>,
    framing: Box<dyn Framing>,
    packets: Packets,
    end: Time,
    events_processed: u64,
    cells_sent: u64,
    cells_delivered: u64,
    segments: Vec<Segment>,
    dropped: Vec<Dropped>,
}

impl<O: Observer> Simulation<O> {
    /// When the simulation ends.
    #[must_use]
    pub fn end(&self) -> Time {
        self.end
    }

    /// Lets everything happen that happens before `until` and before the end.
    pub fn advance(&mut self, until: Time) {
        let until = until.min(self.end);
        loop {
            let (now, slot) = self.calendar.first();
            if now >= until {
                return;
            }
            self.events_processed += 1;
            match self.events[slot.0 as usize] {
                Event::Arrival(line) => self.arrive(now, line),
                Event::Service(port) => self.serve(now, port),
                Event::Timeout(flow) => self.time_out(now, flow),
                Event::Wake(flow) => self.wake(now, flow),
                Event::LateAcknowledgment(flow) => self.acknowledge_late(now, flow),
                Event::Background(number) => self.emit(now, number),
            }
            #[cfg(debug_assertions)]
            if self.events_processed.is_multiple_of(1 << 14) {
                self.audit().unwrap_or_else(|violation| panic!("at {} s: {violation}", now.as_seconds()));
            }
        }
    }

    /// Checks the conservation laws and gives the results.
    ///
    /// # Errors
    /// If a law does not hold.
    pub fn finish(self) -> Result<RunRecord, Violation> {
        self.audit()?;
        Ok(self.record())
    }

    /// The observer, once the simulation is over.
    pub fn into_observer(self) -> O {
        self.observer
    }

    fn line_slot(line: usize) -> Slot {
        slot(line)
    }

    fn port_slot(&self, port: usize) -> Slot {
        slot(self.links.len() + port)
    }

    fn timer_slot(&self, flow: usize) -> Slot {
        slot(self.links.len() + self.ports.len() + flow)
    }

    fn wake_slot(&self, flow: usize) -> Slot {
        slot(self.links.len() + self.ports.len() + self.flows.len() + flow)
    }

    fn late_acknowledgment_slot(&self, flow: usize) -> Slot {
        slot(self.links.len() + self.ports.len() + 2 * self.flows.len() + flow)
    }

    fn background_slot(&self, number: usize) -> Slot {
        slot(self.links.len() + self.ports.len() + 3 * self.flows.len() + number)
    }

    /// Puts the head of a line into the calendar.
    #[inline]
    fn watch_line(&mut self, line: usize) {
        match self.links[line].line.next_arrival() {
            Some(time) => self.calendar.schedule(Self::line_slot(line), time, OTHER_RANK),
            None => self.calendar.cancel(Self::line_slot(line)),
        }
    }

    #[inline]
    fn arrive(&mut self, now: Time, line: usize) {
        let link = &mut self.links[line];
        let cell = link.line.receive();
        let end = link.end;
        self.watch_line(line);
        match end {
            LineEnd::Switch(node) => self.forward(now, node, cell),
            LineEnd::Host => self.deliver(now, cell),
        }
    }

    /// A cell has reached a switch and goes to its output port.
    #[inline]
    fn forward(&mut self, now: Time, node: usize, mut cell: Cell) {
        let Some(line) = self.routes.outlet(node, cell.circuit()) else { return self.absorb(cell) };
        let mut entrance = self.links[line].entrance;
        if let Entrance::LossPoint(_) | Entrance::Police(_) = entrance {
            let Some(behind) = self.pass_checks(now, entrance, cell) else { return };
            (entrance, cell) = behind;
        }
        match entrance {
            Entrance::Port(port) => self.enter_port(now, port, cell),
            Entrance::Open | Entrance::LossPoint(_) | Entrance::Police(_) => self.enter_line(now, line, cell),
        }
    }

    // Always: nearly all cells come from `forward`, which is not the only caller.
    #[inline(always)]
    fn enter_port(&mut self, now: Time, port: usize, cell: Cell) {
        if let Some(time) = self.ports[port].receive(now, cell, &mut self.dropped) {
            self.calendar.schedule(self.port_slot(port), time, SERVICE_RANK);
        }
        if !self.dropped.is_empty() {
            self.account_for_drops(now, port);
        }
    }

    #[inline]
    fn enter_line(&mut self, now: Time, line: usize, cell: Cell) {
        let link = &mut self.links[line];
        let idle = link.line.is_empty();
        link.line.send_cell(now, cell, &self.packets);
        if idle {
            self.watch_line(line);
        }
    }

    fn serve(&mut self, now: Time, port: usize) {
        let line = self.ports[port].line;
        let idle = self.links[line].line.is_empty();
        let next = self.ports[port].serve(now, &mut self.links[line].line, &self.packets, &mut self.dropped);
        match next {
            Some(time) => self.calendar.schedule(self.port_slot(port), time, SERVICE_RANK),
            None => self.calendar.cancel(self.port_slot(port)),
        }
        if idle {
            self.watch_line(line);
        }
        if let Some(class) = self.ports[port].sends() {
            self.observer.cell_served(now, port, class);
        }
        if !self.dropped.is_empty() {
            self.account_for_drops(now, port);
        }
    }

    #[cold]
    fn account_for_drops(&mut self, now: Time, port: usize) {
        for index in 0..self.dropped.len() {
            let (cell, reason) = self.dropped[index];
            self.port_fingerprints[port].add(now.0);
            self.port_fingerprints[port].add(cell.circuit() as u64);
            self.observer.cell_dropped(now, port, cell, reason);
            if self.packets.damage(cell.packet) {
                self.ports[port].count_dropped_packet();
            }
            self.packets.release_cell(cell.packet);
        }
        self.dropped.clear();
    }

    /// A cell has reached the host at the end of its circuit.
    #[inline]
    fn deliver(&mut self, now: Time, cell: Cell) {
        let (number, is_data) = (cell.circuit() / 2, cell.circuit().is_multiple_of(2));
        let Some(flow) = self.flows.get_mut(number) else { return self.absorb(cell) };
        let end = if is_data { &mut flow.data_in } else { &mut flow.acknowledgments_in };
        let content = end.receive(cell, &self.packets).map(|packet| self.packets.get(packet).content);
        self.cells_delivered += 1;
        self.packets.release_cell(cell.packet);
        match content {
            Some(Content::Data { sequence, length, sent }) => self.receive_segment(now, number, sequence, length, sent),
            Some(Content::Acknowledgment(acknowledgment)) => self.receive_acknowledgment(now, number, acknowledgment),
            Some(Content::Synchronize) => {
                self.send_backward(now, number, Content::Synchronized, option_bytes::SYNCHRONIZE);
            }
            Some(Content::Synchronized) => self.open(now, number),
            Some(Content::Background) | None => {}
        }
    }

    fn receive_segment(&mut self, now: Time, number: usize, sequence: u64, length: u64, sent: Time) {
        let flow = &mut self.flows[number];
        let acknowledgment = flow.receiver.receive(now, sequence, length, sent);
        flow.fingerprint.add(now.0);
        flow.fingerprint.add(sequence);
        let next = flow.receiver.next();
        if flow.size == Some(next) && flow.finished.is_none() {
            flow.finished = Some(now);
        }
        self.observer.segment_received(now, number, sequence, length, next);
        if let Some(acknowledgment) = acknowledgment {
            self.send_acknowledgment(now, number, acknowledgment);
        }
        self.watch_receiver(number);
    }

    /// A delayed acknowledgment is due.
    fn acknowledge_late(&mut self, now: Time, number: usize) {
        let acknowledgment = self.flows[number].receiver.acknowledge_late();
        self.send_acknowledgment(now, number, acknowledgment);
        self.watch_receiver(number);
    }

    /// Sets the receiver's timer in the calendar.
    fn watch_receiver(&mut self, number: usize) {
        let flow = &mut self.flows[number];
        let due = flow.receiver.due();
        if flow.late_acknowledgment != due {
            flow.late_acknowledgment = due;
            self.schedule_or_cancel(self.late_acknowledgment_slot(number), due);
        }
    }

    fn send_acknowledgment(&mut self, now: Time, number: usize, acknowledgment: Acknowledgment) {
        self.observer.acknowledgment_sent(now, number, &acknowledgment);
        let blocks = acknowledgment.blocks.as_slice().len();
        let options = self.scenario.tcp.option_bytes() + self.scenario.tcp.sack_option_size.bytes(blocks);
        self.send_backward(now, number, Content::Acknowledgment(acknowledgment), options);
    }

    fn send_backward(&mut self, now: Time, number: usize, content: Content, option_bytes: u64) {
        let line = self.flows[number].acknowledgment_line;
        self.send_packet(now, line, 2 * number + 1, content, 0, option_bytes);
    }

    fn receive_acknowledgment(&mut self, now: Time, number: usize, acknowledgment: Acknowledgment) {
        let flow = &mut self.flows[number];
        flow.fingerprint.add(now.0);
        flow.fingerprint.add(acknowledgment.next);
        self.observer.acknowledgment_received(now, number, &acknowledgment, flow.sender.window());
        flow.sender.acknowledge(now, acknowledgment, &mut self.segments);
        self.send_segments(now, number);
    }

    /// The answer to a synchronizing segment has arrived.
    fn open(&mut self, now: Time, number: usize) {
        self.flows[number].sender.synchronized(now, &mut self.segments);
        self.send_segments(now, number);
    }

    fn time_out(&mut self, now: Time, number: usize) {
        let flow = &mut self.flows[number];
        flow.fingerprint.add(now.0);
        flow.timer = None;
        if flow.sender.times_out_next() {
            self.observer.timed_out(now, number, flow.sender.window());
        }
        flow.sender.expire(now, &mut self.segments);
        self.calendar.cancel(self.timer_slot(number));
        self.send_segments(now, number);
    }

    fn wake(&mut self, now: Time, number: usize) {
        let flow = &mut self.flows[number];
        let wake = flow.source.wake(now);
        flow.sender.offer(now, wake.bytes, &mut self.segments);
        self.schedule_or_cancel(self.wake_slot(number), wake.next);
        self.send_segments(now, number);
    }

    /// Sends what the sender of a flow has decided to send, and sets its timer in the calendar.
    fn send_segments(&mut self, now: Time, number: usize) {
        let line = self.flows[number].data_line;
        for index in 0..self.segments.len() {
            let segment = self.segments[index];
            self.observer.segment_sent(now, number, segment, self.flows[number].sender.window());
            let Segment { sequence, length, .. } = segment;
            if segment.synchronize {
                self.send_packet(now, line, 2 * number, Content::Synchronize, 0, option_bytes::SYNCHRONIZE);
            } else {
                let content = Content::Data { sequence, length, sent: now };
                self.send_packet(now, line, 2 * number, content, length, self.scenario.tcp.option_bytes());
            }
        }
        self.segments.clear();
        let flow = &mut self.flows[number];
        let expires = flow.sender.expires();
        if flow.timer != expires {
            flow.timer = expires;
            self.schedule_or_cancel(self.timer_slot(number), expires);
        }
    }

    fn schedule_or_cancel(&mut self, slot: Slot, time: Option<Time>) {
        match time {
            Some(time) => self.calendar.schedule(slot, time, OTHER_RANK),
            None => self.calendar.cancel(slot),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "a packet has few cells; circuits are numbered in 29 bits")]
    fn send_packet(
        &mut self,
        now: Time,
        line: usize,
        circuit: usize,
        content: Content,
        payload_bytes: u64,
        option_bytes: u64,
    ) {
        let cells = self.framing.cells(payload_bytes, option_bytes) as u32;
        let packet = self.packets.insert(content, cells, self.framing.bits(payload_bytes, option_bytes));
        self.cells_sent += u64::from(cells);
        let idle = self.links[line].line.is_empty();
        let first = self.mark_at_source(now, Cell::new(packet, circuit as u32, true, cells == 1), cells);
        self.links[line].line.send_packet(now, first, self.packets.get(packet));
        if idle {
            self.watch_line(line);
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a scenario is refused long before it has 2^32 entities")]
fn slot(index: usize) -> Slot {
    Slot(index as u32)
}
