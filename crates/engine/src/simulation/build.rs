//! From a checked scenario to a network at rest.

use super::agenda::{Agenda, NOWHERE};
use super::ledger::{Books, Happening};
use super::loss_point::place_loss_points;
use super::path::follow_path;
use super::policing::Policing;
use super::{Driver, Entrance, Flow, LineEnd, Link, OTHER_RANK, OptionBytes, SERVICE_RANK, Simulation, Way};
use crate::calendar::Calendar;
use crate::config::Parameter;
use crate::framing::{Packets, Reassembly, Sizes, Unit};
use crate::link::{Line, Relay};
use crate::measure::Fingerprint;
use crate::observer::Observer;
use crate::random::Chance;
use crate::scenario::Scenario;
use crate::switch::Port;
use crate::switch::scheduler::Class;
use crate::topology::{self, Graph, Routes};
use crate::traffic::Source;
use crate::transport::{Receiver, Sender, TcpConfig, TickClock};
use crate::units::Time;

impl<O: Observer> Simulation<O> {
    /// A network at rest, its sources about to start.
    #[must_use]
    pub fn new(scenario: &Scenario, observer: O) -> Self {
        Self::driven_by(Driver::default(), scenario, observer)
    }

    /// The same with the driver asked for, if it can.
    #[must_use]
    pub fn driven_by(driver: Driver, scenario: &Scenario, observer: O) -> Self {
        let graph = scenario.graph();
        let chance = Chance { seed: scenario.seed, replication: scenario.replication };
        let framing = scenario.framing.build(&());
        let (mut links, mut ports) = build_links(scenario, &graph, framing.unit(), chance);
        let policing = scenario.contract(&graph).map(|contract| Policing::start(&contract, &graph, &mut links));
        let loss_points = place_loss_points(scenario, &graph, &mut links);
        let changing_ends = follow_path(scenario, &graph, &mut links);
        let sources = scenario.sources(&graph);
        let flows = build_flows(scenario, &graph, &sources, chance);
        let (backgrounds, vbr): (Vec<_>, Vec<_>) =
            scenario.sources_of_background(&graph).into_iter().partition(|source| source.class() == Class::Ubr);
        let bottleneck_port = ports.iter().position(|port| Some(port.line) == graph.bottleneck_number()).unwrap_or(0);
        let first_vbr = vbr.into_iter().filter_map(|source| ports[bottleneck_port].add_vbr(source)).min();
        let agenda = plan_events(&graph, &mut links, &ports, flows.len(), sources.len(), backgrounds.len());
        let mut simulation = Self {
            calendar: Calendar::new(agenda.len()),
            agenda,
            routes: Routes::of(&graph),
            books: Books::open(&graph, &flows),
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
            circuit_ends: vec![Reassembly::new(framing.lost_last_cell()); 2 * sources.len()],
            sources,
            flows,
            sizes: Sizes::new(framing),
            packets: Packets::default(),
            fast: None,
            handed_over: None,
            end: Time::ZERO + scenario.duration.0,
            events_processed: 0,
            cells_sent: 0,
            cells_delivered: 0,
            segments: Vec::new(),
            dropped: Vec::new(),
            scenario: scenario.clone(),
            observer,
        };
        for connection in 0..simulation.sources.len() {
            let start = simulation.sources[connection].start();
            simulation.calendar.schedule(simulation.agenda.wake(connection), start, OTHER_RANK);
        }
        for number in 0..simulation.backgrounds.len() {
            let start = simulation.backgrounds[number].start();
            simulation.calendar.schedule(simulation.agenda.background(number), start, OTHER_RANK);
        }
        if let Some(time) = first_vbr {
            simulation.books.note(Time::ZERO, Happening::WillSend(time));
            simulation.calendar.schedule(simulation.agenda.port(bottleneck_port), time, SERVICE_RANK);
        }
        if driver == Driver::Fast {
            simulation.take_fast(&graph, first_vbr);
        }
        simulation
    }
}

/// Gives every entity that can have an event its slot of the calendar.
fn plan_events(
    graph: &Graph,
    links: &mut [Link],
    ports: &[Port],
    flows: usize,
    sources: usize,
    backgrounds: usize,
) -> Agenda {
    let mut is_watched = vec![true; links.len()];
    for flow in &graph.flows {
        for hop in flow.forward.windows(2).chain(flow.backward.windows(2)) {
            is_watched[hop[1]] &= !links[hop[0]].line.is_relayed();
        }
    }
    let port_lines: Vec<_> = ports.iter().map(|port| port.line).collect();
    let agenda = Agenda::new(&port_lines, &is_watched, flows, sources, backgrounds);
    for (number, link) in links.iter_mut().enumerate() {
        link.slot = agenda.line(number);
    }
    agenda
}

