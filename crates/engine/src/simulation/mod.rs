//! The loop: takes the next event, lets the models act, schedules what follows. No model arithmetic here.

mod agenda;
mod audit;
mod background;
mod build;
mod driver;
mod end_systems;
mod fast;
mod flows;
mod frames;
mod ledger;
mod legs;
mod links;
mod loss_point;
mod measured;
mod memory;
mod path;
mod policing;
mod relays;
mod results;
mod settlement;
mod starts;

use std::sync::Arc;

pub use audit::Violation;
pub use driver::Driver;

use agenda::Agenda;
use fast::Fast;
use flows::{Flow, Flows};
use ledger::{Books, Happening};
use legs::Numbers;
use links::{Link, Links};
use longfat_foundation::calendar::{Calendar, Slot};
use longfat_foundation::measure::{Fingerprint, RunRecord};
use longfat_foundation::units::Time;
use longfat_hosts::traffic::Source;
use longfat_hosts::transport::Segment;
use longfat_network::background::Background;
use longfat_network::framing::{Cell, Packets, Reassembly, Sizes};
use longfat_network::link::Feed;
use longfat_network::switch::{Dropped, Next, Port};
use longfat_network::topology::{Graph, Routes};
use loss_point::LossPoint;
use measured::Before;
use path::ChangingEnd;
use policing::Policing;
use relays::Relays;
use starts::Starts;

use crate::observer::{Observer, Unobserved};
use crate::scenario::Scenario;

/// Simulates a scenario from beginning to end.
///
/// # Errors
/// If a conservation law does not hold at the end, which would be a mistake of the engine.
pub fn run(scenario: &Scenario) -> Result<RunRecord, Violation> {
    run_by(Driver::Fast, scenario)
}

/// Simulates a scenario from beginning to end, with the driver asked for if it can.
///
/// # Errors
/// If a conservation law does not hold at the end, which would be a mistake of the engine.
pub fn run_by(driver: Driver, scenario: &Scenario) -> Result<RunRecord, Violation> {
    let mut simulation = Simulation::driven_by(driver, scenario, Unobserved);
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
    /// A connection begins: its source wakes for the first time.
    Start,
    /// The source of a flow's connection wakes again.
    Wake(usize),
    /// A flow's delayed acknowledgment is due.
    LateAcknowledgment(usize),
    /// A background has a datagram.
    Background(usize),
    /// A frame begins for which capacity of the bottleneck is asked.
    Frame,
}

/// Of events at one instant a slot closes before the cells that arrive at that very instant, which belong to the next.
const SERVICE_RANK: u8 = 0;
const OTHER_RANK: u8 = 1;

/// What is at the end of a line; a switch behind a path that changes takes note of losses on it.
#[derive(Clone, Copy, Debug)]
enum LineEnd {
    Switch(usize),
    Host,
    Changing(usize),
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

/// A virtual circuit, and the line of the network interface at which it begins.
#[derive(Clone, Copy, Debug)]
struct Way {
    circuit: usize,
    line: usize,
}

/// One run in progress.
pub struct Simulation<O: Observer> {
    scenario: Scenario,
    observer: O,
    calendar: Calendar,
    agenda: Agenda,
    starts: Starts,
    graph: Arc<Graph>,
    links: Links,
    routes: Routes,
    ports: Vec<Port>,
    port_fingerprints: Vec<Fingerprint>,
    loss_points: Vec<LossPoint>,
    changing_ends: Vec<ChangingEnd>,
    /// The applications of each connection, and whether any wants to know what is delivered.
    sources: Vec<Box<dyn Source>>,
    tells_applications: bool,
    /// Which flows are whose, and what proxies do between them, if there are any.
    numbers: Numbers,
    proxies: Option<Box<Relays>>,
    /// Whose each connection is.
    senders: Vec<usize>,
    flows: Flows,
    /// The ends of the circuits, two for each connection: there, and back.
    circuit_ends: Vec<Reassembly>,
    backgrounds: Vec<Box<dyn Background>>,
    /// The port that they enter, and whose capacity the ledger accounts for.
    bottleneck_port: usize,
    books: Books,
    policing: Option<Policing>,
    sizes: Sizes,
    packets: Packets,
    /// The fast driver, if it is at work, and why it is not, if it was asked for.
    fast: Option<Box<Fast>>,
    handed_over: Option<String>,
    end: Time,
    /// What was counted before measuring began, if it did not with the run.
    before: Option<Box<Before>>,
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

    #[inline(always)]
    fn happen(&mut self, now: Time, slot: Slot) {
        match self.agenda.event(slot) {
            Event::Arrival(line) => self.arrive(now, line),
            Event::Service(port) => self.serve(now, port),
            Event::Timeout(flow) => self.time_out(now, flow),
            Event::Start => self.start(now),
            Event::Wake(flow) => self.wake(now, flow % self.sources.len(), false),
            Event::LateAcknowledgment(flow) => self.acknowledge_late(now, flow),
            Event::Background(number) => self.emit(now, number),
            Event::Frame => self.begin_frame(now),
        }
    }

