//! Managed ports with settings of their own.

use std::collections::BTreeSet;

use longfat_foundation::config::{Parameter, Reader, parse_fragment};
use longfat_foundation::registry::Chosen;
use longfat_foundation::units::CELL_BITS;
use longfat_network::framing::Unit;
use longfat_network::switch::drop_policy::DropPolicy;
use longfat_network::switch::queue_discipline::QueueDiscipline;
use longfat_network::switch::scheduler::Scheduler;
use longfat_network::switch::{Buffer, PortConfig};
use longfat_network::topology::{Flow, Graph};

use super::Scenario;
use super::lines::no_line;
use super::objections::Objection;

longfat_foundation::section! {
    /// A managed port, and its settings that differ from `port`. Every line of a switch may have one.
    pub struct OtherPort {
        /// Name of the port's line, as in results.
        pub at: String,
        /// K, as in `port`; "RTT", "BDP" and n are those of the connections that cross this line.
        pub buffer: Option<Buffer> = "as-others",
        /// Which cells or packets are dropped when the buffer fills. Overrides a `queue` that applies to all ports.
        pub policy: Option<Chosen<dyn DropPolicy>> = "as-others",
        /// How waiting packets are managed. Overrides the `policy` and `scheduler` that apply to all ports.
        pub queue: Option<Chosen<dyn QueueDiscipline>> = "as-others",
        /// Which service class sends in a slot.
        pub scheduler: Option<Chosen<dyn Scheduler>> = "as-others",
    }
}

impl OtherPort {
    fn is_at(name: &str) -> impl Fn(&Self) -> bool {
        move |port| port.at == name
    }

    fn with_buffer(at: String, buffer: Buffer) -> Self {
        Self { at, buffer: Some(buffer), policy: None, queue: None, scheduler: None }
    }

    /// Settings of the port, given the common settings `others`.
    fn config(&self, others: &PortConfig) -> PortConfig {
        let mut config = others.clone();
        config.buffer = self.buffer.unwrap_or(config.buffer);
        if let Some(queue) = &self.queue {
            config.queue = queue.clone();
            config.policy = left_out("policy");
            config.scheduler = left_out("scheduler");
        } else if self.policy.is_some() || self.scheduler.is_some() {
            config.queue = left_out("queue");
        }
        config.policy = self.policy.clone().unwrap_or(config.policy);
        config.scheduler = self.scheduler.clone().unwrap_or(config.scheduler);
        config
    }
}

/// Value of `key` if `port` omits it.
fn left_out<P: Parameter>(key: &str) -> P {
    let field = PortConfig::fields().into_iter().find(|field| field.name == key);
    let default = field.and_then(|field| field.default).map(parse_fragment);
    default.and_then(|node| P::read(&node, &mut Reader::default())).expect("it may be left out")
}

impl Scenario {
    /// Settings of the managed port of the line called `name`.
    #[must_use]
    pub fn port_at(&self, name: &str) -> PortConfig {
        self.ports
            .iter()
            .find(|port| OtherPort::is_at(name)(port))
            .map_or_else(|| self.port.clone(), |port| port.config(&self.port))
    }

    /// Settings of the bottleneck's port.
    #[must_use]
    pub fn bottleneck_port(&self, graph: &Graph) -> PortConfig {
        let name = graph.bottleneck_number().map(|number| graph.link_name(number));
        name.map_or_else(|| self.port.clone(), |name| self.port_at(&name))
    }

    /// Settings of all managed ports, in the order of the graph's links.
    #[must_use]
    pub fn all_ports(&self, graph: &Graph) -> Vec<PortConfig> {
        graph.managed().map(|number| self.port_at(&graph.link_name(number))).collect()
    }

    /// Ports listed in `ports` must exist, each once.
    pub(super) fn object_to_names_of_ports(&self, graph: &Graph) -> Vec<Objection> {
        let known: BTreeSet<_> = graph.port_names().into_iter().collect();
        let mut objections = Vec::new();
        for (place, port) in self.ports.iter().enumerate() {
            let message = if !known.contains(&port.at) {
                // Only switches have managed ports.
                no_line(&port.at, graph, |number| !graph.begins_at_host(number))
            } else if self.ports[..place].iter().any(OtherPort::is_at(&port.at)) {
                format!("the port {:?} is listed twice; merge the entries", port.at)
            } else {
                continue;
            };
            objections.push((format!("ports[{place}].at"), message));
        }
        objections
    }

    /// Rates are promised at a single managed port, and for data only.
    pub(super) fn object_to_promises(&self, graph: &Graph) -> Option<Objection> {
        self.contract(graph)?;
        let (name, ports) = (self.port.service.name(), graph.managed().count());
        let comes_back = |flow: &Flow| flow.backward.iter().any(|&hop| graph.bottleneck_number() == Some(hop));
        let message = if ports > 1 {
            format!("service \"{name}\" keeps its promises at one managed port, and the topology has {ports}")
        } else if graph.flows.iter().any(comes_back) {
            format!("service \"{name}\" promises rates to data, and acknowledgments cross the bottleneck too")
        } else {
            return None;
        };
        Some(("port.service".into(), message))
    }

    /// Bits on the line of the buffer's unit: a cell, or a full segment of `[tcp]` if packets travel whole.
    #[must_use]
    pub fn bits_of_unit(&self) -> u64 {
        let framing = self.framing.build(&());
        match framing.unit() {
            Unit::Cell => CELL_BITS,
            Unit::Packet => framing.bits(self.tcp.mss.0, self.tcp.option_bytes()),
        }
    }

    /// Resolves buffer sizes and arrival orders, which depend on the framing. A buffer of `port` that is relative to the round trip resolves
    /// per line; a line whose size differs from the bottleneck's gets an entry in `ports`.
    pub(super) fn settle_ports(&mut self, graph: &Graph) {
        let unit = self.framing.build(&()).unit();
        self.port.arrival_order = self.port.arrival_order.settled(unit);
        let bits = self.bits_of_unit();
        let round_trips = graph.longest_round_trips();
        let connections = graph.connections_over_links();
        let settled = |buffer: Buffer, number: usize| {
            buffer.settled(graph.links[number].rate, round_trips[number], connections[number], unit, bits)
        };
        let of_all = self.port.buffer;
        if let Some(bottleneck) = graph.bottleneck_number() {
            self.port.buffer = settled(of_all, bottleneck);
        }
        for number in graph.managed() {
            let name = graph.link_name(number);
            let place = self.ports.iter().position(OtherPort::is_at(&name));
            let own = place.and_then(|place| self.ports[place].buffer);
            let buffer = settled(own.unwrap_or(of_all), number);
            match place {
                Some(place) if own.is_some() || buffer != self.port.buffer => self.ports[place].buffer = Some(buffer),
                None if buffer != self.port.buffer => self.ports.push(OtherPort::with_buffer(name, buffer)),
                _ => {}
            }
        }
    }
}
