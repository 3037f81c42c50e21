//! Who is joined to whom: a graph of hosts and switches, directed links, and flows between hosts.

mod graph;
mod legs;
mod n_source;
mod rate_back;
mod routes;
mod shortest_paths;

pub use legs::Leg;
pub use rate_back::RateBack;
pub use routes::Routes;

use std::borrow::Cow;
use std::sync::Arc;

use longfat_foundation::registry::{Entry, Family};
use longfat_foundation::units::{Rate, Span};

/// Every registered topology.
pub const TOPOLOGIES: &[Entry<dyn Topology>] = &[Entry::of::<n_source::NSource>(), Entry::of::<graph::GraphTopology>()];

/// Something that can be laid out as a graph.
pub trait Topology: Send + Sync {
    /// The graph, with one connection for each sender.
    ///
    /// # Errors
    /// What is wrong with the topology, or with the journeys in it: where, as a dotted path of a scenario, and why.
    fn graph(&self, journeys: &[Journey]) -> Result<Graph, Vec<(String, String)>>;
}

/// What a group of connections says of its way, in a scenario under `connections`.
#[derive(Clone, Debug, Default)]
pub struct Journey {
    /// How many connections.
    pub count: u64,
    /// The host of their senders.
    pub from: Option<String>,
    /// The host of their receivers.
    pub to: Option<String>,
    /// The switches that their data pass.
    pub route: Option<Vec<String>>,
    /// The switches that their acknowledgments pass.
    pub route_back: Option<Vec<String>>,
    /// One-way propagation delay of the line between each sender and the network.
    pub access_delay: Option<Span>,
}

impl Family for dyn Topology {
    const KIND: &'static str = "topology";
    type Context = ();
    fn models() -> &'static [Entry<Self>] {
        TOPOLOGIES
    }
}

/// Hosts and switches with the links between them.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Hosts and switches.
    pub nodes: Vec<Node>,
    /// Directed links.
    pub links: Vec<Link>,
    /// Connections between hosts, with their paths.
    pub flows: Vec<Flow>,
    /// The number of the link that is the bottleneck; the slowest that is managed, if the topology chooses none.
    pub bottleneck: Option<usize>,
    /// Whether proxies split every connection, so that its path passes their hosts.
    pub is_split: bool,
}

/// A host or a switch.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its name in reports.
    pub name: NodeName,
    /// Whether it is a host.
    pub is_host: bool,
}

/// A word and perhaps a number: a graph of a hundred thousand hosts is laid out without writing a hundred thousand names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeName(Cow<'static, str>, Option<u64>);

impl std::fmt::Display for NodeName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.1 {
            Some(number) => write!(f, "{} {number}", self.0),
            None => f.write_str(&self.0),
        }
    }
}

impl<T: Into<Cow<'static, str>>> From<T> for NodeName {
    fn from(name: T) -> Self {
        Self(name.into(), None)
    }
}

impl NodeName {
    /// The word and the number of one of several.
    #[must_use]
    pub fn numbered(word: &'static str, number: u64) -> Self {
        Self(word.into(), Some(number))
    }
}

/// A directed link.
#[derive(Clone, Debug)]
pub struct Link {
    /// Its name in reports, if it has one of its own; see [`Graph::link_name`].
    pub name: Option<Cow<'static, str>>,
    /// Node that sends.
    pub from: usize,
    /// Node that receives.
    pub to: usize,
    /// Bits per second.
    pub rate: Rate,
    /// One-way propagation delay.
    pub delay: Span,
    /// Whether the scenario's port (buffer, drop policy) guards it; other ports have buffers without limit.
    pub managed: bool,
}

/// A connection between two hosts: the links that its data takes, and those of its acknowledgments.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The number of its sender, from 0.
    pub sender: usize,
    /// Its number among the connections of its sender, from 0.
    pub place: usize,
    /// From the sender to the receiver; shared by the connections that take the same way.
    pub forward: Arc<[usize]>,
    /// From the receiver to the sender.
    pub backward: Arc<[usize]>,
}

