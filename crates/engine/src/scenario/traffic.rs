//! The applications of a scenario's senders, and the connections that they have.

use super::Scenario;
use crate::random::Chance;
use crate::topology::{Flow, Graph};
use crate::traffic::{Source, SourceContext};
use crate::units::Time;

impl Scenario {
    /// What the applications of a sender, of so many, do; each of their flows may have a connection of its own.
    #[must_use]
    pub fn source(&self, sender: usize, senders: usize) -> Box<dyn Source> {
        self.traffic.build(&self.source_context(sender, senders))
    }

    /// What the source of a sender knows.
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

    /// The sources of all connections, in the order of the graph's flows.
    #[must_use]
    pub fn sources(&self, graph: &Graph) -> Vec<Box<dyn Source>> {
        let (senders, until) = (graph.senders(), Time::ZERO + self.duration.0);
        let mut sources = Vec::with_capacity(graph.flows.len());
        for sender in 0..senders {
            let source = self.source(sender, senders);
            match source.connections(until) {
                Some(of_connections) => sources.extend(of_connections),
                None => sources.push(source),
            }
        }
        sources
    }

    /// Gives each sender the connections that its applications have.
    pub(super) fn add_connections(&self, graph: &mut Graph) {
        let (senders, until) = (graph.flows.len(), Time::ZERO + self.duration.0);
        let of_sender = |sender| self.source(sender, senders).number_of_connections(until);
        if senders == 0 || of_sender(0).is_none() {
            return;
        }
        let routes = std::mem::take(&mut graph.flows);
        for route in routes {
            let connections = of_sender(route.sender).unwrap_or(1);
            graph.flows.extend((0..connections).map(|place| Flow { place, ..route.clone() }));
        }
    }

    /// Whether receiving ends ask for what is sent: then each connection has a second flow, of its requests.
    #[must_use]
    pub fn has_requests(&self) -> bool {
        self.source(0, 1).asks()
    }
}
