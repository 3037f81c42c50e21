//! Split connections: legs and their circuits.

use std::sync::Arc;

use longfat_foundation::units::Span;

use super::{Graph, NodeName};

/// Leg of a connection that is split at both ends of the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leg {
    /// Between the proxies, over the bottleneck; the whole connection if it is not split.
    Bottleneck,
    /// Between the sender and the proxy before the bottleneck.
    Near,
    /// Between the proxy behind the bottleneck and the receiver.
    Far,
}

impl Leg {
    /// Order in which circuits and flows are numbered: those over the bottleneck have the same numbers as without proxies.
    pub const ALL: [Self; 3] = [Self::Bottleneck, Self::Near, Self::Far];

    /// Order along the path of the data.
    pub const IN_ORDER: [Self; 3] = [Self::Near, Self::Bottleneck, Self::Far];

    /// Name in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Near => "source to proxy",
            Self::Bottleneck => "proxy to proxy",
            Self::Far => "proxy to destination",
        }
    }
}

impl Graph {
    /// Inserts a proxy before the switch at each end of the bottleneck, one per sender: a host, whose line to the switch is like the
    /// sender's (or the receiver's) without its delay. Every path must have three links, with the bottleneck in the middle.
    ///
    /// # Panics
    /// If a path has another number of links.
    pub fn split_by_proxies(&mut self) {
        let mut flows = std::mem::take(&mut self.flows);
        for flow in &mut flows {
            let [up, bottleneck, down] = flow.forward[..] else { panic!("a path of three links") };
            let number = flow.sender as u64 + 1;
            let near = self.add_node(NodeName::numbered("near proxy", number), true);
            let far = self.add_node(NodeName::numbered("far proxy", number), true);
            // The two lines of a link are adjacent.
            let rates = |line: usize| (self.links[line].rate, self.links[line + 1].rate);
            let (rates_up, rates_down) = (rates(up), rates(down));
            let (near_switch, far_switch) = (self.links[up].to, self.links[down].from);
            let inward = self.join(near, near_switch, rates_up, (Span::ZERO, Span::ZERO));
            let outward = self.join(far_switch, far, rates_down, (Span::ZERO, Span::ZERO));
            (self.links[up].to, self.links[up + 1].from) = (near, near);
            (self.links[down].from, self.links[down + 1].to) = (far, far);
            flow.forward = Arc::new([up, inward, bottleneck, outward, down]);
            flow.backward = Arc::new([down + 1, outward + 1, bottleneck + 1, inward + 1, up + 1]);
        }
        self.flows = flows;
        self.is_split = true;
    }

    /// Number of legs of each connection.
    #[must_use]
    pub fn legs(&self) -> usize {
        if self.is_split { Leg::ALL.len() } else { 1 }
    }

    /// Number of circuits: two for each leg of each connection, there and back. Of n connections, connection c has circuits 2c and 2c + 1
    /// over the bottleneck; those of all near legs follow, then those of all far legs.
    #[must_use]
    pub fn circuits(&self) -> usize {
        2 * self.flows.len() * self.legs()
    }

    /// Links of a circuit in order; `None` if it belongs to no connection.
    #[must_use]
    pub fn links_of_circuit(&self, circuit: usize) -> Option<&[usize]> {
        let (pair, is_there) = (circuit / 2, circuit.is_multiple_of(2));
        let connections = self.flows.len();
        if pair >= connections * self.legs() {
            return None;
        }
        let flow = &self.flows[pair % connections];
        let path = if is_there { &flow.forward } else { &flow.backward };
        if !self.is_split {
            return Some(path);
        }
        let last = path.len() - 1;
        Some(match (Leg::ALL[pair / connections], is_there) {
            (Leg::Bottleneck, _) => &path[1..last],
            (Leg::Near, true) | (Leg::Far, false) => &path[..1],
            (Leg::Far, true) | (Leg::Near, false) => &path[last..],
        })
    }
}
