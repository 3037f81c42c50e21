//! Shortest paths by delay.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Graph;

/// A path from a host, ordered by delay, number of links, and then the indices of its nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    /// Delay in picoseconds; larger than any time where no path is known yet.
    delay_ps: u128,
    hops: usize,
    nodes: Vec<usize>,
    links: Vec<usize>,
}

impl Way {
    fn along(mut self, graph: &Graph, number: usize) -> Self {
        let link = &graph.links[number];
        self.delay_ps += u128::from(link.delay.0);
        self.hops += 1;
        self.nodes.push(link.to);
        self.links.push(number);
        self
    }
}

impl Graph {
    /// Links of the shortest path between two hosts by propagation delay (Dijkstra, Numerische Mathematik 1, 1959, p. 269), which passes
    /// switches only; `None` if there is none. Ties go to the fewest links, then to the lowest node indices.
    #[must_use]
    pub fn shortest_path(&self, from: usize, to: usize) -> Option<Vec<usize>> {
        let mut leaving = vec![Vec::new(); self.nodes.len()];
        for (number, link) in self.links.iter().enumerate() {
            leaving[link.from].push(number);
        }
        let mut is_reached = vec![false; self.nodes.len()];
        let mut nearest = BinaryHeap::from([Reverse(Way { nodes: vec![from], ..Way::default() })]);
        while let Some(Reverse(way)) = nearest.pop() {
            let node = way.nodes[way.hops];
            if node == to {
                return Some(way.links);
            }
            let is_passable = node == from || !self.nodes[node].is_host;
            if std::mem::replace(&mut is_reached[node], true) || !is_passable {
                continue;
            }
            let onward = leaving[node].iter().filter(|&&number| !is_reached[self.links[number].to]);
            nearest.extend(onward.map(|&number| Reverse(way.clone().along(self, number))));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use longfat_foundation::units::{Rate, Span};

    use super::*;

    /// Hosts 0 and 1, switches 2, 3, 4, and links with delays in microseconds.
    fn graph(links: &[(usize, usize, u64)]) -> Graph {
        let mut graph = Graph::default();
        for number in 0..5 {
            graph.add_node(format!("node {number}"), number < 2);
        }
        for &(from, to, delay) in links {
            let delay = Span::from_microseconds(delay);
            graph.join(from, to, (Rate(1_000_000), Rate(1_000_000)), (delay, delay));
        }
        graph
    }

    fn nodes(graph: &Graph, from: usize, to: usize) -> Option<Vec<usize>> {
        let path = graph.shortest_path(from, to)?;
        Some(path.iter().map(|&link| graph.links[link].to).collect())
    }

    #[test]
    fn the_delay_decides_and_not_the_number_of_links() {
        let graph = graph(&[(0, 2, 1), (2, 4, 10), (2, 3, 4), (3, 4, 5), (4, 1, 1)]);
        assert_eq!(nodes(&graph, 0, 1), Some(vec![2, 3, 4, 1]));
        assert_eq!(nodes(&graph, 1, 0), Some(vec![4, 3, 2, 0]));
    }

    #[test]
    fn of_equal_delays_the_fewest_links_decide_and_then_the_order_of_the_nodes() {
        let fewest = graph(&[(0, 2, 1), (2, 3, 4), (3, 4, 5), (2, 4, 9), (4, 1, 1)]);
        assert_eq!(nodes(&fewest, 0, 1), Some(vec![2, 4, 1]));
        let first = graph(&[(0, 4, 1), (4, 1, 1), (0, 3, 1), (3, 1, 1)]);
        assert_eq!(nodes(&first, 0, 1), Some(vec![3, 1]));
    }

    #[test]
    fn no_path_passes_a_host() {
        let mut graph = graph(&[(0, 2, 1), (3, 1, 1)]);
        let between = graph.add_node("between", true);
        graph.join(2, between, (Rate(1), Rate(1)), (Span(1), Span(1)));
        graph.join(between, 3, (Rate(1), Rate(1)), (Span(1), Span(1)));
        assert_eq!(nodes(&graph, 0, 1), None);
        assert_eq!(nodes(&graph, 0, between), Some(vec![2, between]));
    }
}
