//! Partial packet discard.

use super::{Asked, DropPolicy, Occupancy, PacketDiscard, Verdict};
use crate::framing::Cell;

longfat_foundation::model! {
    /// Once a packet has lost a cell to a full buffer, its remaining cells are dropped too, except the last one, which marks the packet's
    /// end for the receiver.
    #[name = "partial-packet-discard"]
    #[source = "UBR+ final report, switch policies; Romanow and Floyd 1995"]
    pub struct PartialPacketDiscard: dyn DropPolicy {}
    build(_config, buffer) { Box::new(Policy(PacketDiscard::new(buffer.circuits, true))) }
}

struct Policy(PacketDiscard);

impl DropPolicy for Policy {
    fn decide(&mut self, cell: Cell, circuit: usize, occupancy: &Occupancy) -> Verdict {
        self.0.decide(cell, circuit, occupancy, || false)
    }

    fn asked(&self, circuit: usize, _total: u64) -> Asked {
        self.0.asked(circuit, false)
    }

    fn looks_at_circuits(&self, _total: u64) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::Bench;

    #[test]
    fn after_a_loss_only_the_last_cell_of_the_packet_may_enter() {
        let mut bench = Bench::new("partial-packet-discard", 4, 2);
        assert_eq!(bench.packet(0, 3), "aaa");
        assert_eq!(bench.cells(1, 6, 0..3), "aor");
        bench.serve(2);
        assert_eq!(bench.cells(1, 6, 3..6), "rra");
    }

    #[test]
    fn the_last_cell_is_lost_too_when_there_is_no_room() {
        let mut bench = Bench::new("partial-packet-discard", 2, 1);
        assert_eq!(bench.packet(0, 5), "aaoro");
    }
}
