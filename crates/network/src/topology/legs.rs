//! Connections that proxies split, and the circuits of their legs.

use std::sync::Arc;

use longfat_foundation::units::Span;

use super::{Graph, NodeName};

/// A leg of a connection that proxies split at both ends of the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leg {
    /// Between the proxies, over the bottleneck; the whole connection, if it is not split.
    Bottleneck,
    /// Between the sender and the proxy before the bottleneck.
    Near,
    /// Between the proxy behind the bottleneck and the receiver.
    Far,
}

impl Leg {
    /// In the order in which circuits and flows are numbered: what crosses the bottleneck has the numbers that it has without proxies.
    pub const ALL: [Self; 3] = [Self::Bottleneck, Self::Near, Self::Far];

    /// In the order in which data take them.
    pub const IN_ORDER: [Self; 3] = [Self::Near, Self::Bottleneck, Self::Far];

    /// Its name in reports.
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
    /// Puts a proxy before the switch at each end of the bottleneck, one for each sender: a host, with a line to the switch that is like
    /// the one from the sender (or the receiver) to it but takes no time to travel. Every path must be of three links with the bottleneck
    /// in the middle.
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
            // The two lines of a link are neighbours.
            let rates = |line: usize| (self.links[line].rate, self.links[line + 1].rate);
            let (rates_up, rates_down) = (rates(up), rates(down));
            let (near_switch, far_switch) = (self.links[up].to, self.links[down].from);
            let inward = self.join(near, near_switch, rates_up, Span::ZERO);
            let outward = self.join(far_switch, far, rates_down, Span::ZERO);
            (self.links[up].to, self.links[up + 1].from) = (near, near);
            (self.links[down].from, self.links[down + 1].to) = (far, far);
            flow.forward = Arc::new([up, inward, bottleneck, outward, down]);
            flow.backward = Arc::new([down + 1, outward + 1, bottleneck + 1, inward + 1, up + 1]);
        }
        self.flows = flows;
        self.is_split = true;
    }

    /// Of how many legs each connection is.
    #[must_use]
    pub fn legs(&self) -> usize {
        if self.is_split { Leg::ALL.len() } else { 1 }
    }

    /// How many circuits there are: two for each leg of each connection, there and back. Of n connections, those of connection c over the
    /// bottleneck are 2c and 2c + 1; then come those of all near legs, then those of all far legs.
    #[must_use]
    pub fn circuits(&self) -> usize {
        2 * self.flows.len() * self.legs()
    }

    /// The links of a circuit in order; nothing if it is no connection's.
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