    /// Until when everything has happened, by events.
    #[must_use]
    pub fn now(&self) -> Time {
        self.calendar.first().0.min(self.end)
    }

    /// Events so far.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events_processed
    }

    /// How often events were put into the calendar and taken out of it so far.
    #[must_use]
    pub fn calendar_acts(&self) -> u64 {
        self.calendar.acts()
    }

    /// Checks the conservation laws and gives the results.
    ///
    /// # Errors
    /// If a law does not hold.
    pub fn finish(self) -> Result<RunRecord, Violation> {
        self.finish_observed().map(|(record, _)| record)
    }

    /// The same, with the observer.
    ///
    /// # Errors
    /// If a law does not hold.
    pub fn finish_observed(mut self) -> Result<(RunRecord, O), Violation> {
        self.audit()?;
        let graph = Arc::clone(&self.graph);
        let mut ledger = self.ledger(&graph, self.end)?;
        if let Some(before) = &self.before {
            ledger = ledger.since(before.ledger.as_ref().map_err(Clone::clone)?);
        }
        Ok((self.record(&graph, ledger), self.observer))
    }

    /// The observer.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    /// The observer, once the simulation is over.
    pub fn into_observer(self) -> O {
        self.observer
    }

    /// Puts the head of a line into the calendar.
    #[inline]
    fn watch_line(&mut self, line: usize) {
        let link = &self.links[line];
        match link.line.next_arrival() {
            Some(time) => self.calendar.schedule(link.slot, time, OTHER_RANK),
            None => self.calendar.cancel(link.slot),
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
            LineEnd::Changing(number) => self.arrive_over_path(now, number, cell),
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
        let pending = if self.ports[port].managed().is_some() {
            self.ports[port].receive_managed(now, cell, &self.packets, &mut self.dropped)
        } else {
            self.ports[port].receive(now, cell, &mut self.dropped)
        };
        if let Some(time) = pending {
            self.calendar.schedule(self.agenda.port(port), time, SERVICE_RANK);
            if port == self.bottleneck_port {
                self.books.note(now, Happening::WillSend(time));
            }
        }
        if self.observer.interests().anything && !self.ports[port].is_slotted() {
            self.observer.queue_changed(now, port, &self.ports[port]);
            self.observer.shares_changed(now, port, &self.ports[port], None);
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
        if self.links[line].line.is_sending_beyond_grants() {
            return self.go_on_sending(port);
        }
        let idle = self.links[line].line.is_empty();
        let before = if self.observer.interests().anything { self.links[line].line.bits_whole() } else { 0 };
        let mut outlet = Feed { line: &mut self.links[line].line, packets: &self.packets };
        let next = self.ports[port].serve(now, &mut outlet, &mut self.dropped);
        match next {
            Next::Sends(time) => self.calendar.schedule(self.agenda.port(port), time, SERVICE_RANK),
            Next::Rests(until) => self.rest(now, port, until),
        }
        if idle {
            self.watch_line(line);
        }
        if self.observer.interests().anything {
            let state = &self.ports[port];
            if let Some(class) = state.sends() {
                self.observer.cell_served(now, port, class, self.links[line].line.bits_since(before));
            }
            self.observer.queue_changed(now, port, state);
            self.observer.shares_changed(now, port, state, None);
        }
        if !self.dropped.is_empty() {
            self.account_for_drops(now, port);
        }
    }

    /// Nobody waits at a port any more until, perhaps, some time that is known.
    fn rest(&mut self, now: Time, port: usize, until: Option<Time>) {
        match until {
            Some(time) => self.calendar.schedule(self.agenda.port(port), time, SERVICE_RANK),
            None => self.calendar.cancel(self.agenda.port(port)),
        }
        if port == self.bottleneck_port {
            self.books.note(now, Happening::Rests(until));
        }
    }

    #[cold]
    fn account_for_drops(&mut self, now: Time, port: usize) {
        for index in 0..self.dropped.len() {
            let (cell, reason) = self.dropped[index];
            self.observer.cell_dropped(now, port, cell, reason);
            if self.damage(now, cell) {
                let content = self.packets.get(cell.packet).content;
                self.observer.packet_dropped(now, port, self.flow_of(&content, cell), cell, &content, reason);
                self.policing.iter_mut().for_each(|policing| policing.count_dropped(cell));
                self.ports[port].count_dropped_packet();
            }
            note_drop(now, cell, &mut self.port_fingerprints[port]);
            self.packets.release_cell(cell.packet);
        }
        self.dropped.clear();
    }
}

/// A port has dropped a cell.
fn note_drop(now: Time, cell: Cell, fingerprint: &mut Fingerprint) {
    fingerprint.add(now.0);
    fingerprint.add(cell.circuit() as u64);
}
