//! Topologies given as graphs: hosts, switches and links.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use longfat_foundation::config::{MOST_PROBLEMS, did_you_mean, listed};
use longfat_foundation::units::{Rate, Span};

use super::{Back, Cuts, Flow, Graph, Journey, Topology};

longfat_foundation::choice! {
    /// Ends of a link with a managed port: a buffer with a limit and a drop policy, as in the scenario's `port`.
    pub enum ManagedPorts {
        /// None: both ends have unlimited buffers.
        None = "none",
        /// The port of the line from `from` to `to`.
        There = "there",
        /// The port of the line from `to` to `from`.
        Back = "back",
        /// Both.
        Both = "both",
    }
}

longfat_foundation::section! {
    /// A link between two nodes: a line in each direction.
    pub struct LinkConfig {
        /// Name of the link, and of the port of its line from `from` to `to`; the port of the other line is "NAME back". "by-ends" stands
        /// for "FROM to TO" and "TO to FROM".
        pub name: String = "by-ends",
        /// The node at one end.
        pub from: String,
        /// The node at the other end. No two links join the same two nodes.
        pub to: String,
        /// Bits per second on the line from `from` to `to`.
        pub rate: Rate,
        /// Bits per second on the line from `to` to `from`.
        pub rate_back: Back<Rate> = "as-there",
        /// One-way propagation delay of the line from `from` to `to`.
        pub delay: Span,
        /// One-way propagation delay of the line from `to` to `from`.
        pub delay_back: Back<Span> = "as-there",
        /// Ends of the link with a managed port. Only switches have such ports.
        pub managed: ManagedPorts = "none",
    }
}

longfat_foundation::model! {
    /// Hosts and switches with links between them: parking lots, different round trips, several bottlenecks, reverse traffic. `connections`
    /// says which hosts communicate, and over which switches if not over the shortest path by delay; acknowledgments return over the same
    /// nodes by default. Every managed link has a port as in `port`, except those listed in `ports`.
    #[name = "graph"]
    #[source = "RFC 5166 section 3; Andrew et al., Common TCP Evaluation Suite, section 2"]
    pub struct GraphTopology: dyn Topology {
        /// Names of the hosts, the end points of connections.
        hosts: Vec<String>,
        /// Names of the switches, which forward.
        switches: Vec<String>,
        /// The links.
        links: Vec<LinkConfig>,
        /// Name of the line that results of the whole network refer to (`efficiency`, the ledger), that background traffic crosses, and
        /// where `loss` and `path` act. It is a line of a switch, whose port is then managed. "slowest" is the first of the links with a
        /// managed port with the lowest rate among those that data cross, or among all if data cross none.
        bottleneck: String = "slowest",
    }
    build(config, _context) { Box::new(config.clone()) }
}

/// Dotted path and message of an error.
type Objection = (String, String);

/// Most links of a graph: a constellation of some thousand satellites.
const MOST_LINKS: usize = 4_000;

/// Most connections of a graph, as many as `n-source` has.
const MOST_CONNECTIONS: u64 = 100_000;

/// Most products of pairs of hosts and links: the work of finding the routes between them.
const MOST_ROUTING: usize = 1_000_000;

impl Topology for GraphTopology {
    fn graph(&self, journeys: &[Journey]) -> Result<Graph, Vec<Objection>> {
        self.refuse_too_many(journeys)?;
        let mut plan = Plan::default();
        plan.add_nodes("hosts", &self.hosts);
        plan.add_nodes("switches", &self.switches);
        (0..).zip(&self.links).for_each(|(number, link)| plan.add_link(number, link));
        plan.choose_bottleneck(&self.bottleneck);
        plan.object_to_lone_nodes();
        // An invalid network has no routes.
        if plan.objections.is_empty() {
            (0..).zip(journeys).for_each(|(number, journey)| plan.add_connections(number, journey));
            plan.find_bottleneck();
            if journeys.is_empty() {
                plan.object(
                    "topology",
                    "no connections; write connections = [{ from = \"a host\", to = \"another\" }]",
                );
            }
        }
        if plan.objections.is_empty() { Ok(plan.graph) } else { Err(plan.objections) }
    }
}

impl GraphTopology {
    /// Refuses networks whose routes would take long to find, before looking for any.
    fn refuse_too_many(&self, journeys: &[Journey]) -> Result<(), Vec<Objection>> {
        let refuse = |path: &str, message: String| Err(vec![(path.to_owned(), message)]);
        let links = self.links.len();
        let nodes = self.hosts.len() + self.switches.len();
        if links > MOST_LINKS {
            return refuse("topology.links", format!("{links} links; a graph has at most {MOST_LINKS}"));
        }
        if nodes > 2 * links {
            let message = format!("{nodes} nodes, but {links} links join at most {}", 2 * links);
            return refuse("topology.links", message);
        }
        let connections = journeys.iter().fold(0, |sum: u64, journey| sum.saturating_add(journey.count));
        if connections > MOST_CONNECTIONS {
            return refuse("connections", format!("{connections} connections; at most {MOST_CONNECTIONS}"));
        }
        let pairs = journeys.iter().map(|journey| (&journey.from, &journey.to)).collect::<BTreeSet<_>>().len();
        if pairs.saturating_mul(links) > MOST_ROUTING {
            let message =
                format!("{pairs} pairs of hosts in a graph of {links} links; the product is at most {MOST_ROUTING}");
            return refuse("connections", message);
        }
        Ok(())
    }
}

