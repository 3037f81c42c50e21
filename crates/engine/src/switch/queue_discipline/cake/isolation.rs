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
