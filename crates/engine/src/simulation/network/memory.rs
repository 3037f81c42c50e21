//! The memory that a run uses.

use longfat_network::switch::{Dropped, Port, Queue};

use super::{Drive, Link, Network};
use crate::observer::Observer;

impl<O: Observer, D: Drive> Network<O, D> {
    /// Bytes that the run has allocated, nearly: all that grows while it goes on, and the entities themselves.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let lines: usize = self.links.made().map(|(_, link)| size_of::<Link>() + link.line.memory_bytes()).sum();
        let ports: usize = self.driver.ports().map(|port| size_of::<Port<Queue>>() + port.memory_bytes()).sum();
        let sources: usize = self.sources.iter().map(|source| source.memory_bytes()).sum();
        let barriers = self.barriers.as_ref().map_or(0, |barriers| barriers.memory_bytes());
        let proxies = self.proxies.as_ref().map_or(0, |proxies| proxies.memory_bytes());
        let hosts = self.flows.memory_bytes() + self.memories.memory_bytes() + sources + proxies + barriers;
        let in_hand = self.dropped.capacity() * size_of::<Dropped>();
        let under_way = self.packets.memory_bytes() + lines + ports + self.driver.memory_bytes();
        under_way + hosts + in_hand + self.ledger.memory_bytes() + self.observer.memory_bytes()
    }
}
