//! Topologies: graphs of hosts and switches, directed links, and flows between hosts.

mod back;
mod graph;
mod legs;
mod n_source;
mod routes;
mod shortest_paths;
mod terminals;

pub use back::Back;
pub use legs::{Cuts, Leg};
pub use routes::Routes;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use longfat_foundation::registry::{Entry, Family};
use longfat_foundation::units::{Rate, Span};

/// Every registered topology.
pub const TOPOLOGIES: &[Entry<dyn Topology>] =
    &[Entry::of::<n_source::NSource>(), Entry::of::<graph::GraphTopology>(), Entry::of::<terminals::Terminals>()];

/// A topology, which can be laid out as a graph.
pub trait Topology: Send + Sync {
    /// Lays out the graph, with one connection per sender.
    ///
    /// # Errors
    /// Errors of the topology, or of the journeys in it: dotted paths of a scenario, with messages.
    fn graph(&self, journeys: &[Journey]) -> Result<Graph, Vec<(String, String)>>;
}

/// Ends and route of a group of connections, as a scenario has them under `connections`.
#[derive(Clone, Debug, Default)]
pub struct Journey {
    /// Number of connections.
    pub count: u64,
    /// Host of the senders.
    pub from: Option<String>,
    /// Host of the receivers.
    pub to: Option<String>,
    /// Switches on the path of the data.
    pub route: Option<Vec<String>>,
    /// Switches on the path of the acknowledgments.
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

/// A graph of hosts, switches and links.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Hosts and switches.
    pub nodes: Vec<Node>,
    /// Directed links.
    pub links: Vec<Link>,
    /// Connections between hosts, with their paths.
    pub flows: Vec<Flow>,
    /// Index of the bottleneck's link; `None` for the slowest managed link.
    pub bottleneck: Option<usize>,
    /// True if proxies split every connection; paths then include their hosts.
    pub is_split: bool,
    /// A switch at an end of the bottleneck that only relays, as a transparent satellite does: proxies stand at the next one beyond it.
    pub relay: Option<usize>,
}

/// A host or a switch.
#[derive(Clone, Debug)]
pub struct Node {
    /// Name in reports.
    pub name: NodeName,
    /// True for a host.
    pub is_host: bool,
}

/// A word and an optional number: so a graph of a hundred thousand hosts allocates no names.
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
    /// Name of one of several, such as "source 3".
    #[must_use]
    pub fn numbered(word: &'static str, number: u64) -> Self {
        Self(word.into(), Some(number))
    }
}

/// A directed link.
#[derive(Clone, Debug)]
pub struct Link {
    /// Name in reports, if it has one of its own; see [`Graph::link_name`].
    pub name: Option<Cow<'static, str>>,
    /// Index of the sending node.
    pub from: usize,
    /// Index of the receiving node.
    pub to: usize,
    /// Rate in bits per second.
    pub rate: Rate,
    /// One-way propagation delay.
    pub delay: Span,
    /// True if it has the scenario's port (buffer, drop policy); other ports have unlimited buffers.
    pub managed: bool,
}

/// A connection between two hosts, with the paths of its data and acknowledgments.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Index of its sender, from 0.
    pub sender: usize,
    /// Index among the connections of its sender, from 0.
    pub place: usize,
    /// Links from sender to receiver; shared by connections with the same path.
    pub forward: Arc<[usize]>,
    /// Links from receiver to sender.
    pub backward: Arc<[usize]>,
    /// Where proxies split it, if any do.
    pub cuts: Cuts,
}

impl Flow {
    /// Number in names: that of the sender, from 1, with the index within the sender unless it is the first.
    #[must_use]
    pub fn number(&self) -> String {
        let sender = self.sender + 1;
        if self.place == 0 { sender.to_string() } else { format!("{sender}.{}", self.place + 1) }
    }
}

impl Graph {
    /// Adds a node; returns its index.
    pub fn add_node(&mut self, name: impl Into<NodeName>, is_host: bool) -> usize {
        self.nodes.push(Node { name: name.into(), is_host });
        self.nodes.len() - 1
    }

    /// Adds an unmanaged link in each direction, with the rates and delays there and back; returns the index of the first.
    pub fn join(&mut self, from: usize, to: usize, rates: (Rate, Rate), delays: (Span, Span)) -> usize {
        let index = self.links.len();
        for (from, to, rate, delay) in [(from, to, rates.0, delays.0), (to, from, rates.1, delays.1)] {
            self.links.push(Link { name: None, from, to, rate, delay, managed: false });
        }
        index
    }

    /// Name of a link in reports.
    #[must_use]
    pub fn link_name(&self, number: usize) -> String {
        let link = &self.links[number];
        let between = || format!("{} to {}", self.nodes[link.from].name, self.nodes[link.to].name);
        link.name.as_ref().map_or_else(between, ToString::to_string)
    }

