//! Traffic of a scenario's senders, and the connections that it uses.

use longfat_foundation::random::Chance;
use longfat_foundation::registry::Chosen;
use longfat_foundation::units::Time;
use longfat_hosts::traffic::{Source, SourceContext};
use longfat_network::topology::{Flow, Graph};

use super::Scenario;
use super::objections::Objection;

/// Most connections of a run: as many as the flows of a single source may be.
const MOST_CONNECTIONS: usize = 1_000_000;

impl Scenario {
    /// Traffic source of sender `sender` among `senders`; each of its flows may have a connection of its own.
    #[must_use]
    pub fn source(&self, sender: usize, senders: usize) -> Box<dyn Source> {
        self.in_block(sender, self.traffic_of(sender).build(&self.source_context(sender, senders)))
    }

    pub(super) fn traffic_of(&self, sender: usize) -> &Chosen<dyn Source> {
        self.group(sender).and_then(|group| group.traffic.as_ref()).unwrap_or(&self.traffic)
    }

    /// Context of a sender's source.
    pub(super) fn source_context(&self, sender: usize, senders: usize) -> SourceContext {
        let chance = Chance { seed: self.seed, replication: self.replication };
        SourceContext {
            chance: chance.stream(&format!("flow/{}/source", sender + 1)),
            number: sender as u64,
            later: self.later(sender),
            until: Time::ZERO + self.duration.0,
            senders: senders as u64,
        }
    }

    /// The network as a [graph](Self::graph), and the sources of its connections in the order of the flows.
    ///
    /// # Panics
    /// If the scenario was not validated.
    #[must_use]
    pub fn graph_with_sources(&self) -> (Graph, Vec<Box<dyn Source>>) {
        let mut graph = self.checked_topology_graph();
        let (senders, until) = (graph.flows.len(), Time::ZERO + self.duration.0);
        let mut sources = Vec::with_capacity(senders);
        give_connections(&mut graph, |sender| {
            let (source, before) = (self.source(sender, senders), sources.len());
            match source.connections(until) {
                Some(of_connections) => sources.extend(of_connections),
                None => sources.push(source),
            }
            sources.len() - before
        });
        (graph, sources)
    }

    /// Adds to each sender the connections that its traffic uses.
    ///
    /// # Errors
    /// If there are more than a simulation may have.
    pub(super) fn add_connections(&self, graph: &mut Graph) -> Result<(), Objection> {
        let (senders, until) = (graph.flows.len(), Time::ZERO + self.duration.0);
        let of_sender = |sender| self.source(sender, senders).number_of_connections(until);
        if self.first_senders(senders).all(|sender| of_sender(sender).is_none()) {
            return Ok(());
        }
        let mut connections = 0;
        give_connections(graph, |sender| {
            // The first connection beyond the most is enough to refuse them all.
            let own = if connections > MOST_CONNECTIONS { 0 } else { of_sender(sender).unwrap_or(1) };
            connections += own;
            own
        });
        if connections <= MOST_CONNECTIONS {
            return Ok(());
        }
        let message =
            format!("the senders' traffic has over {MOST_CONNECTIONS} connections in all, the most that a run has");
        Err(("connections".into(), message))
    }

    /// True if receiving ends of any of the `senders` senders make requests: each connection then has a second flow for them.
    #[must_use]
    pub fn has_requests(&self, senders: usize) -> bool {
        self.first_senders(senders).any(|sender| self.source(sender, senders).asks())
    }

    /// True if the connections of a sender use UDP.
    #[must_use]
    pub fn sends_datagrams(&self, sender: usize, senders: usize) -> bool {
        self.source(sender, senders).datagrams().is_some()
    }

    /// Errors of the common traffic, and of the groups' own.
    pub(super) fn object_to_traffic(&self, senders: usize) -> Vec<Objection> {
        // The traffic of all is checked also where each group has its own.
        let of_all = self.traffic.objections(&self.source_context(0, senders)).into_iter();
        let mut objections: Vec<_> = of_all.map(|(key, message)| (format!("traffic.{key}"), message)).collect();
        for first in self.first_senders(senders) {
            let own = self.number_of_group(first).filter(|&number| self.connections[number].traffic.is_some());
            let path = self.path_of_traffic(first);
            let alike = own.map_or(senders as u64, |number| self.connections[number].count.0);
            let context = SourceContext { senders: alike, ..self.source_context(first, senders) };
            for (key, message) in self.traffic_of(first).objections(&context) {
                let objection = (format!("{path}.{key}"), message);
                if !objections.contains(&objection) {
                    objections.push(objection);
                }
            }
        }
        objections.extend(self.object_to_blocks(senders));
        objections.extend(self.object_to_some_requests(senders));
        objections.extend(self.object_to_large_datagrams(senders));
        objections.extend(self.object_to_stacks(senders));
        objections
    }

    fn path_of_traffic(&self, sender: usize) -> String {
        let own = self.number_of_group(sender).filter(|&number| self.connections[number].traffic.is_some());
        own.map_or("traffic".into(), |number| format!("connections[{number}].traffic"))
    }

    /// Datagrams are not cut into fragments.
    fn object_to_large_datagrams(&self, senders: usize) -> Option<Objection> {
        if !self.framing.objections(&()).is_empty() {
            return None;
        }
        let most = self.framing.build(&()).largest_datagram()?;
        let largest = |sender| self.source(sender, senders).datagrams().map_or(0, |datagrams| datagrams.largest);
        let sender = self.first_senders(senders).find(|&sender| largest(sender) > most)?;
        let (bytes, name) = (largest(sender), self.framing.name());
        let message = format!("a datagram of {bytes} B does not fit a packet of framing \"{name}\"; at most {most} B");
        Some((self.path_of_traffic(sender), message))
    }

    /// Objects to a mix of connections whose receiving ends make requests and others that do not: the requesting end opens the connection.
    /// Plain UDP has no connections.
    fn object_to_some_requests(&self, senders: usize) -> Option<Objection> {
        let asks = |sender| self.source(sender, senders).asks();
        let mut connected = self.first_senders(senders).filter(|&sender| !self.sends_datagrams(sender, senders));
        let first = connected.next()?;
        let other = connected.find(|&sender| asks(sender) != asks(first))?;
        let path = self.path_of_traffic(other);
        let (asking, others) = if asks(first) { (first, other) } else { (other, first) };
        let [asking, others] = [asking, others].map(|sender| self.traffic_of(sender).name());
        Some((
            path,
            format!(
                "with \"{asking}\" the receiving ends make requests, with \"{others}\" they do not; all must, or none"
            ),
        ))
    }
}

/// Gives each sender `of_sender(sender)` connections, all on the sender's path.
fn give_connections(graph: &mut Graph, mut of_sender: impl FnMut(usize) -> usize) {
    let ways = std::mem::take(&mut graph.flows);
    for way in ways {
        let connections = of_sender(way.sender);
        graph.flows.extend((0..connections).map(|place| Flow { place, ..way.clone() }));
    }
}
