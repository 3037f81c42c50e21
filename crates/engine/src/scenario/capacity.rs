//! Capacity of a scenario's lines, and the settings that exclude it.

use std::collections::BTreeMap;

use longfat_foundation::config::{did_you_mean, listed};
use longfat_foundation::random::Chance;
use longfat_network::capacity::{CapacityContext, Demand, Grants, ReturnLinkConfig, Terminal};
use longfat_network::framing::Unit;
use longfat_network::topology::Graph;

use super::objections::Objection;
use super::{LineSettings, Placed, Scenario};

/// Most return links.
const MOST_RETURN_LINKS: usize = 1000;

impl LineSettings<'_> {
    /// Frames in which its capacity is asked for; `None` if capacity is permanent.
    #[must_use]
    pub fn demand(&self, graph: &Graph, links: &[ReturnLinkConfig]) -> Option<Demand> {
        let assignment = self.capacity.as_ref()?.model.build(&self.capacity_context(graph));
        let shared = || {
            let terminal = assignment.terminal()?;
            let link = links.iter().find(|link| link.name == terminal.link)?;
            Some(link.demand(&terminal, graph.links[self.number].rate))
        };
        assignment.demand().or_else(shared)
    }

    /// Terms of the line as a terminal of a return link, if it shares one.
    #[must_use]
    pub fn terminal(&self, graph: &Graph) -> Option<Terminal> {
        self.capacity.as_ref()?.model.build(&self.capacity_context(graph)).terminal()
    }

    /// Its grants at the beginning of a run; `None` if capacity is permanent.
    #[must_use]
    pub fn grants(&self, graph: &Graph, links: &[ReturnLinkConfig]) -> Option<Grants> {
        let demand = self.demand(graph, links)?;
        let terminal = self.terminal(graph);
        Some(terminal.map_or_else(|| Grants::new(demand), |terminal| Grants::of_terminal(demand, terminal.terms)))
    }

    fn capacity_context(&self, graph: &Graph) -> CapacityContext {
        CapacityContext { rate: graph.links[self.number].rate }
    }
}

impl Scenario {
    /// Capacity on demand requires whole packets, and a port at which they wait.
    pub(super) fn object_to_capacities(&self, graph: &Graph, lines: &[LineSettings]) -> Vec<Objection> {
        let mut objections: Vec<Objection> = Vec::new();
        for objection in lines.iter().flat_map(|line| self.object_to_capacity(graph, line)) {
            // An entry may mean many lines, of which the first with an error is named.
            if !objections.iter().any(|known| known.0 == objection.0) {
                objections.push(objection);
            }
        }
        if objections.is_empty() { self.object_to_constant_rates(graph, lines) } else { objections }
    }

    fn object_to_capacity(&self, graph: &Graph, line: &LineSettings) -> Vec<Objection> {
        let Some(capacity) = &line.capacity else { return Vec::new() };
        let whole = |message: String| vec![(capacity.key.clone(), message)];
        let name = capacity.model.name();
        if self.framing.build(&()).unit() == Unit::Cell {
            let framing = self.framing.name();
            return whole(format!(
                "\"{name}\" is for packets that travel whole, and framing \"{framing}\" has cells; write framing = \"packet\", or another without cells"
            ));
        }
        let link = &graph.links[line.number];
        if !link.managed {
            let (line, host) = (graph.link_name(line.number), &graph.nodes[link.from].name);
            return whole(format!(
                "\"{name}\" is for a switch that asks for what waits at its port, and \"{line}\" begins at the host \"{host}\", which sends all \
                 at once; put a switch in between"
            ));
        }
        let Some(terminal) = line.terminal(graph) else { return capacity.objections(&line.capacity_context(graph)) };
        let below = |key: &str| format!("{}.{key}", capacity.key);
        let Some(shared) = self.return_links.iter().find(|link| link.name == terminal.link) else {
            let known = || self.return_links.iter().map(|link| link.name.as_str());
            let message = match self.return_links.len() {
                0 => format!(
                    "no return link {:?}; write return_links = [{{ name = {0:?}, rate = \"10 Mbit/s\" }}]",
                    terminal.link
                ),
                _ => format!(
                    "no return link {:?}; known: {}{}",
                    terminal.link,
                    listed(known()),
                    did_you_mean(&terminal.link, known())
                ),
            };
            return vec![(below("link"), message)];
        };
        let own = shared.objections_to(&terminal, link.rate);
        own.into_iter().map(|(key, message)| (below(key), message)).collect()
    }

    /// The constant rates of a return link's terminals must come to no more than it has.
    fn object_to_constant_rates(&self, graph: &Graph, lines: &[LineSettings]) -> Vec<Objection> {
        let mut terminals: BTreeMap<String, Vec<(&Placed<_>, Terminal)>> = BTreeMap::new();
        for line in lines {
            if let Some((capacity, terminal)) = line.capacity.as_ref().zip(line.terminal(graph)) {
                terminals.entry(terminal.link.clone()).or_default().push((capacity, terminal));
            }
        }
        let objection = |link: &ReturnLinkConfig| {
            let mut units = 0_u64;
            let members = terminals.get(&link.name)?;
            let (capacity, _) = members.iter().find(|(_, terminal)| {
                units = units.saturating_add(link.constant_units(terminal));
                units > link.units()
            })?;
            let (unit_bps, number) = (link.unit_bps(), members.len());
            let message = format!(
                "the constant rates of its {number} terminals are more than return link {:?} has: {} bit/s",
                link.name,
                link.units() * unit_bps
            );
            Some((format!("{}.cra", capacity.key), message))
        };
        self.return_links.iter().filter_map(objection).collect()
    }

    /// Return links have names of their own, and frames and slots that a run can have.
    pub(super) fn object_to_return_links(&self) -> Vec<Objection> {
        let links = &self.return_links;
        if links.len() > MOST_RETURN_LINKS {
            return vec![("return_links".into(), format!("{} return links; at most {MOST_RETURN_LINKS}", links.len()))];
        }
        let chance = Chance { seed: self.seed, replication: self.replication };
        let mut objections = Vec::new();
        for (place, link) in links.iter().enumerate() {
            let below = |key: &str| format!("return_links[{place}].{key}");
            if links[..place].iter().any(|other| other.name == link.name) {
                objections
                    .push((below("name"), format!("the return link {:?} is listed twice; rename one", link.name)));
            }
            let own = link.objections();
            objections.extend(own.into_iter().map(|(key, message)| (below(key), message)));
            let of_access = link.access.objections(&chance.stream("access"));
            objections.extend(of_access.into_iter().map(|(key, message)| (below(&format!("access.{key}")), message)));
        }
        objections
    }
}