fn build_links(scenario: &Scenario, graph: &Graph, unit: Unit, chance: Chance) -> (Vec<Link>, Vec<Port>) {
    let relays = match unit {
        Unit::Cell => find_relays(graph),
        Unit::Packet => vec![None; graph.links.len()],
    };
    let mut ports = Vec::new();
    let mut links = Vec::new();
    for (number, link) in graph.links.iter().enumerate() {
        let relay = relays[number].map(|next| Relay::from(&graph.links[next]));
        let line = Line::new(unit, link.rate, link.delay, relay);
        let port = link.managed.then(|| {
            let name = graph.link_name(number);
            let order = chance.stream(&format!("port/{name}/order"));
            let config = scenario.port_at(&name);
            let buffer = scenario.buffer_context(graph, &config, &name);
            let mut port = Port::new(&config, &buffer, number, link.rate, order);
            if !config.queue.is_absent() {
                port.manage(&config.queue, &scenario.queue_context(graph, &config, number));
            }
            ports.push(port);
            ports.len() - 1
        });
        let end = graph.links[relays[number].unwrap_or(number)].to;
        let end = if graph.nodes[end].is_host { LineEnd::Host } else { LineEnd::Switch(end) };
        let entrance = port.map_or(Entrance::Open, Entrance::Port);
        links.push(Link { line, slot: NOWHERE, end, entrance });
    }
    (links, ports)
}

/// For each link, one of the links on which all its cells go on without ever waiting; `None` where there is none.
///
/// Every such link must be fed by this one alone, not be slower, have no managed port, and lead to a host; and all must have the
/// same rate and delay, so that cells arrive in the order in which they were sent. (Packets that travel whole do wait, the small
/// behind the large.)
fn find_relays(graph: &Graph) -> Vec<Option<usize>> {
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); graph.links.len()];
    let mut feeders: Vec<Vec<usize>> = vec![Vec::new(); graph.links.len()];
    for flow in &graph.flows {
        for hop in flow.forward.windows(2).chain(flow.backward.windows(2)) {
            followers[hop[0]].push(hop[1]);
            feeders[hop[1]].push(hop[0]);
        }
    }
    // Several connections may share them.
    for lines in followers.iter_mut().chain(&mut feeders) {
        lines.dedup();
    }
    let suits = |number: usize, next: usize, model: usize| {
        let (link, next_link, model) = (&graph.links[number], &graph.links[next], &graph.links[model]);
        feeders[next].iter().all(|&feeder| feeder == number)
            && Relay::from(next_link).suits(link.rate)
            && !next_link.managed
            && graph.nodes[next_link.to].is_host
            && (next_link.rate, next_link.delay) == (model.rate, model.delay)
    };
    let relay = |number: usize| {
        let &model = followers[number].first()?;
        followers[number].iter().all(|&next| suits(number, next, model)).then_some(model)
    };
    (0..graph.links.len()).map(relay).collect()
}

impl From<&topology::Link> for Relay {
    fn from(link: &topology::Link) -> Self {
        Self { rate: link.rate, delay: link.delay }
    }
}

/// A flow for the data of each connection and, where receiving ends ask, behind them one for the requests of each.
fn build_flows(scenario: &Scenario, graph: &Graph, sources: &[Box<dyn Source>], chance: Chance) -> Vec<Flow> {
    let asks = sources.iter().any(|source| source.asks());
    let there = |number: usize| Way { circuit: 2 * number, line: graph.flows[number].forward[0] };
    let back = |number: usize| Way { circuit: 2 * number + 1, line: graph.flows[number].backward[0] };
    let clock = |number: usize, what: &str| {
        let chance = || chance.stream(&format!("flow/{}/{what}", graph.flows[number].number()));
        TickClock::with_chance(scenario.tcp.timer_granularity.0, scenario.tcp.timer_phase, chance)
    };
    let with_chance = |mut flow: Flow, number: usize, what: &str| {
        flow.sender.take_chance(|| chance.stream(&format!("flow/{}/{what}", graph.flows[number].number())));
        flow
    };
    // Who asks opens the connection; when there is something to answer it is open.
    let tcp = |number: usize| {
        let tcp = scenario.tcp_of(graph.flows[number].sender);
        TcpConfig { handshake: tcp.handshake && !asks, ..tcp }
    };
    let data = |number: usize| {
        let flow = build_flow(&tcp(number), clock(number, "timer-phase"), there(number), back(number));
        Flow { size: sources[number].size(), ..with_chance(flow, number, "window-law") }
    };
    let requests = |number: usize| {
        let flow = build_flow(
            &scenario.tcp_of(graph.flows[number].sender),
            clock(number, "request-timer-phase"),
            back(number),
            there(number),
        );
        with_chance(flow, number, "request-window-law")
    };
    let connections = 0..sources.len();
    let asking = if asks { connections.clone() } else { 0..0 };
    connections.map(data).chain(asking.map(requests)).collect()
}

fn build_flow(tcp: &TcpConfig, clock: TickClock, data: Way, acknowledgments: Way) -> Flow {
    Flow {
        sender: Sender::new(tcp, clock),
        receiver: Receiver::new(tcp),
        flavor: tcp.congestion_control(),
        ecn: tcp.ecn,
        option_bytes: OptionBytes {
            data: tcp.option_bytes(),
            acknowledgment: tcp.option_bytes() + tcp.ecn.option_bytes(),
        },
        data,
        acknowledgments,
        timer: None,
        late_acknowledgment: None,
        size: None,
        finished: None,
        fingerprint: Fingerprint::default(),
    }
}