/// Layout of a graph, with the errors found.
#[derive(Default)]
struct Plan {
    graph: Graph,
    /// Indices of nodes by name.
    numbers: BTreeMap<String, usize>,
    /// Names of lines.
    names: BTreeSet<String>,
    /// Shortest paths that are known, by their ends.
    shortest: BTreeMap<(usize, usize), Vec<usize>>,
    objections: Vec<Objection>,
}

impl Plan {
    fn object(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.objections.push((path.into(), message.into()));
    }

    fn add_nodes(&mut self, key: &str, names: &[String]) {
        for (place, name) in names.iter().enumerate() {
            let number = self.graph.add_node(name.clone(), key == "hosts");
            let is_new = self.numbers.insert(name.clone(), number).is_none();
            if !is_new {
                self.object(
                    format!("topology.{key}[{place}]"),
                    format!("a second node {name:?}; names must be unique"),
                );
            }
            if name.trim().is_empty() {
                self.object(format!("topology.{key}[{place}]"), "an empty name");
            }
        }
    }

    fn add_link(&mut self, number: usize, config: &LinkConfig) {
        let path = format!("topology.links[{number}]");
        let ends = [("from", &config.from), ("to", &config.to)];
        let [Some(from), Some(to)] = ends.map(|(key, name)| self.node(&format!("{path}.{key}"), name)) else { return };
        if from == to {
            return self.object(path, format!("joins {:?} to itself", config.from));
        }
        if self.link_between(from, to).is_some() {
            return self
                .object(path, format!("a second link between {:?} and {:?}; one at most", config.from, config.to));
        }
        let rates = (config.rate, config.rate_back.beside(config.rate));
        let delays = (config.delay, config.delay_back.beside(config.delay));
        let there = self.graph.join(from, to, rates, delays);
        self.name_lines(&path, there, config);
        for (line, end) in [(there, ManagedPorts::There), (there + 1, ManagedPorts::Back)] {
            let is_managed = config.managed == end || config.managed == ManagedPorts::Both;
            self.graph.links[line].managed = is_managed;
            let node = &self.graph.nodes[self.graph.links[line].from];
            if is_managed && node.is_host {
                let message = format!(
                    "\"{}\" is a host, whose interface takes all that it sends; only switches have managed ports",
                    node.name
                );
                self.object(format!("{path}.managed"), message);
            }
        }
    }

    fn name_lines(&mut self, path: &str, there: usize, config: &LinkConfig) {
        if config.name != "by-ends" {
            self.graph.links[there].name = Some(config.name.clone().into());
            self.graph.links[there + 1].name = Some(format!("{} back", config.name).into());
        }
        for line in [there, there + 1] {
            let name = self.graph.link_name(line);
            if !self.names.insert(name.clone()) {
                self.object(format!("{path}.name"), format!("a second line {name:?}; names must be unique"));
            }
        }
    }

    /// The named line of a switch, whose port is then managed.
    fn choose_bottleneck(&mut self, name: &str) {
        if !self.objections.is_empty() {
            return;
        }
        if name == "slowest" {
            if self.graph.managed().next().is_none() {
                let message = "no link has a managed port; write managed = \"there\" at one at least, or name the line \
                               with the port in topology.bottleneck";
                self.object("topology.links", message);
            }
            return;
        }
        let graph = &mut self.graph;
        let of_switches: Vec<_> = (0..graph.links.len()).filter(|&line| !graph.begins_at_host(line)).collect();
        let names: Vec<_> = of_switches.iter().map(|&line| graph.link_name(line)).collect();
        if let Some(place) = names.iter().position(|other| other == name) {
            graph.bottleneck = Some(of_switches[place]);
            graph.links[of_switches[place]].managed = true;
        } else {
            let known = || names.iter().map(String::as_str);
            let message =
                format!("no line {name:?} of a switch; known: {}{}", listed(known()), did_you_mean(name, known()));
            self.object("topology.bottleneck", message);
        }
    }

    /// Chooses the bottleneck, unless it is named: the slowest managed line among those that data cross, or among all.
    fn find_bottleneck(&mut self) {
        let crossed: BTreeSet<usize> = self.graph.flows.iter().flat_map(|flow| flow.forward.iter()).copied().collect();
        let order = |line: &usize| (!crossed.contains(line), self.graph.links[*line].rate);
        self.graph.bottleneck = self.graph.bottleneck.or(self.graph.managed().min_by_key(order));
    }

