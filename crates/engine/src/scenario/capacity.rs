//! Capacity of a scenario's lines, and the settings that exclude it.

use longfat_network::capacity::{CapacityContext, Demand};
use longfat_network::framing::Unit;
use longfat_network::topology::Graph;

use super::objections::Objection;
use super::{LineSettings, Scenario};

impl LineSettings<'_> {
    /// Parameters of on-demand capacity; `None` if capacity is permanent.
    #[must_use]
    pub fn demand(&self, graph: &Graph) -> Option<Demand> {
        self.capacity.as_ref()?.model.build(&self.capacity_context(graph)).demand()
    }

    fn capacity_context(&self, graph: &Graph) -> CapacityContext {
        CapacityContext { rate: graph.links[self.number].rate }
    }
}

impl Scenario {
    /// Capacity on demand requires whole packets, and a port at which they wait.
    pub(super) fn object_to_capacities(&self, graph: &Graph, lines: &[LineSettings]) -> Vec<Objection> {
        lines.iter().flat_map(|line| self.object_to_capacity(graph, line)).collect()
    }

    fn object_to_capacity(&self, graph: &Graph, line: &LineSettings) -> Vec<Objection> {
        let Some(capacity) = &line.capacity else { return Vec::new() };
        let whole = |message: String| vec![(capacity.key.clone(), message)];
        let name = capacity.model.name();
        if self.framing.build(&()).unit() == Unit::Cell {
            let framing = self.framing.name();
            return whole(format!(
                "\"{name}\" is for packets that travel whole, and framing \"{framing}\" has cells; write framing = \"packet\", \"ethernet\" or \"dvb-s2-gse\""
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
        capacity.objections(&line.capacity_context(graph))
    }
}
