//! The N-source configuration of the seed papers.

use longfat_foundation::config::AtLeastOne;
use longfat_foundation::units::{Rate, Span};

use super::{Back, Cuts, Flow, Graph, Journey, NodeName, Topology};

longfat_foundation::section! {
    /// A pair of links, one in each direction.
    pub struct LinkPair {
        /// Bits per second on the line. The papers take 155.52 Mbit/s as the rate of cells; after SONET overhead it would
        /// be 149.76 Mbit/s (S-01).
        pub rate: Rate = "155.52 Mbit/s" or ["149.76 Mbit/s"],
        /// Bits per second on the line back, from the destinations to the sources.
        pub rate_back: Back<Rate> = "as-there",
        /// One-way propagation delay.
        pub delay: Span,
        /// One-way propagation delay of the line back, from the destinations to the sources.
        pub delay_back: Back<Span> = "as-there",
    }
}

longfat_foundation::model! {
    /// N sources, a switch, one link, a second switch, N destinations. The first switch's port to the second is the bottleneck: it alone
    /// has the scenario's buffer and policy. Acknowledgments return over the same links, with ample buffers.
    #[name = "n-source"]
    #[source = "UBR+ figure 2; 97-0424 figure 3"]
    pub struct NSource: dyn Topology {
        /// N, the number of sources, each with a destination and a connection of its own.
        sources: AtLeastOne,
        /// Links between hosts and switches.
        access: LinkPair,
        /// Link between the switches.
        bottleneck: LinkPair,
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl LinkPair {
    pub(super) fn rates(&self) -> (Rate, Rate) {
        (self.rate, self.rate_back.beside(self.rate))
    }

    pub(super) fn delays(&self) -> (Span, Span) {
        (self.delay, self.delay_back.beside(self.delay))
    }
}

impl Topology for NSource {
    fn graph(&self, journeys: &[Journey]) -> Result<Graph, Vec<(String, String)>> {
        let objections: Vec<_> =
            (0..).zip(journeys).flat_map(|(group, journey)| object_to_ends(group, journey)).collect();
        if objections.is_empty() { Ok(self.laid_out(journeys)) } else { Err(objections) }
    }
}

impl NSource {
    fn laid_out(&self, journeys: &[Journey]) -> Graph {
        let sources = usize::try_from(self.sources.0).unwrap_or(0);
        // Exact capacities: there may be a hundred thousand sources.
        let mut graph = Graph {
            nodes: Vec::with_capacity(2 + 2 * sources),
            links: Vec::with_capacity(2 + 4 * sources),
            flows: Vec::with_capacity(sources),
            bottleneck: None,
            is_split: false,
            relay: None,
        };
        let near = graph.add_node("switch 1", false);
        let far = graph.add_node("switch 2", false);
        let bottleneck = graph.join(near, far, self.bottleneck.rates(), self.bottleneck.delays());
        graph.links[bottleneck].managed = true;
        graph.bottleneck = Some(bottleneck);
        graph.links[bottleneck].name = Some("bottleneck".into());
        graph.links[bottleneck + 1].name = Some("bottleneck back".into());
        let delays = journeys.iter().flat_map(|journey| (0..journey.count).map(|_| journey.access_delay));
        let of_access = self.access.delays();
        let mut delays = delays.map(|delay| delay.map_or(of_access, |delay| (delay, delay)));
        for number in 1..=self.sources.0 {
            let source = graph.add_node(NodeName::numbered("source", number), true);
            let destination = graph.add_node(NodeName::numbered("destination", number), true);
            let up = graph.join(source, near, self.access.rates(), delays.next().unwrap_or(of_access));
            let down = graph.join(far, destination, self.access.rates(), of_access);
            graph.flows.push(Flow {
                sender: graph.flows.len(),
                place: 0,
                forward: [up, bottleneck, down].into(),
                backward: [down + 1, bottleneck + 1, up + 1].into(),
                cuts: Cuts::default(),
            });
        }
        graph
    }
}

/// The error if connections of N sources name their ends.
fn object_to_ends(group: usize, journey: &Journey) -> Vec<(String, String)> {
    let given = [
        ("from", journey.from.is_some()),
        ("to", journey.to.is_some()),
        ("route", journey.route.is_some()),
        ("route_back", journey.route_back.is_some()),
    ];
    let message = "topology \"n-source\" gives each connection a source and a destination of its own; leave it out, or write topology.kind = \"graph\"";
    let given = given.into_iter().filter(|(_, is_given)| *is_given);
    given.map(|(key, _)| (format!("connections[{group}].{key}"), message.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_crosses_the_same_nodes_and_the_round_trip_is_six_links() {
        let pair = |microseconds| LinkPair {
            rate: Rate(155_520_000),
            rate_back: Back::default(),
            delay: Span::from_microseconds(microseconds),
            delay_back: Back::default(),
        };
        let graph = NSource { sources: AtLeastOne(3), access: pair(5), bottleneck: pair(100) };
        let graph = graph.graph(&[]).expect("there are no groups");
        assert_eq!(graph.flows.len(), 3);
        for flow in &graph.flows {
            let there: Vec<_> = flow.forward.iter().map(|&link| graph.links[link].from).collect();
            let back: Vec<_> = flow.backward.iter().rev().map(|&link| graph.links[link].to).collect();
            assert_eq!(there, back);
            assert_eq!(graph.round_trip(flow), Span::from_microseconds(220));
        }
        assert_eq!(graph.bottleneck_number().map(|number| graph.link_name(number)).as_deref(), Some("bottleneck"));
        assert_eq!(graph.link_name(graph.flows[1].forward[0]), "source 2 to switch 1");
    }
}
