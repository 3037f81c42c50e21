//! The driver by events: every cell is an event on every line, and every slot of a port is one. The reference for all results.

mod background;
mod frames;
mod heap;
mod holding;
mod impairments;

use longfat_foundation::calendar::Slot;
use longfat_foundation::units::Time;
use longfat_network::background::Background;
use longfat_network::framing::{Cell, Packets, Reassembly};
use longfat_network::link::Feed;
use longfat_network::switch::{Next, Port, PortCounts, Queue};
use longfat_network::topology::Graph;

pub use impairments::Impairments;

use super::network::{
    AnyPort, Asking, AtRest, Drive, Driver, Entrance, Event, LineEnd, Links, Lost, Network, OTHER_RANK, Reports,
    SERVICE_RANK, Served, Train, WithEvents,
};
use crate::observer::Observer;

/// The parts of a network that only this driver knows.
pub struct Events {
    ports: Vec<Port<Queue>>,
    impairments: Impairments,
    backgrounds: Vec<Box<dyn Background>>,
    asking: Vec<Asking>,
    /// The ends of the circuits of connections, where cells become packets again.
    circuit_ends: Vec<Reassembly>,
    handed_over: Option<String>,
    /// True if events are kept in a binary heap, with one for the arrival of each cell.
    in_heap: bool,
}

impl Events {
    /// A network whose sources are about to start. `handed_over` is why another driver that was asked for is not at work.
    pub fn start<O: Observer>(
        mut rest: AtRest,
        impairments: Impairments,
        handed_over: Option<String>,
        observer: O,
    ) -> Network<O, Self> {
        let driver = Self {
            ports: std::mem::take(&mut rest.ports),
            impairments,
            backgrounds: std::mem::take(&mut rest.backgrounds),
            asking: std::mem::take(&mut rest.asking),
            circuit_ends: vec![Reassembly::new(rest.framing.lost_last_cell()); rest.graph.circuits()],
            handed_over,
            in_heap: rest.in_heap,
        };
        let first_vbr = rest.first_vbr;
        let (backgrounds, frames, rooms) = (driver.backgrounds.len(), driver.asking.len(), driver.impairments.rooms());
        let with_events = WithEvents { watched: watched_lines(&rest.graph, &rest.links), backgrounds, frames, rooms };
        let mut network = Network::start(rest, observer, driver, &with_events);
        for number in 0..backgrounds {
            let start = network.driver.backgrounds[number].start();
            network.calendar.schedule(network.agenda.background(number), start, OTHER_RANK);
        }
        for number in 0..frames {
            network.calendar.schedule(network.agenda.frames(number), Time::ZERO, OTHER_RANK);
        }
        if let Some(time) = first_vbr {
            network.ledger.bottleneck_will_send(time);
            network.calendar.schedule(network.agenda.port(network.bottleneck_port), time, SERVICE_RANK);
        }
        network.begin_connections_from_outside();
        network
    }
}

/// Which lines have events: those that are not behind a line that relays.
fn watched_lines(graph: &Graph, links: &Links) -> Vec<bool> {
    let mut is_watched = vec![true; links.len()];
    for circuit in 0..graph.circuits() {
        for hop in graph.links_of_circuit(circuit).into_iter().flat_map(|path| path.windows(2)) {
            is_watched[hop[1]] &= !links.is_relayed(hop[0]);
        }
    }
    is_watched
}

impl Drive for Events {
    const DRIVER: Driver = Driver::Events;
    const FOLLOWS_ALL_CELLS: bool = true;

    #[inline(always)]
    fn send<O: Observer>(network: &mut Network<O, Self>, now: Time, line: usize, first: Cell, cells: u32, bits: u64) {
        let link = &mut network.links[line];
        let idle = link.line.is_empty();
        link.line.send_packet(now, first, cells, bits);
        if idle {
            network.watch_line(line);
        }
        if network.driver.in_heap {
            network.add_arrivals(line);
        }
    }

    #[inline(always)]
    fn act<O: Observer>(network: &mut Network<O, Self>, now: Time, event: Event) {
        match event {
            Event::Arrival(line) => network.arrive(now, line),
            Event::Service(port) => network.serve(now, port),
            Event::Turn(port) => network.take_turn(now, port),
            Event::Background(number) => network.emit(now, number),
            Event::Frame(number) => network.begin_frame(now, number),
            Event::Release(room) => network.release_held_up(now, room),
            Event::NearTimer(_) | Event::Start | Event::Wake(_) | Event::FarTimer(_) => {}
        }
    }

    fn ports(&self) -> impl Iterator<Item = &AnyPort> {
        self.ports.iter().map(|port| port as &AnyPort)
    }

    fn count_ports_anew(&mut self, now: Time) -> Vec<PortCounts> {
        self.ports.iter_mut().map(|port| port.count_anew(now)).collect()
    }

    fn forget_dropped(packets: &mut Packets, cell: Cell) {
        packets.release_cell(cell.packet);
    }

    fn trains(&self) -> Vec<(usize, Train)> {
        self.impairments.held_up().map(|(line, packet)| (line, (packet, 1, true))).collect()
    }

    fn cells_under_way(&self) -> u64 {
        self.impairments.held_up().count() as u64
    }

    fn memory_bytes(&self) -> usize {
        self.impairments.memory_bytes()
    }

    fn lost(&self) -> Lost {
        self.impairments.lost()
    }

    fn handed_over(&self) -> Option<&str> {
        self.handed_over.as_deref()
    }
}

