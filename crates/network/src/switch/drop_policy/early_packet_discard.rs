//! Early Packet Discard.

use super::{Asked, DropPolicy, Occupancy, PacketDiscard, Verdict};
use crate::framing::Cell;
use crate::switch::Threshold;

longfat_foundation::model! {
    /// When the buffer holds more than a threshold R as the first cell of a packet arrives, the whole packet is
    /// dropped. Packets already begun are accepted while there is room.
    #[name = "epd"]
    #[source = "UBR+ section 5; Romanow and Floyd 1995"]
    pub struct EarlyPacketDiscard: dyn DropPolicy {
        /// R. UBR+ section 5 uses the buffer less 200 cells, room for one packet of each of 15 connections;
        /// 98-0876R1 uses 0.8 of the buffer (D-03).
        threshold: Threshold = "K - 200 cells" or ["0.9", "0.8"],
        /// Whether a packet that overflows the buffer also loses its remaining cells, except the last one (D-08).
        discards_remainder: bool = "true" or ["false"],
    }
    build(config, buffer) {
        Box::new(Policy {
            threshold: config.threshold.level(buffer.capacity.unwrap_or(u64::MAX)),
            packets: PacketDiscard::new(buffer.circuits, config.discards_remainder),
        })
    }
    objections(config, buffer) {
        config.threshold.objection(buffer).map(|message| ("threshold", message)).into_iter().collect()
    }
}

struct Policy {
    threshold: u64,
    packets: PacketDiscard,
}

impl DropPolicy for Policy {
    fn decide(&mut self, cell: Cell, circuit: usize, occupancy: &Occupancy) -> Verdict {
        self.packets.decide(cell, circuit, occupancy, || occupancy.total() > self.threshold)
    }

    fn asked(&self, circuit: usize, total: u64) -> Asked {
        self.packets.asked(circuit, total > self.threshold)
    }

    fn looks_at_circuits(&self, _total: u64) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::Bench;

    #[test]
    fn a_packet_that_begins_above_the_threshold_is_refused_whole() {
        let mut bench = Bench::with("{ kind = \"epd\", threshold = \"4 cells\" }", 10, 2);
        assert_eq!(bench.packet(0, 4), "aaaa", "at the threshold packets are accepted");
        assert_eq!(bench.packet(1, 3), "aaa", "X = R is not above it");
        assert_eq!(bench.packet(0, 3), "xxx");
        bench.serve(3);
        assert_eq!(bench.packet(0, 3), "aaa");
    }

    #[test]
    fn a_packet_begun_below_the_threshold_is_cut_when_the_buffer_is_full() {
        let mut bench = Bench::with("{ kind = \"epd\", threshold = \"4 cells\" }", 6, 1);
        assert_eq!(bench.packet(0, 9), "aaaaaaoro");
    }
}
