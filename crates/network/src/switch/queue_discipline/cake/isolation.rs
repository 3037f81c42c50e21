//! Among whom a line is divided, and what each has.

use std::collections::BTreeMap;

use super::Ends;

longfat_foundation::choice! {
    /// Among whom a port divides its line, in the words of tc-cake(8).
    pub enum Isolation {
        /// Nobody: one queue for all.
        FlowBlind = "flowblind",
        /// Hosts that send.
        SourceHosts = "srchost",
        /// Hosts that receive.
        DestinationHosts = "dsthost",
        /// Pairs of hosts.
        HostPairs = "hosts",
        /// Flows: circuits, one in each direction of a connection.
        Flows = "flows",
        /// Sending hosts, and the flows of each host share its part.
        DualSource = "dual-srchost",
        /// Receiving hosts, and the flows of each host share its part.
        DualDestination = "dual-dsthost",
        /// Hosts at both ends: of a flow's two hosts the one with more flows counts. The flows of each host share its part.
        Triple = "triple-isolate",
    }
}

impl Isolation {
    /// The keys of the flows, as numbers without gaps.
    pub(super) fn flows(self, circuits: &[Ends]) -> Vec<usize> {
        match self {
            Self::FlowBlind => vec![0; circuits.len()],
            Self::SourceHosts => numbered(circuits.iter().map(|ends| ends.source)),
            Self::DestinationHosts => numbered(circuits.iter().map(|ends| ends.destination)),
            Self::HostPairs => numbered(circuits.iter().copied()),
            Self::Flows | Self::DualSource | Self::DualDestination | Self::Triple => (0..circuits.len()).collect(),
        }
    }

    fn divides_among_sources(self) -> bool {
        matches!(self, Self::DualSource | Self::Triple)
    }

    fn divides_among_destinations(self) -> bool {
        matches!(self, Self::DualDestination | Self::Triple)
    }
}

/// A number for each, in their order, equal for equals: which queue a hash gives is not to depend on how a network
/// numbers its hosts.
fn numbered<T: Ord>(all: impl Iterator<Item = T>) -> Vec<usize> {
    let mut numbers = BTreeMap::new();
    let number_of = |thing| {
        let next = numbers.len();
        *numbers.entry(thing).or_insert(next)
    };
    all.map(number_of).collect()
}

/// How many busy flows each host has, sending and receiving.
pub(super) struct Loads {
    isolation: Isolation,
    of_sources: Vec<u32>,
    of_destinations: Vec<u32>,
}

impl Loads {
    /// Those of hosts without any.
    pub fn none(isolation: Isolation, circuits: &[Ends]) -> Self {
        let hosts = circuits.iter().map(|ends| ends.source.max(ends.destination) + 1).max().unwrap_or(0);
        Self { isolation, of_sources: vec![0; hosts], of_destinations: vec![0; hosts] }
    }

    pub fn add(&mut self, ends: Ends) {
        self.of_sources[ends.source] += 1;
        self.of_destinations[ends.destination] += 1;
    }

    pub fn remove(&mut self, ends: Ends) {
        self.of_sources[ends.source] -= 1;
        self.of_destinations[ends.destination] -= 1;
    }

    /// Among how many flows the turn of a flow's hosts is divided: those of the host that has more, as far as hosts count; itself at
    /// least.
    pub fn sharers(&self, ends: Ends) -> u32 {
        let by_source = if self.isolation.divides_among_sources() { self.of_sources[ends.source] } else { 0 };
        let by_destination =
            if self.isolation.divides_among_destinations() { self.of_destinations[ends.destination] } else { 0 };
        by_source.max(by_destination).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_are_numbered_in_the_order_of_circuits_however_a_network_numbers_its_hosts() {
        // Two connections of host 7 to hosts 2 and 9, with their ways back.
        let there = [Ends { source: 7, destination: 2 }, Ends { source: 7, destination: 9 }];
        let circuits: Vec<_> = there.into_iter().flat_map(|ends| [ends, ends.reversed()]).collect();
        assert_eq!(Isolation::SourceHosts.flows(&circuits), [0, 1, 0, 2]);
        assert_eq!(Isolation::DestinationHosts.flows(&circuits), [0, 1, 2, 1]);
        assert_eq!(Isolation::HostPairs.flows(&circuits), [0, 1, 2, 3]);
        let elsewhere = |host| [100 - host, host][host % 2];
        let renumbered: Vec<_> = circuits
            .iter()
            .map(|ends| Ends { source: elsewhere(ends.source), destination: elsewhere(ends.destination) })
            .collect();
        for isolation in [Isolation::SourceHosts, Isolation::DestinationHosts, Isolation::HostPairs] {
            assert_eq!(isolation.flows(&renumbered), isolation.flows(&circuits));
        }
    }

    /// Flows of host 0 to hosts 10 and 11, and of host 1 to host 10.
    #[test]
    fn a_turn_is_divided_among_the_busy_flows_of_the_hosts_that_count() {
        let all = [(0, 10), (0, 11), (1, 10)].map(|(source, destination)| Ends { source, destination });
        let expected = [
            (Isolation::Flows, [1, 1, 1], [1, 1, 1]),
            (Isolation::DualSource, [2, 2, 1], [1, 1, 1]),
            (Isolation::DualDestination, [2, 1, 2], [2, 1, 2]),
            (Isolation::Triple, [2, 2, 2], [2, 1, 2]),
        ];
        for (isolation, sharers, after) in expected {
            let mut loads = Loads::none(isolation, &all);
            all.iter().for_each(|&ends| loads.add(ends));
            assert_eq!(all.map(|ends| loads.sharers(ends)), sharers, "{isolation:?}");
            loads.remove(all[1]);
            assert_eq!(all.map(|ends| loads.sharers(ends)), after, "{isolation:?}: the second has gone");
            loads.remove(all[2]);
            assert_eq!(loads.sharers(all[0]), 1, "{isolation:?}: the third as well");
        }
    }
}