impl Flow {
    /// Its number in names: that of its sender, from 1, and its own behind the first of its sender.
    #[must_use]
    pub fn number(&self) -> String {
        let sender = self.sender + 1;
        if self.place == 0 { sender.to_string() } else { format!("{sender}.{}", self.place + 1) }
    }
}

impl Graph {
    /// Adds a node and gives its number.
    pub fn add_node(&mut self, name: impl Into<NodeName>, is_host: bool) -> usize {
        self.nodes.push(Node { name: name.into(), is_host });
        self.nodes.len() - 1
    }

    /// Adds a link in each direction, unmanaged, with the rates there and back, and gives the number of the first.
    pub fn join(&mut self, from: usize, to: usize, rates: (Rate, Rate), delay: Span) -> usize {
        let index = self.links.len();
        for (from, to, rate) in [(from, to, rates.0), (to, from, rates.1)] {
            self.links.push(Link { name: None, from, to, rate, delay, managed: false });
        }
        index
    }

    /// The name of a link in reports.
    #[must_use]
    pub fn link_name(&self, number: usize) -> String {
        let link = &self.links[number];
        let between = || format!("{} to {}", self.nodes[link.from].name, self.nodes[link.to].name);
        link.name.as_ref().map_or_else(between, ToString::to_string)
    }

    /// The names of the managed links, and of the ports before them.
    #[must_use]
    pub fn port_names(&self) -> Vec<String> {
        self.managed().map(|number| self.link_name(number)).collect()
    }

    /// The numbers of the managed links.
    pub fn managed(&self) -> impl Iterator<Item = usize> {
        (0..self.links.len()).filter(|&number| self.links[number].managed)
    }

    /// The managed link that results of the whole network are about.
    #[must_use]
    pub fn bottleneck(&self) -> Option<&Link> {
        self.bottleneck_number().map(|number| &self.links[number])
    }

    /// The number of the bottleneck.
    #[must_use]
    pub fn bottleneck_number(&self) -> Option<usize> {
        let slowest = || self.managed().min_by_key(|&number| self.links[number].rate);
        self.bottleneck.or_else(slowest)
    }

    /// The number of the link between the same nodes that leads the other way.
    #[must_use]
    pub fn opposite(&self, number: usize) -> Option<usize> {
        let link = &self.links[number];
        self.links.iter().position(|other| (other.from, other.to) == (link.to, link.from))
    }

    /// How many senders there are.
    #[must_use]
    pub fn senders(&self) -> usize {
        self.flows.last().map_or(0, |flow| flow.sender + 1)
    }

    /// The longest round trip without queueing of the flows that cross a link, there or back; of all flows, if none does.
    #[must_use]
    pub fn longest_round_trip(&self, link: usize) -> Option<Span> {
        let crosses = |flow: &&Flow| flow.forward.iter().chain(flow.backward.iter()).any(|&hop| hop == link);
        let crossing = self.flows.iter().filter(crosses).map(|flow| self.round_trip(flow)).max();
        crossing.or_else(|| self.flows.iter().map(|flow| self.round_trip(flow)).max())
    }

    /// The numbers of the hosts of a flow's sender and of its receiver.
    ///
    /// # Panics
    /// If the flow has no path.
    #[must_use]
    pub fn hosts_of(&self, flow: &Flow) -> (usize, usize) {
        let first = *flow.forward.first().expect("a flow has a path");
        let last = *flow.forward.last().expect("a flow has a path");
        (self.links[first].from, self.links[last].to)
    }

    /// Propagation delay of a flow, there and back.
    #[must_use]
    pub fn round_trip(&self, flow: &Flow) -> Span {
        let delays = flow.forward.iter().chain(flow.backward.iter()).map(|&link| self.links[link].delay);
        delays.fold(Span::ZERO, |sum, delay| sum + delay)
    }
}
