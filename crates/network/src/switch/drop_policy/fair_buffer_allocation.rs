//! Fair Buffer Allocation.

use longfat_foundation::config::PositiveNumber;

use super::{Asked, DropPolicy, Occupancy, PacketDiscard, Verdict};
use crate::framing::Cell;
use crate::switch::Threshold;

longfat_foundation::model! {
    /// Selective Drop with a cutoff that falls as the buffer fills. When X > R at the first cell, the packet of circuit i is dropped if Y_i
    /// N_a / X > Z (K - R) / (X - R). Just above R nearly every circuit passes; as X approaches K the cutoff approaches Z.
    #[name = "fba"]
    #[source = "UBR+ section 7; Heinanen and Kilkki 1995"]
    pub struct FairBufferAllocation: dyn DropPolicy {
        /// R. UBR+ section 7.3 finds 0.9 of the buffer best among 0.1, 0.5 and 0.9 (D-06).
        threshold: Threshold = "0.9" or ["0.5"],
        /// Z, the scale of the cutoff (D-06).
        z: PositiveNumber = "0.8" or ["0.5"],
        /// Whether a packet that overflows the buffer also loses its remaining cells, except the last one (D-08).
        discards_remainder: bool = "true" or ["false"],
    }
    build(config, buffer) {
        let capacity = buffer.capacity.unwrap_or(u64::MAX);
        let cutoff = Cutoff { capacity, threshold: config.threshold.level(capacity), z: config.z.0 };
        Box::new(Policy { cutoff, packets: PacketDiscard::new(buffer.circuits, config.discards_remainder) })
    }
    objections(config, buffer) {
        config.threshold.objection(buffer).map(|message| ("threshold", message)).into_iter().collect()
    }
}

/// Z (K - R) / (X - R), which the load ratio of a circuit must not exceed.
pub(super) struct Cutoff {
    pub(super) capacity: u64,
    pub(super) threshold: u64,
    pub(super) z: f64,
}

impl Cutoff {
    #[expect(clippy::cast_precision_loss, reason = "cell counts are far below 2^53")]
    /// Whether a packet is refused with `total` cells in the buffer; its circuit's load ratio is asked only above the threshold.
    pub(super) fn refuses(&self, total: u64, load_ratio: impl FnOnce() -> f64) -> bool {
        if total <= self.threshold {
            return false;
        }
        let cutoff = self.z * (self.capacity - self.threshold) as f64 / (total - self.threshold) as f64;
        load_ratio() > cutoff
    }
}

struct Policy {
    cutoff: Cutoff,
    packets: PacketDiscard,
}

impl DropPolicy for Policy {
    fn decide(&mut self, cell: Cell, circuit: usize, occupancy: &Occupancy) -> Verdict {
        self.packets.decide(cell, circuit, occupancy, || {
            self.cutoff.refuses(occupancy.total(), || occupancy.load_ratio(circuit))
        })
    }

    fn asked(&self, circuit: usize, total: u64) -> Asked {
        self.packets.asked(circuit, total > self.cutoff.threshold)
    }

    fn looks_at_circuits(&self, total: u64) -> bool {
        total > self.cutoff.threshold
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::Bench;

    #[test]
    fn the_cutoff_falls_from_huge_to_z_as_the_buffer_fills() {
        let mut bench = Bench::with("{ kind = \"fba\", threshold = \"10 cells\", z = 0.5 }", 20, 2);
        assert_eq!(bench.packet(0, 9), "aaaaaaaaa");
        assert_eq!(bench.packet(1, 3), "aaa");
        // X = 12: cutoff 0.5 * 10 / 2 = 2.5; circuit 0 has 9 * 2 / 12 = 1.5.
        assert_eq!(bench.packet(0, 3), "aaa");
        // X = 15: cutoff 0.5 * 10 / 5 = 1.0; circuit 0 has 12 * 2 / 15 = 1.6, circuit 1 has 0.4.
        assert_eq!(bench.packet(0, 1), "x");
        assert_eq!(bench.packet(1, 1), "a");
    }

    #[test]
    fn a_circuit_that_holds_just_what_the_cutoff_allows_loses_nothing() {
        let mut bench = Bench::with("{ kind = \"fba\", threshold = \"10 cells\", z = 0.6 }", 20, 2);
        assert_eq!(bench.packet(0, 9), "aaaaaaaaa");
        assert_eq!(bench.packet(1, 6), "aaaaaa");
        // X = 15: cutoff 0.6 * 10 / 5 = 1.2, and circuit 0 has 9 * 2 / 15 = 1.2.
        assert_eq!(bench.packet(0, 1), "a");
        // X = 16: cutoff 1, and circuit 0 has 10 * 2 / 16 = 1.25.
        assert_eq!(bench.packet(0, 1), "x");
    }
}
