//! Among whom a line is divided, and what each has.

use super::Ends;

crate::choice! {
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
        /// Hosts that send, and the share of each among its flows.
        DualSource = "dual-srchost",
        /// Hosts that receive, and the share of each among its flows.
        DualDestination = "dual-dsthost",
        /// Hosts at either end, by the one of the two that has more flows, and their shares among flows.
        Triple = "triple-isolate",
    }
}

impl Isolation {
    /// What tells the flows apart, as numbers without large gaps.
    pub(super) fn flows(self, circuits: &[Ends]) -> Vec<usize> {
        match self {
            Self::FlowBlind => vec![0; circuits.len()],
            Self::SourceHosts => circuits.iter().map(|ends| ends.source).collect(),
            Self::DestinationHosts => circuits.iter().map(|ends| ends.destination).collect(),
            Self::HostPairs => numbered(circuits),
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

/// A number for each, the same for equals.
fn numbered(all: &[Ends]) -> Vec<usize> {
    let mut distinct = all.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    all.iter().map(|ends| distinct.partition_point(|other| other < ends)).collect()
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
    fn equals_have_the_same_number_and_others_another_without_gaps() {
        let ends = |source| Ends { source, destination: 10 };
        assert_eq!(numbered(&[ends(7), ends(3), ends(7), ends(5)]), [2, 0, 2, 1]);
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
