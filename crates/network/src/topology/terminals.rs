//! Satellite terminals of one hub.

use std::sync::Arc;

use longfat_foundation::config::AtLeastOne;
use longfat_foundation::units::{Rate, Span};

use super::n_source::LinkPair;
use super::{Cuts, Flow, Graph, Journey, NodeName, Topology};

longfat_foundation::section! {
    /// The links over a satellite.
    pub struct Satellite {
        /// Bits per second on the forward link, from the hub, which all terminals receive.
        pub forward_rate: Rate,
        /// Bits per second at which one terminal can send: its carrier.
        pub terminal_rate: Rate,
        /// Bits per second of all terminals' carriers together, on the way from the satellite to the hub.
        pub return_rate: Rate,
        /// One-way propagation delay from the hub over the satellite to a terminal.
        pub delay: Span = "255 ms",
    }
}

longfat_foundation::model! {
    /// N satellite terminals, each with a user behind it, and a hub with servers behind it. The forward link is one line for all ("forward"), with the
    /// port of the bottleneck. Each terminal sends on a line of its own ("terminal 1 to satellite"), also with a managed port; capacity of
    /// these lines may be shared. Connections go from the servers to the users, or back where a group says `from = "users"`; the connections
    /// of each group are those of terminal 1, 2, … and again of terminal 1.
    #[name = "terminals"]
    #[source = "ETSI EN 301 545-2 (DVB-RCS2): star network with a transparent satellite"]
    pub struct Terminals: dyn Topology {
        /// N, the number of terminals: at most 2,000.
        terminals: AtLeastOne,
        /// Links between each user and its terminal; there is from the user.
        access: LinkPair,
        /// Links over the satellite.
        satellite: Satellite,
        /// Link between the servers and the hub; there is from the servers.
        servers: LinkPair,
    }
    build(config, _context) { Box::new(config.clone()) }
}

/// Words for the ends of connections.
const USERS: &str = "users";
const SERVERS: &str = "servers";

/// Most terminals: a port, with a buffer that is settled for its line, for each.
const MOST_TERMINALS: u64 = 2_000;

/// Most connections.
const MOST_CONNECTIONS: u64 = 100_000;

impl Topology for Terminals {
    fn graph(&self, journeys: &[Journey]) -> Result<Graph, Vec<(String, String)>> {
        let mut objections: Vec<_> =
            (0..).zip(journeys).flat_map(|(group, journey)| object_to_journey(group, journey)).collect();
        let connections = journeys.iter().fold(0, |sum: u64, journey| sum.saturating_add(journey.count));
        if connections > MOST_CONNECTIONS {
            objections.push(("connections".into(), format!("{connections} connections; at most {MOST_CONNECTIONS}")));
        }
        if self.terminals.0 > MOST_TERMINALS {
            let message = format!("{} terminals; at most {MOST_TERMINALS}", self.terminals.0);
            objections.push(("topology.terminals".into(), message));
        }
        if objections.is_empty() { Ok(self.laid_out(journeys)) } else { Err(objections) }
    }
}

impl Terminals {
    fn laid_out(&self, journeys: &[Journey]) -> Graph {
        let mut graph = Graph::default();
        let servers = graph.add_node(SERVERS, true);
        let hub = graph.add_node("hub", false);
        let satellite = graph.add_node("satellite", false);
        let Satellite { forward_rate, terminal_rate, return_rate, delay } = self.satellite;
        let (up, down) = (Span(delay.0 / 2), Span(delay.0 - delay.0 / 2));
        let served = graph.join(servers, hub, self.servers.rates(), self.servers.delays());
        let forward = graph.join(hub, satellite, (forward_rate, return_rate), (up, up));
        graph.links[forward].managed = true;
        graph.bottleneck = Some(forward);
        graph.links[forward].name = Some("forward".into());
        graph.links[forward + 1].name = Some("forward back".into());
        let mut paths: Vec<[Arc<[usize]>; 2]> = Vec::new();
        for number in 1..=self.terminals.0 {
            let terminal = graph.add_node(NodeName::numbered("terminal", number), false);
            let user = graph.add_node(NodeName::numbered("user", number), true);
            let sent = graph.join(terminal, satellite, (terminal_rate, forward_rate), (down, down));
            graph.links[sent].managed = true;
            let access = graph.join(user, terminal, self.access.rates(), self.access.delays());
            paths
                .push([[served, forward, sent + 1, access + 1].into(), [access, sent, forward + 1, served + 1].into()]);
        }
        let one_each = Journey { count: self.terminals.0, ..Journey::default() };
        let journeys = if journeys.is_empty() { std::slice::from_ref(&one_each) } else { journeys };
        for journey in journeys {
            let is_upload = journey.from.as_deref() == Some(USERS);
            let count = usize::try_from(journey.count).unwrap_or(usize::MAX);
            for [down, up] in paths.iter().cycle().take(count) {
                let (forward, backward) = if is_upload { (up, down) } else { (down, up) };
                let (forward, backward) = (Arc::clone(forward), Arc::clone(backward));
                graph.flows.push(Flow {
                    sender: graph.flows.len(),
                    place: 0,
                    forward,
                    backward,
                    cuts: Cuts::default(),
                });
            }
        }
        graph
    }
}

