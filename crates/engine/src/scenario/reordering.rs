//! Packets of a scenario's lines that are held up.

use longfat_foundation::random::Stream;
use longfat_network::framing::Unit;
use longfat_network::reordering::ReorderingContext;
use longfat_network::topology::Graph;

use super::objections::Objection;
use super::{LineSettings, Scenario};

impl Scenario {
    /// Place at which packets of a line are held up.
    #[must_use]
    pub fn reordering_context(&self, graph: &Graph, line: &LineSettings) -> ReorderingContext {
        ReorderingContext { place: line.place(graph), chance: self.chance(), flows: graph.flows.len() }
    }

    /// Random stream of the jitter at the end of a line.
    #[must_use]
    pub fn jitter_stream(&self, graph: &Graph, line: &LineSettings) -> Stream {
        self.chance().stream(&format!("jitter/{}", line.place(graph)))
    }

    /// Only packets that travel whole are held up: the cells of a circuit keep their order and their distance (ITU-T I.150).
    pub(super) fn object_to_reordering(&self, graph: &Graph, lines: &[LineSettings]) -> Vec<Objection> {
        let has_cells = self.framing.build(&()).unit() == Unit::Cell;
        lines.iter().flat_map(|line| self.object_to_reordering_of(graph, line, has_cells)).collect()
    }

    fn object_to_reordering_of(&self, graph: &Graph, line: &LineSettings, has_cells: bool) -> Vec<Objection> {
        let (jitter, reordering) = (line.jitter.as_ref().map(|(key, _)| key), line.reordering.as_ref());
        if has_cells {
            let framing = self.framing.name();
            let message = format!(
                "is for packets that travel whole, and framing \"{framing}\" has cells, which keep their order; write framing = \"packet\", \
                 or another without cells"
            );
            let keys = jitter.into_iter().chain(reordering.map(|reordering| &reordering.key));
            return keys.map(|key| (key.clone(), message.clone())).collect();
        }
        reordering.map_or_else(Vec::new, |reordering| reordering.objections(&self.reordering_context(graph, line)))
    }
}
