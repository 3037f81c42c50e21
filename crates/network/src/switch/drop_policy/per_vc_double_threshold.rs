//! Two thresholds for each circuit.

use super::{Asked, DropPolicy, Occupancy, PacketDiscard, Verdict, object_to_absent_rates};
use crate::framing::Cell;
use crate::switch::Threshold;
use crate::switch::threshold::object_to_order;

longfat_foundation::model! {
    /// A part of the buffer for each circuit, in proportion to its minimum cell rate, with two thresholds that read CLP. When X > L at the first
    /// cell, a packet that is marked (CLP = 1) is dropped if Y_i > L_i, any packet if Y_i > H_i. L is of the buffer, L_i and H_i are of the part
    /// K W_i / W, W_i being the rate of circuit i and W the sum of all. So neither the marked packets of a circuit nor those of others take the
    /// room above L of its unmarked ones (P-08).
    #[name = "per-vc-double-threshold"]
    #[source = "UBR+ final report, GFR results; ATM Forum 97-0607"]
    pub struct PerVcDoubleThreshold: dyn DropPolicy {
        /// L and L_i, the thresholds above which marked packets of a circuit are dropped.
        low: Threshold = "0.5" or ["0.3", "0.7"],
        /// H_i, the threshold above which all packets of a circuit are dropped.
        high: Threshold = "0.9" or ["0.8"],
        /// Whether a packet that overflows the buffer also loses its remaining cells, except the last one (D-08).
        discards_remainder: bool = "true" or ["false"],
    }
    build(config, buffer) {
        let capacity = buffer.capacity.unwrap_or(u64::MAX);
        let weights = buffer.weights.clone().unwrap_or_else(|| vec![1; buffer.circuits]);
        let parts = parts(capacity, &weights);
        Box::new(Policy {
            low: config.low.level(capacity),
            levels: parts.into_iter().map(|part| (config.low.level(part), config.high.level(part))).collect(),
            packets: PacketDiscard::new(buffer.circuits, config.discards_remainder),
        })
    }
    objections(config, buffer) {
        let mut objections = object_to_absent_rates(buffer);
        objections.extend(object_to_order(config.low, config.high, buffer));
        objections
    }
}

/// Parts of the buffer in proportion to weights, rounded down.
#[expect(clippy::cast_possible_truncation, reason = "a part of the capacity")]
fn parts(capacity: u64, weights: &[u64]) -> Vec<u64> {
    let all = weights.iter().map(|&weight| u128::from(weight)).sum::<u128>().max(1);
    weights.iter().map(|&weight| (u128::from(capacity) * u128::from(weight) / all) as u64).collect()
}

struct Policy {
    low: u64,
    /// L_i and H_i of each circuit, in cells.
    levels: Vec<(u64, u64)>,
    packets: PacketDiscard,
}

impl DropPolicy for Policy {
    fn decide(&mut self, cell: Cell, circuit: usize, occupancy: &Occupancy) -> Verdict {
        let (low, high) = self.levels[circuit];
        self.packets.decide(cell, circuit, occupancy, || {
            occupancy.total() > self.low && occupancy.of_circuit(circuit) > if cell.is_tagged() { low } else { high }
        })
    }

    fn asked(&self, circuit: usize, total: u64) -> Asked {
        self.packets.asked(circuit, total > self.low)
    }

    fn looks_at_circuits(&self, total: u64) -> bool {
        total > self.low
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::Bench;

    /// L is 20 of 40 cells; the parts are 30 and 10, L_i 15 and 5, H_i 27 and 9.
    #[test]
    fn each_circuit_has_two_thresholds_in_a_part_of_its_own() {
        let mut bench = Bench::with_weights("\"per-vc-double-threshold\"", 40, &[3_000, 1_000]);
        assert_eq!(bench.tagged_packet(1, 6), "a".repeat(6));
        assert_eq!(bench.packet(0, 14), "a".repeat(14));
        assert_eq!(bench.tagged_packet(1, 1), "a", "X = L is not above it");
        assert_eq!(bench.tagged_packet(1, 1), "x");
        assert_eq!(bench.packet(1, 2), "aa", "an unmarked one has room");
        assert_eq!(bench.packet(1, 1), "a", "Y = H is not above it");
        assert_eq!(bench.packet(1, 1), "x");
        assert_eq!(bench.tagged_packet(0, 2), "aa", "what another circuit holds does not count");
        assert_eq!(bench.tagged_packet(0, 1), "x");
        assert_eq!(bench.packet(0, 16), format!("{}oo", "a".repeat(14)), "a packet may still find the buffer full");
    }
}
