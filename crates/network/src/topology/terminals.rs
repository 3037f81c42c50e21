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
    /// of each group are those of terminal 1, 2, … and again of terminal 1. A group that names a user, as in `to = "user 21"`, begins with its
    /// terminal.
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
            (0..).zip(journeys).flat_map(|(group, journey)| self.object_to_journey(group, journey)).collect();
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
        graph.relay = Some(satellite);
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
            let from = self.end(journey.from.as_deref().unwrap_or(SERVERS));
            let to = self.end(journey.to.as_deref().unwrap_or(USERS));
            let is_upload = matches!(from, Some(End::Users { .. }));
            let Some(End::Users { first }) = (if is_upload { from } else { to }) else { continue };
            let count = usize::try_from(journey.count).unwrap_or(usize::MAX);
            for [down, up] in paths.iter().cycle().skip(first).take(count) {
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

    /// The end of connections that a word means; none for words that mean none.
    fn end(&self, word: &str) -> Option<End> {
        match word {
            SERVERS => Some(End::Servers),
            USERS => Some(End::Users { first: 0 }),
            _ => {
                let number: usize = word.strip_prefix("user ")?.parse().ok()?;
                let is_known = number > 0 && number as u64 <= self.terminals.0 && word == format!("user {number}");
                is_known.then(|| End::Users { first: number - 1 })
            }
        }
    }

    /// Errors of a group's ends.
    fn object_to_journey(&self, group: usize, journey: &Journey) -> Vec<(String, String)> {
        let path = |key: &str| format!("connections[{group}].{key}");
        let ends = [("from", journey.from.as_deref(), SERVERS), ("to", journey.to.as_deref(), USERS)];
        let mut objections = Vec::new();
        for (key, word, _) in ends {
            if let Some(word) = word.filter(|word| self.end(word).is_none()) {
                let known = format!("\"{SERVERS}\", \"{USERS}\", \"user 1\" to \"user {}\"", self.terminals.0);
                objections.push((path(key), format!("no end {word:?}; known: {known}")));
            }
        }
        let [from, to] = ends.map(|(_, word, usual)| self.end(word.unwrap_or(usual)));
        let leads_back = matches!((from, to), (Some(End::Servers), Some(End::Servers)))
            || matches!((from, to), (Some(End::Users { .. }), Some(End::Users { .. })));
        if leads_back && journey.to.is_some() {
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
}

/// An end of connections: the servers, or the users, of whom the first connection of a group has this one.
#[derive(Clone, Copy)]
enum End {
    Servers,
    Users { first: usize },
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

    #[test]
    fn a_group_that_names_a_user_begins_with_its_terminal() {
        let down = Journey { count: 2, to: Some("user 3".into()), ..Journey::default() };
        let up = Journey { count: 2, from: Some("user 2".into()), ..Journey::default() };
        let graph = terminals().graph(&[down, up]).expect("they are sound");
        let ends = |flow: &Flow| {
            let (from, to) = graph.hosts_of(flow);
            (graph.nodes[from].name.to_string(), graph.nodes[to].name.to_string())
        };
        let expected = [("servers", "user 3"), ("servers", "user 1"), ("user 2", "servers"), ("user 3", "servers")];
        let expected = expected.map(|(from, to)| (from.to_owned(), to.to_owned()));
        assert_eq!(graph.flows.iter().map(ends).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn proxies_stand_at_the_hub_and_at_the_terminal_and_not_on_board() {
        let up = Journey { count: 1, from: Some("user 2".into()), ..Journey::default() };
        let mut graph = terminals().graph(&[Journey { count: 1, ..Journey::default() }, up]).expect("they are sound");
        assert_eq!(graph.split_by_proxies(), Ok(()));
        let passed = |circuit: usize| {
            let links = graph.links_of_circuit(circuit).expect("two connections of three legs have twelve circuits");
            let first = graph.links[links[0]].from;
            let nodes = std::iter::once(first).chain(links.iter().map(|&link| graph.links[link].to));
            nodes.map(|node| graph.nodes[node].name.to_string()).collect::<Vec<_>>().join(", ")
        };
        let expected = [
            "near proxy 1, hub, satellite, terminal 1, far proxy 1",
            "far proxy 1, terminal 1, satellite, hub, near proxy 1",
            "near proxy 2, terminal 2, satellite, hub, far proxy 2",
            "far proxy 2, hub, satellite, terminal 2, near proxy 2",
            "servers, hub, near proxy 1",
            "near proxy 1, hub, servers",
            "user 2, terminal 2, near proxy 2",
            "near proxy 2, terminal 2, user 2",
            "far proxy 1, terminal 1, user 1",
            "user 1, terminal 1, far proxy 1",
            "far proxy 2, hub, servers",
            "servers, hub, far proxy 2",
        ];
        assert_eq!((0..graph.circuits()).map(passed).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn an_end_that_no_terminal_has_is_refused() {
        for word in ["user 0", "user 4", "user 01", "user", "hub"] {
            let journey = Journey { count: 1, to: Some(word.into()), ..Journey::default() };
            let Err(objections) = terminals().graph(&[journey]) else { panic!("{word} is no end") };
            let told = "known: \"servers\", \"users\", \"user 1\" to \"user 3\"";
            assert_eq!(objections, [("connections[0].to".to_owned(), format!("no end {word:?}; {told}"))]);
        }
        let within = Journey { count: 1, from: Some("users".into()), to: Some("user 2".into()), ..Journey::default() };
        assert!(terminals().graph(&[within]).is_err());
    }
}
