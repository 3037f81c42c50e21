//! Routing tables of the switches, by virtual circuit.

use super::Graph;

/// Outgoing link of every switch for every circuit.
///
/// Flow f has circuit 2f from its sender to its receiver and circuit 2f + 1 back; where proxies split it, its legs have [their
/// own](Graph::circuits).
#[derive(Clone, Debug)]
pub struct Routes {
    /// `outlets[node][circuit]`, empty for hosts.
    outlets: Vec<Vec<u32>>,
}

impl Routes {
    /// Creates the routes along the paths of a graph's flows.
    ///
    /// # Panics
    /// If there are more than `u32::MAX` links.
    #[must_use]
    pub fn of(graph: &Graph) -> Self {
        let circuits = graph.circuits();
        let table = |node: &super::Node| vec![u32::MAX; if node.is_host { 0 } else { circuits }];
        let mut outlets: Vec<_> = graph.nodes.iter().map(table).collect();
        let paths = (0..circuits).filter_map(|circuit| graph.links_of_circuit(circuit)).enumerate();
        for (circuit, path) in paths {
            for &link in &path[1..] {
                outlets[graph.links[link].from][circuit] = u32::try_from(link).expect("fewer than 2^32 links");
            }
        }
        Self { outlets }
    }

    /// Outgoing link of switch `node` for `circuit`; `None` if the circuit belongs to no flow.
    #[must_use]
    #[inline]
    pub fn outlet(&self, node: usize, circuit: usize) -> Option<usize> {
        self.outlets[node].get(circuit).map(|&link| link as usize)
    }
}