    fn object_to_lone_nodes(&mut self) {
        if !self.objections.is_empty() {
            return;
        }
        let is_joined = |node: usize| self.graph.links.iter().any(|link| link.from == node);
        let lone = (0..self.graph.nodes.len()).find(|&node| !is_joined(node));
        if let Some(node) = lone.map(|number| &self.graph.nodes[number]) {
            let key = if node.is_host { "hosts" } else { "switches" };
            self.object(format!("topology.{key}"), format!("no link joins \"{}\" to anything", node.name));
        }
    }

    fn add_connections(&mut self, number: usize, journey: &Journey) {
        let path = format!("connections[{number}]");
        if journey.access_delay.is_some() {
            let message = "the links of a topology \"graph\" have their own delays; leave it out";
            self.object(format!("{path}.access_delay"), message);
        }
        let ends = [("from", &journey.from), ("to", &journey.to)];
        let [Some(from), Some(to)] = ends.map(|(key, name)| self.host(&path, key, name.as_deref())) else { return };
        if from == to {
            return self.object(format!("{path}.to"), "a connection from a host to itself; name another host");
        }
        let forward = match &journey.route {
            Some(route) => self.along(&format!("{path}.route"), from, route, to),
            None => self.shortest(&path, from, to),
        };
        let Some(forward) = forward else { return };
        let backward = match &journey.route_back {
            Some(route) => self.along(&format!("{path}.route_back"), to, route, from),
            // The two lines of a link are adjacent.
            None => Some(forward.iter().rev().map(|&line| line ^ 1).collect()),
        };
        let Some(backward) = backward else { return };
        let (forward, backward): (Arc<[usize]>, Arc<[usize]>) = (forward.into(), backward.into());
        for _ in 0..journey.count {
            let sender = self.graph.flows.len();
            let (forward, backward) = (forward.clone(), backward.clone());
            self.graph.flows.push(Flow { sender, place: 0, forward, backward, cuts: Cuts::default() });
        }
    }

    /// Index of the node called `name`.
    fn node(&mut self, path: &str, name: &str) -> Option<usize> {
        let number = self.numbers.get(name).copied();
        if number.is_none() {
            let names = || self.numbers.keys().map(String::as_str);
            // Problems beyond the most that are told are only counted.
            if self.objections.len() >= MOST_PROBLEMS {
                self.object(path, "unknown node");
                return None;
            }
            let message = format!("unknown node {name:?}; known: {}{}", listed(names()), did_you_mean(name, names()));
            self.object(path, message);
        }
        number
    }

    /// Index of the host at an end of a connection.
    fn host(&mut self, path: &str, key: &str, name: Option<&str>) -> Option<usize> {
        let Some(name) = name else {
            let message = format!("missing \"{key}\": with topology \"graph\", connections must name their hosts");
            self.object(path, message);
            return None;
        };
        let path = format!("{path}.{key}");
        let number = self.node(&path, name)?;
        if self.graph.nodes[number].is_host {
            return Some(number);
        }
        self.object(path, format!("{name:?} is a switch; connections are between hosts"));
        None
    }

    fn shortest(&mut self, path: &str, from: usize, to: usize) -> Option<Vec<usize>> {
        if let Some(known) = self.shortest.get(&(from, to)) {
            return Some(known.clone());
        }
        let found = self.graph.shortest_path(from, to);
        if let Some(found) = &found {
            self.shortest.insert((from, to), found.clone());
        } else {
            let (from, to) = (&self.graph.nodes[from].name, &self.graph.nodes[to].name);
            self.object(path, format!("no path over switches joins \"{from}\" and \"{to}\"; add a link"));
        }
        found
    }

    /// Lines from a host over the switches `route` to a host.
    fn along(&mut self, path: &str, from: usize, route: &[String], to: usize) -> Option<Vec<usize>> {
        let mut nodes = vec![from];
        for (place, name) in route.iter().enumerate() {
            let place = format!("{path}[{place}]");
            let number = self.node(&place, name)?;
            let problem = if self.graph.nodes[number].is_host {
                Some(format!("{name:?} is a host; a route has the switches between its ends, without these"))
            } else if nodes.contains(&number) {
                Some(format!("{name:?} is passed twice; a route must not loop"))
            } else {
                None
            };
            if let Some(problem) = problem {
                self.object(place, problem);
                return None;
            }
            nodes.push(number);
        }
        nodes.push(to);
        let hops: Vec<_> =
            nodes.windows(2).map(|hop| self.link_between(hop[0], hop[1]).ok_or((hop[0], hop[1]))).collect();
        if let Some((one, other)) = hops.iter().find_map(|hop| hop.err()) {
            let (one, other) = (&self.graph.nodes[one].name, &self.graph.nodes[other].name);
            self.object(path, format!("no link joins \"{one}\" and \"{other}\""));
            return None;
        }
        Some(hops.into_iter().flatten().collect())
    }

    /// Line between two nodes.
    fn link_between(&self, from: usize, to: usize) -> Option<usize> {
        self.graph.links.iter().position(|link| (link.from, link.to) == (from, to))
    }
}