/// Errors of a group's ends.
fn object_to_journey(group: usize, journey: &Journey) -> Vec<(String, String)> {
    let path = |key: &str| format!("connections[{group}].{key}");
    let mut objections = Vec::new();
    let ends = [("from", &journey.from), ("to", &journey.to)];
    for (key, end) in ends {
        if let Some(end) = end.as_deref().filter(|end| ![USERS, SERVERS].contains(end)) {
            objections.push((path(key), format!("no end {end:?}; known: \"{SERVERS}\", \"{USERS}\"")));
        }
    }
    if objections.is_empty()
        && journey.to.is_some()
        && journey.from.as_deref().unwrap_or(SERVERS) == journey.to.as_deref().unwrap_or(USERS)
    {
        objections.push((
            path("to"),
            "connections go from \"servers\" to \"users\", or from \"users\" to \"servers\"".into(),
        ));
    }
    let given = [
        ("route", journey.route.is_some()),
        ("route_back", journey.route_back.is_some()),
        ("access_delay", journey.access_delay.is_some()),
    ];
    let message = "topology \"terminals\" has one way between a user and the servers; leave it out, or write topology.kind = \"graph\"";
    let given = given.into_iter().filter(|(_, is_given)| *is_given);
    objections.extend(given.map(|(key, _)| (path(key), message.to_owned())));
    objections
}

#[cfg(test)]
mod tests {
    use super::super::Back;
    use super::*;

    fn pair(microseconds: u64) -> LinkPair {
        LinkPair {
            rate: Rate(1_000_000_000),
            rate_back: Back::default(),
            delay: Span::from_microseconds(microseconds),
            delay_back: Back::default(),
        }
    }

    fn terminals() -> Terminals {
        let satellite = Satellite {
            forward_rate: Rate(50_000_000),
            terminal_rate: Rate(2_000_000),
            return_rate: Rate(20_000_000),
            delay: Span::from_microseconds(255_000),
        };
        Terminals { terminals: AtLeastOne(3), access: pair(1000), satellite, servers: pair(5000) }
    }

    #[test]
    fn each_terminal_has_a_download_whose_round_trip_crosses_the_satellite_twice() {
        let graph = terminals().graph(&[]).expect("there are no groups");
        assert_eq!(graph.flows.len(), 3);
        for flow in &graph.flows {
            let there: Vec<_> = flow.forward.iter().map(|&link| graph.links[link].from).collect();
            let back: Vec<_> = flow.backward.iter().rev().map(|&link| graph.links[link].to).collect();
            assert_eq!(there, back);
            assert_eq!(graph.round_trip(flow), Span::from_microseconds(2 * (255_000 + 6000)));
        }
        assert_eq!(
            graph.port_names(),
            ["forward", "terminal 1 to satellite", "terminal 2 to satellite", "terminal 3 to satellite"]
        );
    }

    #[test]
    fn the_connections_of_a_group_go_round_the_terminals_in_their_direction() {
        let journey = |count, from: &str| Journey { count, from: Some(from.into()), ..Journey::default() };
        let graph = terminals().graph(&[journey(2, "servers"), journey(4, "users")]).expect("they are sound");
        let names = |flow: &Flow| {
            let (from, to) = graph.hosts_of(flow);
            format!("{} to {}", graph.nodes[from].name, graph.nodes[to].name)
        };
        assert_eq!(
            graph.flows.iter().map(names).collect::<Vec<_>>(),
            [
                "servers to user 1",
                "servers to user 2",
                "user 1 to servers",
                "user 2 to servers",
                "user 3 to servers",
                "user 1 to servers"
            ]
        );
    }
}