    /// For each name the index of the link that is called so, if there is one.
    #[must_use]
    pub fn lines_called<'n>(&self, names: impl Iterator<Item = &'n str>) -> Vec<Option<usize>> {
        let names: Vec<_> = names.collect();
        let mut numbers = BTreeMap::new();
        if !names.is_empty() {
            numbers.extend((0..self.links.len()).map(|number| (self.link_name(number), number)));
        }
        names.into_iter().map(|name| numbers.get(name).copied()).collect()
    }

    /// For each name the indices of the links that are called so: one link, or, where none is and the name has asterisks, those whose names it
    /// matches, in which each asterisk stands for any text.
    #[must_use]
    pub fn lines_matching<'n>(&self, names: impl Iterator<Item = &'n str> + Clone) -> Vec<Vec<usize>> {
        let called = self.lines_called(names.clone());
        let matching = |(name, number): (&str, Option<usize>)| match number {
            None if name.contains('*') => {
                (0..self.links.len()).filter(|&number| matches(name, &self.link_name(number))).collect()
            }
            number => number.into_iter().collect(),
        };
        names.zip(called).map(matching).collect()
    }

    /// Whether a link leads away from a host.
    #[must_use]
    pub fn begins_at_host(&self, number: usize) -> bool {
        self.nodes[self.links[number].from].is_host
    }

    /// Index of the first of the two lines of a link.
    #[must_use]
    pub fn first_of_link(&self, number: usize) -> usize {
        self.opposite(number).map_or(number, |other| other.min(number))
    }

    /// Names of the managed links, which are also those of their ports.
    #[must_use]
    pub fn port_names(&self) -> Vec<String> {
        self.managed().map(|number| self.link_name(number)).collect()
    }

    /// Indices of the managed links.
    pub fn managed(&self) -> impl Iterator<Item = usize> {
        (0..self.links.len()).filter(|&number| self.links[number].managed)
    }

    /// The managed link to which results of the whole network refer.
    #[must_use]
    pub fn bottleneck(&self) -> Option<&Link> {
        self.bottleneck_number().map(|number| &self.links[number])
    }

    /// Index of the bottleneck's link.
    #[must_use]
    pub fn bottleneck_number(&self) -> Option<usize> {
        let slowest = || self.managed().min_by_key(|&number| self.links[number].rate);
        self.bottleneck.or_else(slowest)
    }

    /// Index of the reverse link.
    #[must_use]
    pub fn opposite(&self, number: usize) -> Option<usize> {
        let link = &self.links[number];
        self.links.iter().position(|other| (other.from, other.to) == (link.to, link.from))
    }

    /// Number of senders.
    #[must_use]
    pub fn senders(&self) -> usize {
        self.flows.last().map_or(0, |flow| flow.sender + 1)
    }

    /// For each link the longest round trip, without queueing, of the flows that cross it in either direction; of all flows if none does, and
    /// zero if there are none.
    #[must_use]
    pub fn longest_round_trips(&self) -> Vec<Span> {
        let mut longest = vec![None; self.links.len()];
        // Connections with the same path follow each other.
        for flow in self.flows.chunk_by(|one, next| Arc::ptr_eq(&one.forward, &next.forward)).filter_map(<[_]>::first) {
            let round_trip = Some(self.round_trip(flow));
            for &hop in flow.forward.iter().chain(flow.backward.iter()) {
                longest[hop] = longest[hop].max(round_trip);
            }
        }
        let of_all = longest.iter().copied().max().flatten().unwrap_or_default();
        longest.into_iter().map(|own| own.unwrap_or(of_all)).collect()
    }

    /// The number of connections whose data or acknowledgments cross each link.
    #[must_use]
    pub fn connections_over_links(&self) -> Vec<usize> {
        let mut found = vec![0; self.links.len()];
        for flows in self.flows.chunk_by(|one, next| Arc::ptr_eq(&one.forward, &next.forward)) {
            for &hop in flows[0].forward.iter().chain(flows[0].backward.iter()) {
                found[hop] += flows.len();
            }
        }
        found
    }

    /// Indices of the hosts of a flow's sender and receiver.
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

/// Whether a text matches a pattern in which each asterisk stands for any text.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((begin, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(begin) else { return false };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*') {
        let Some(found) = text.find(part) else { return false };
        text = &text[found + part.len()..];
    }
    text.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn an_asterisk_stands_for_any_text() {
        let text = "terminal 12 to satellite";
        for pattern in
            ["terminal * to satellite", "*", "t*", "*e", "terminal 1*", "*12*", "**to**", "terminal 12 to satellite*"]
        {
            assert!(matches(pattern, text), "{pattern}");
        }
        for pattern in ["terminal", "terminal * to", "* hub", "satellite*", "*12*12*", "terminal 12 to satellite*e"] {
            assert!(!matches(pattern, text), "{pattern}");
        }
    }
}
