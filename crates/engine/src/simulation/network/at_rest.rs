//! From a checked scenario to a network at rest, and from there to a network whose sources are about to start.

use std::sync::Arc;

use longfat_foundation::calendar::Calendar;
use longfat_foundation::measure::Fingerprint;
use longfat_foundation::random::Chance;
use longfat_foundation::units::{Span, Time};
use longfat_hosts::traffic::Source;
use longfat_network::background::Background;
use longfat_network::framing::{Class, Framing, Packets, Sizes};
use longfat_network::switch::{ArrivalOrder, Port, Queue};
use longfat_network::topology::{Graph, Routes};

use super::agenda::{Agenda, NOWHERE, WithEvents};
use super::asking::Asking;
use super::barriers::Barriers;
use super::flows::Flows;
use super::ledger::Ledgers;
use super::legs::Numbers;
use super::links::Links;
use super::memories::Memories;
use super::policing::Policing;
use super::relays::Relays;
use super::starts::Starts;
use super::{Drive, Entrance, Network};
use crate::observer::Observer;
use crate::scenario::Scenario;

/// Flows for which the calendar has room at first.
const FLOWS_AT_FIRST: usize = 64;

/// A network without a driver.
pub struct AtRest {
    pub scenario: Scenario,
    pub graph: Arc<Graph>,
    pub sources: Vec<Box<dyn Source>>,
    pub framing: Box<dyn Framing>,
    pub links: Links,
    pub ports: Vec<Port<Queue>>,
    /// The port in front of the bottleneck.
    pub bottleneck_port: usize,
    /// Sources of background traffic that waits with the connections' cells.
    pub backgrounds: Vec<Box<dyn Background>>,
    /// When the bottleneck's port sends the first cell of the class VBR.
    pub first_vbr: Option<Time>,
    /// The ports that ask for capacity, frame by frame.
    pub asking: Vec<Asking>,
    pub policing: Option<Policing>,
    /// True if a binary heap decides the order of simultaneous events (`port.arrival_order`).
    pub in_heap: bool,
}

impl AtRest {
    /// The network of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        let (graph, sources) = scenario.graph_with_sources();
        let graph = Arc::new(graph);
        let chance = Chance { seed: scenario.seed, replication: scenario.replication };
        let framing = scenario.framing.build(&());
        let settings = scenario.lines_with_settings(&graph);
        let lossy = settings.iter().filter(|line| line.loss.is_some()).map(|line| line.number).collect();
        let in_heap = scenario.port.arrival_order == ArrivalOrder::Heap;
        let mut links = Links::of(&graph, scenario.framing.build(&()), in_heap, &lossy);
        let mut ports = build_ports(scenario, &graph, &*framing, &mut links, chance);
        let policing = scenario.contract(&graph).map(|contract| Policing::start(&contract, &graph, &mut links));
        let asking = Asking::all(scenario, &graph, &settings, &mut links);
        let (backgrounds, vbr): (Vec<_>, Vec<_>) =
            scenario.sources_of_background(&graph).into_iter().partition(|source| source.class() == Class::Ubr);
        let is_bottleneck = |port: &Port<Queue>| Some(port.state().line) == graph.bottleneck_number();
        let bottleneck_port = ports.iter().position(is_bottleneck).unwrap_or(0);
        let first_vbr = vbr.into_iter().filter_map(|source| ports[bottleneck_port].add_vbr(source)).min();
        Self {
            scenario: scenario.clone(),
            graph,
            sources,
            framing,
            links,
            ports,
            bottleneck_port,
            backgrounds,
            first_vbr,
            asking,
            policing,
            in_heap,
        }
    }
}

impl<O: Observer, D: Drive> Network<O, D> {
    /// A network whose sources are about to start, with the entities that have events under this driver.
    pub fn start(rest: AtRest, observer: O, driver: D, with_events: &WithEvents) -> Self {
        let AtRest { scenario, graph, sources, framing, links, bottleneck_port, policing, in_heap, .. } = rest;
        let numbers = Numbers::of(&graph);
        let flows = if sources.iter().any(|source| source.asks()) { 2 * numbers.pairs() } else { numbers.pairs() };
        let port_lines: Vec<_> = graph.managed().collect();
        let delays = scenario.delays_acknowledgments(graph.senders());
        let agenda = Agenda::new(&port_lines, with_events, delays, in_heap);
        let slots = agenda.slots_with(flows.min(FLOWS_AT_FIRST));
        let mut calendar = if in_heap {
            Calendar::in_heap(slots, framing.tick().unwrap_or(Span(1)))
        } else {
            Calendar::new(slots, agenda.slots_with(0))
        };
        let barriers = Barriers::of(&scenario, &graph, &sources);
        let waits = |connection| barriers.as_ref().is_some_and(|barriers| barriers.keeps_back(connection));
        let proxies = Relays::of(&scenario, &graph, flows);
        let senders: Vec<_> = graph.flows.iter().map(|flow| flow.sender).collect();
        let mut network = Self {
            starts: Starts::planned(&sources, waits, &mut calendar),
            calendar,
            agenda,
            routes: Routes::of(&graph),
            ledger: Ledgers::open(&scenario, &graph, bottleneck_port, flows),
            port_fingerprints: vec![Fingerprint::default(); port_lines.len()],
            links,
            bottleneck_port,
            policing,
            tells_of_arrivals: barriers.is_some() || proxies.is_some() || sources.iter().any(|source| source.is_told()),
            barriers,
            numbers,
            proxies,
            flows: Flows::waiting(flows, &scenario, &graph, &sources),
            memories: Memories::default(),
            senders,
            sources,
            graph,
            sizes: Sizes::new(framing),
            packets: Packets::default(),
            driver,
            end: Time::ZERO + scenario.duration.0,
            before: None,
            events_processed: 0,
            cells_sent: 0,
            cells_delivered: 0,
            dropped: Vec::new(),
            scenario,
            observer,
        };
        let Self { links, agenda, .. } = &mut network;
        links.made_mut().for_each(|(number, link)| link.slot = agenda.line(number));
        network.driver.make_room(network.calendar.slots());
        network.watch_starts();
        network
    }
}

/// Makes the lines with managed ports in front of them, and those ports.
fn build_ports(
    scenario: &Scenario,
    graph: &Graph,
    framing: &dyn Framing,
    links: &mut Links,
    chance: Chance,
) -> Vec<Port<Queue>> {
    let mut ports = Vec::new();
    for number in graph.managed() {
        let name = graph.link_name(number);
        let order = chance.stream(&format!("port/{name}/order"));
        let config = scenario.port_at(&name);
        let buffer = scenario.buffer_context(graph, &config, &name);
        let context = || scenario.queue_context(graph, &config, number);
        links.make(number, NOWHERE).entrance = Entrance::Port(ports.len());
        ports.push(Port::new(&config, &buffer, context, number, framing.cell_time(graph.links[number].rate), order));
    }
    ports
}
