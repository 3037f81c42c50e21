//! Capacity of a scenario's bottleneck, and the settings that exclude it.

use longfat_foundation::config::Parameter;
use longfat_network::capacity::{CapacityContext, Demand};
use longfat_network::framing::Unit;
use longfat_network::topology::Graph;

use super::{Objection, Scenario};

impl Scenario {
    /// Parameters of on-demand capacity; `None` if capacity is permanent.
    #[must_use]
    pub fn demand(&self, graph: &Graph) -> Option<Demand> {
        self.capacity.build(&self.capacity_context(graph)?).demand()
    }

    fn capacity_context(&self, graph: &Graph) -> Option<CapacityContext> {
        graph.bottleneck().filter(|_| !self.capacity.is_absent()).map(|link| CapacityContext { rate: link.rate })
    }

    /// Capacity on demand requires whole packets, and a line that is constant otherwise.
    pub(super) fn object_to_capacity(&self, graph: &Graph) -> Vec<Objection> {
        let Some(context) = self.capacity_context(graph) else { return Vec::new() };
        let whole = |message: String| vec![("capacity".to_owned(), message)];
        let name = self.capacity.name();
        if self.framing.build(&()).unit() == Unit::Cell {
            let framing = self.framing.name();
            return whole(format!(
                "\"{name}\" is for packets that travel whole, and framing \"{framing}\" has cells; write framing = \"packet\", \"ethernet\" or \"dvb-s2-gse\""
            ));
        }
        if !self.path.is_absent() {
            return whole(format!(
                "\"{name}\" sets the bottleneck's rate, and so does path \"{}\"; leave out one of them",
                self.path.name()
            ));
        }
        let own = self.capacity.objections(&context);
        own.into_iter().map(|(key, message)| (format!("capacity.{key}"), message)).collect()
    }
}
