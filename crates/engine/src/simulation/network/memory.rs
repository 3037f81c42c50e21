//! The memory that a run uses.

use longfat_network::framing::Cell;
use longfat_network::switch::{Port, Queue};

use super::{AnyPort, Drive, Flow, Link, Network};
use crate::observer::Observer;

impl<O: Observer, D: Drive> Network<O, D> {
    /// Bytes that the run has allocated, nearly: all that grows with what is under way, and the entities themselves.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let lines: usize = self.links.made().map(|(_, link)| size_of::<Link>() + link.line.memory_bytes()).sum();
        let flows: usize = self.flows.at_work().map(|flow| size_of::<Flow>() + flow.memory_bytes()).sum();
        let over = self.flows.bytes_of_those_over() + self.proxies.as_ref().map_or(0, |proxies| proxies.memory_bytes());
        self.packets.memory_bytes() + lines + flows + over + self.driver.ports().map(queue_bytes).sum::<usize>()
    }
}

impl Flow {
    /// Memory of the flow's losses: one range for each hole.
    fn memory_bytes(&self) -> usize {
        self.sender.memory_bytes() + self.receiver.memory_bytes()
    }
}

/// Queues double when they are full.
fn queue_bytes(port: &AnyPort) -> usize {
    size_of::<Port<Queue>>()
        + usize::try_from(port.cells_held()).map_or(usize::MAX, |cells| 2 * cells * size_of::<Cell>())
}
