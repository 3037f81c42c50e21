//! Selective Drop.

use longfat_foundation::config::PositiveNumber;

use super::{Asked, DropPolicy, Occupancy, PacketDiscard, Verdict};
use crate::framing::Cell;
use crate::switch::Threshold;

longfat_foundation::model! {
    /// When the buffer holds X > R cells as the first cell of a packet of circuit i arrives, the packet is dropped if
    /// the circuit's load ratio Y_i N_a / X is above Z: a circuit that holds more than its fair share loses first.
    #[name = "selective-drop"]
    #[source = "UBR+ section 6"]
    pub struct SelectiveDrop: dyn DropPolicy {
        /// R. UBR+ uses 0.9 of the buffer, 98-0876R1 0.8 (D-05).
        threshold: Threshold = "0.9" or ["0.8"],
        /// Z, the load ratio above which a circuit's packets are dropped (D-05).
        z: PositiveNumber = "0.8" or ["1.0"],
        /// Whether a packet that overflows the buffer also loses its remaining cells, except the last one (D-08).
        discards_remainder: bool = "true" or ["false"],
    }
    build(config, buffer) {
        Box::new(Policy {
            threshold: config.threshold.level(buffer.capacity.unwrap_or(u64::MAX)),
            z: config.z.0,
            packets: PacketDiscard::new(buffer.circuits, config.discards_remainder),
        })
    }
    objections(config, buffer) {
        config.threshold.objection(buffer).map(|message| ("threshold", message)).into_iter().collect()
    }
}

struct Policy {
    threshold: u64,
    z: f64,
    packets: PacketDiscard,
}

impl DropPolicy for Policy {
    fn decide(&mut self, cell: Cell, circuit: usize, occupancy: &Occupancy) -> Verdict {
        self.packets.decide(cell, circuit, occupancy, || {
            occupancy.total() > self.threshold && occupancy.load_ratio(circuit) > self.z
        })
    }

    fn asked(&self, circuit: usize, total: u64) -> Asked {
        self.packets.asked(circuit, total > self.threshold)
    }

    fn looks_at_circuits(&self, total: u64) -> bool {
        total > self.threshold
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::Bench;

    #[test]
    fn above_the_threshold_only_circuits_over_their_share_lose_packets() {
        let mut bench = Bench::with("{ kind = \"selective-drop\", threshold = \"7 cells\", z = 0.8 }", 20, 3);
        assert_eq!(bench.packet(0, 6), "aaaaaa");
        assert_eq!(bench.packet(1, 2), "aa");
        // X = 8 > 7, N_a = 2: circuit 0 has 6 * 2 / 8 = 1.5, circuit 1 has 0.5, circuit 2 has 0.
        assert_eq!(bench.packet(0, 2), "xx");
        assert_eq!(bench.packet(1, 2), "aa");
        // X = 10: circuit 1 now has 4 * 2 / 10 = 0.8, which is not above Z.
        assert_eq!(bench.packet(1, 1), "a");
        assert_eq!(bench.packet(1, 1), "x");
        assert_eq!(bench.packet(2, 2), "aa");
    }
}