impl<O: Observer> Network<O, Events> {
    /// Simulates all events before `until`, or until there have been `events` more. Returns whether those were all before `until`.
    pub fn advance(&mut self, until: Time, events: u64) -> bool {
        let pause = self.events_processed.saturating_add(events);
        if let Some(from) = self.unmeasured_until().filter(|from| *from <= until) {
            if !self.advance_to(from, pause) {
                return false;
            }
            self.begin_to_measure(from);
        }
        self.advance_to(until, pause)
    }

    /// Simulates all events before `until`, or until there have been `pause` in all. Returns whether it is the former.
    fn advance_to(&mut self, until: Time, pause: u64) -> bool {
        loop {
            let (now, slot): (Time, Slot) = self.calendar.first();
            if now >= until {
                return true;
            }
            if self.events_processed == pause {
                return false;
            }
            if self.calendar.renew(slot) {
                continue;
            }
            self.events_processed += 1;
            self.simulate(now, slot);
            #[cfg(debug_assertions)]
            if self.events_processed.is_multiple_of(1 << 14) {
                self.audit().unwrap_or_else(|violation| panic!("at {} s: {violation}", now.as_seconds()));
            }
        }
    }

    /// Puts the next arrival on a line into the calendar.
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
        self.arrive_at(now, end, cell);
    }

    #[inline(always)]
    fn arrive_at(&mut self, now: Time, end: LineEnd, cell: Cell) {
        match end {
            LineEnd::Switch(node) => self.forward(now, node, cell),
            LineEnd::Host => self.deliver(now, cell),
            LineEnd::Impaired(number) => self.arrive_at_impaired_end(now, number, cell),
        }
    }

    /// A cell has reached a switch and goes to its output port.
    #[inline]
    fn forward(&mut self, now: Time, node: usize, mut cell: Cell) {
        let Some(line) = self.routes.outlet(node, cell.circuit()) else { return self.absorb(cell) };
        let mut entrance = self.links[line].entrance;
        if let Entrance::Lossy(_) | Entrance::Police(_) = entrance {
            let Some(behind) = self.pass_checks(now, entrance, cell) else { return };
            (entrance, cell) = behind;
        }
        match entrance {
            Entrance::Port(port) => self.enter_port(now, port, cell),
            Entrance::Open | Entrance::Lossy(_) | Entrance::Police(_) => self.enter_line(now, line, cell),
        }
    }

    // Always: nearly all cells come from `forward`, which is not the only caller.
    #[inline(always)]
    fn enter_port(&mut self, now: Time, number: usize, cell: Cell) {
        let port = &mut self.driver.ports[number];
        if let Some(time) = port.receive(now, cell, &self.packets, &mut self.dropped) {
            self.calendar.schedule(self.agenda.port(number), time, SERVICE_RANK);
            self.ledger.port_will_send(number, time);
        }
        let state = port.state();
        if self.observer.interests().anything && !state.is_slotted() {
            self.observer.queue_changed(now, number, state);
            self.observer.shares_changed(now, number, state, None);
        }
        if !self.dropped.is_empty() {
            self.account_for_drops(now, number);
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
        if self.driver.in_heap {
            self.add_arrivals(line);
        }
    }

    fn serve(&mut self, now: Time, number: usize) {
        let port = &mut self.driver.ports[number];
        let line = port.state().line;
        if self.links[line].line.is_sending_beyond_grants() {
            return self.go_on_sending(number);
        }
        let idle = self.links[line].line.is_empty();
        let before = if self.observer.interests().anything { self.links[line].line.bits_whole() } else { 0 };
        let mut outlet = Feed { line: &mut self.links[line].line, packets: &self.packets };
        match port.serve(now, &self.packets, &mut outlet, &mut self.dropped) {
            Next::Sends(time) => self.calendar.schedule(self.agenda.port(number), time, SERVICE_RANK),
            Next::Rests(until) => self.rest(now, number, until),
        }
        if idle {
            self.watch_line(line);
        }
        if self.observer.interests().anything {
            let state = self.driver.ports[number].state();
            if let Some(class) = state.sends() {
                self.observer.cell_served(now, number, class, self.links[line].line.bits_since(before));
            }
            self.observer.queue_changed(now, number, state);
            self.observer.shares_changed(now, number, state, None);
        }
        if !self.dropped.is_empty() {
            self.account_for_drops(now, number);
        }
    }

    /// A port has nothing to send until, perhaps, some time that is known.
    fn rest(&mut self, now: Time, port: usize, until: Option<Time>) {
        match until {
            Some(time) => self.calendar.schedule(self.agenda.port(port), time, SERVICE_RANK),
            None => self.calendar.cancel(self.agenda.port(port)),
        }
        self.ledger.port_rests(port, now, until);
    }

    #[cold]
    fn account_for_drops(&mut self, now: Time, number: usize) {
        let mut served = Served {
            port: &mut self.driver.ports[number],
            links: &mut self.links,
            packets: &mut self.packets,
            dropped: &mut self.dropped,
            fingerprint: &mut self.port_fingerprints[number],
            policing: self.policing.as_mut(),
            connections: self.numbers.pairs(),
            reports: Reports { port: number, ledger: &mut self.ledger, observer: &mut self.observer },
        };
        served.note_dropped::<Events>(now);
    }

    /// A cell has reached the host at the end of its circuit.
    #[inline]
    fn deliver(&mut self, now: Time, cell: Cell) {
        let circuit = cell.circuit();
        let Some(end) = self.driver.circuit_ends.get_mut(circuit) else { return self.absorb(cell) };
        let arrived = end.receive(cell, &self.packets);
        if arrived.is_none() && cell.is_last() {
            self.reject(now, cell);
        }
        self.cells_delivered += 1;
        self.packets.release_cell(cell.packet);
        if arrived.is_some() {
            self.hand_over(now, cell);
        }
    }
}
