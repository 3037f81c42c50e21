//! From a checked scenario to a network at rest.

use std::sync::Arc;

use longfat_foundation::calendar::Calendar;
use longfat_foundation::config::Parameter;
use longfat_foundation::measure::Fingerprint;
use longfat_foundation::random::Chance;
use longfat_foundation::units::Time;
use longfat_network::framing::{Class, Packets, Reassembly, Sizes};
use longfat_network::switch::Port;
use longfat_network::topology::{Graph, Routes};

use super::agenda::{Agenda, NOWHERE};
use super::flows::Flows;
use super::ledger::{Books, Happening};
use super::legs::Numbers;
use super::links::Links;
use super::loss_point::place_loss_points;
use super::path::follow_path;
use super::policing::Policing;
use super::relays::Relays;
use super::starts::Starts;
use super::{Driver, Entrance, OTHER_RANK, SERVICE_RANK, Simulation};
use crate::observer::Observer;
use crate::scenario::Scenario;

/// So many flows have room in the calendar from the beginning.
const FLOWS_AT_FIRST: usize = 64;

impl<O: Observer> Simulation<O> {
    /// A network at rest, its sources about to start.
    #[must_use]
    pub fn new(scenario: &Scenario, observer: O) -> Self {
        Self::driven_by(Driver::default(), scenario, observer)
    }

    /// The same with the driver asked for, if it can.
    #[must_use]
    pub fn driven_by(driver: Driver, scenario: &Scenario, observer: O) -> Self {
        let (graph, sources) = scenario.graph_with_sources();
        let graph = Arc::new(graph);
        let chance = Chance { seed: scenario.seed, replication: scenario.replication };
        let framing = scenario.framing.build(&());
        let mut links = Links::of(&graph, framing.unit());
        let mut ports = build_ports(scenario, &graph, &mut links, chance);
        let policing = scenario.contract(&graph).map(|contract| Policing::start(&contract, &graph, &mut links));
        let loss_points = place_loss_points(scenario, &graph, &mut links);
        let changing_ends = follow_path(scenario, &graph, &mut links);
        let demand = scenario.demand(&graph);
        if let (Some(demand), Some(number)) = (demand, graph.bottleneck_number()) {
            links.make(number, NOWHERE).line.ask_for_capacity(demand);
        }
        let numbers = Numbers::of(&graph);
        let flows = if sources.iter().any(|source| source.asks()) { 2 * numbers.pairs() } else { numbers.pairs() };
        let (backgrounds, vbr): (Vec<_>, Vec<_>) =
            scenario.sources_of_background(&graph).into_iter().partition(|source| source.class() == Class::Ubr);
        let bottleneck_port = ports.iter().position(|port| Some(port.line) == graph.bottleneck_number()).unwrap_or(0);
        let first_vbr = vbr.into_iter().filter_map(|source| ports[bottleneck_port].add_vbr(source)).min();
        let mut simulation = Self {
            calendar: Calendar::new(0),
            agenda: Agenda::new(&[], &[], 0, false, false),
            starts: Starts::default(),
            routes: Routes::of(&graph),
            books: Books::open(&graph, flows),
            port_fingerprints: vec![Fingerprint::default(); ports.len()],
            links,
            ports,
            loss_points,
            changing_ends,
            backgrounds,
            bottleneck_port,
            policing,
            senders: graph.flows.iter().map(|flow| flow.sender).collect(),
            tells_applications: sources.iter().any(|source| source.is_told()),
            numbers,
            proxies: Relays::of(scenario, &graph, flows),
            circuit_ends: vec![Reassembly::new(framing.lost_last_cell()); 2 * numbers.pairs()],
            sources,
            flows: Flows::waiting(flows),
            graph,
            sizes: Sizes::new(framing),
            packets: Packets::default(),
            fast: None,
            handed_over: None,
            end: Time::ZERO + scenario.duration.0,
            before: None,
            events_processed: 0,
            cells_sent: 0,
            cells_delivered: 0,
            segments: Vec::new(),
            dropped: Vec::new(),
            scenario: scenario.clone(),
            observer,
        };
        let scope = if driver == Driver::Fast { simulation.scope() } else { None };
        simulation.plan(scope.is_some(), first_vbr, demand.is_some());
        if let Some(scope) = scope {
            simulation.prepare_fast(scope, first_vbr);
        }
        simulation.begin_connections_from_outside();
        simulation
    }

    /// Puts into the calendar what happens first.
    fn plan(&mut self, are_lines_computed: bool, first_vbr: Option<Time>, has_frames: bool) {
        let is_watched = if are_lines_computed { Vec::new() } else { watched_lines(&self.graph, &self.links) };
        let port_lines: Vec<_> = self.ports.iter().map(|port| port.line).collect();
        let delays = self.scenario.delays_acknowledgments(self.graph.senders());
        self.agenda = Agenda::new(&port_lines, &is_watched, self.backgrounds.len(), has_frames, delays);
        self.links.made_mut().for_each(|(number, link)| link.slot = self.agenda.line(number));
        self.calendar = Calendar::new(self.agenda.slots_with(self.flows.len().min(FLOWS_AT_FIRST)));
        self.starts = Starts::planned(&self.sources, &mut self.calendar);
        self.watch_starts();
        for number in 0..self.backgrounds.len() {
            let start = self.backgrounds[number].start();
            self.calendar.schedule(self.agenda.background(number), start, OTHER_RANK);
        }
        if has_frames {
            self.calendar.schedule(self.agenda.frames(), Time::ZERO, OTHER_RANK);
        }
        if let Some(time) = first_vbr {
            self.books.note(Time::ZERO, Happening::WillSend(time));
            self.calendar.schedule(self.agenda.port(self.bottleneck_port), time, SERVICE_RANK);
        }
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

/// Makes the lines with managed ports before them, and those ports.
fn build_ports(scenario: &Scenario, graph: &Graph, links: &mut Links, chance: Chance) -> Vec<Port> {
    let mut ports = Vec::new();
    for number in graph.managed() {
        let name = graph.link_name(number);
        let order = chance.stream(&format!("port/{name}/order"));
        let config = scenario.port_at(&name);
        let buffer = scenario.buffer_context(graph, &config, &name);
        let mut port = Port::new(&config, &buffer, number, graph.links[number].rate, order);
        if !config.queue.is_absent() {
            port.manage(&config.queue, &scenario.queue_context(graph, &config, number));
        }
        links.make(number, NOWHERE).entrance = Entrance::Port(ports.len());
        ports.push(port);
    }
    ports
}
