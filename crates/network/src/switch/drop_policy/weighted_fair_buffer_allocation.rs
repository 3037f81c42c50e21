//! Fair Buffer Allocation with shares in proportion to minimum cell rates.

use longfat_foundation::config::PositiveNumber;

use super::fair_buffer_allocation::Cutoff;
use super::{Asked, DropPolicy, Occupancy, PacketDiscard, Verdict, object_to_absent_rates};
use crate::framing::Cell;
use crate::switch::Threshold;

longfat_foundation::model! {
    /// Fair Buffer Allocation where the fair share of circuit i is not X / N_a but X W_i / W_a: W_i is its minimum cell rate, and W_a
    /// the sum of those of the circuits with a cell in the buffer. When X > R at the first cell, the packet is dropped if
    /// Y_i W_a / (X W_i) > Z (K - R) / (X - R) (P-05). A circuit without a minimum cell rate has no share.
    #[name = "weighted-fba"]
    #[source = "UBR+ final report, GFR results; UBR+ section 7"]
    pub struct WeightedFairBufferAllocation: dyn DropPolicy {
        /// R.
        threshold: Threshold = "0.9" or ["0.5"],
        /// Z, the scale of the cutoff.
        z: PositiveNumber = "0.8" or ["0.5"],
        /// Whether a packet that overflows the buffer also loses its remaining cells, except the last one (D-08).
        discards_remainder: bool = "true" or ["false"],
    }
    build(config, buffer) {
        let capacity = buffer.capacity.unwrap_or(u64::MAX);
        Box::new(Policy {
            cutoff: Cutoff { capacity, threshold: config.threshold.level(capacity), z: config.z.0 },
            weights: buffer.weights.clone().unwrap_or_else(|| vec![1; buffer.circuits]),
            packets: PacketDiscard::new(buffer.circuits, config.discards_remainder),
        })
    }
    objections(config, buffer) {
        let mut objections = object_to_absent_rates(buffer);
        objections.extend(config.threshold.objection(buffer).map(|message| ("threshold", message)));
        objections
    }
}

struct Policy {
    cutoff: Cutoff,
    weights: Vec<u64>,
    packets: PacketDiscard,
}

/// How far a circuit exceeds its weighted share of the buffer: Y_i W_a / (X W_i). 0 if it has no cell there.
#[expect(clippy::cast_precision_loss, reason = "a ratio for a comparison")]
fn load_ratio(weights: &[u64], circuit: usize, occupancy: &Occupancy) -> f64 {
    let held = occupancy.of_circuit(circuit);
    if held == 0 {
        return 0.0;
    }
    let of_active =
        |(other, &weight): (usize, &u64)| if occupancy.of_circuit(other) > 0 { u128::from(weight) } else { 0 };
    let active: u128 = weights.iter().enumerate().map(of_active).sum();
    // Without a share, any cell is infinitely more than it: also where nobody has one.
    if weights[circuit] == 0 {
        return f64::INFINITY;
    }
    held as f64 * active as f64 / (occupancy.total() as f64 * weights[circuit] as f64)
}

impl DropPolicy for Policy {
    fn decide(&mut self, cell: Cell, circuit: usize, occupancy: &Occupancy) -> Verdict {
        self.packets.decide(cell, circuit, occupancy, || {
            self.cutoff.refuses(occupancy.total(), || load_ratio(&self.weights, circuit, occupancy))
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

    const POLICY: &str = "{ kind = \"weighted-fba\", threshold = \"10 cells\", z = 0.5 }";

    #[test]
    fn a_circuit_with_three_times_the_rate_may_hold_three_times_the_cells() {
        let mut bench = Bench::with_weights(POLICY, 20, &[3_000, 1_000]);
        assert_eq!(bench.packet(0, 9), "a".repeat(9));
        assert_eq!(bench.packet(1, 6), "a".repeat(6));
        // X = 15: cutoff 0.5 * 10 / 5 = 1. Circuit 0 has 9 * 4 / (15 * 3) = 0.8, circuit 1 has 6 * 4 / 15 = 1.6.
        assert_eq!(bench.packet(1, 1), "x");
        assert_eq!(bench.packet(0, 1), "a");
    }

    #[test]
    fn with_equal_rates_it_is_fair_buffer_allocation() {
        let mut weighted = Bench::with_weights(POLICY, 20, &[7, 7, 7]);
        let mut plain = Bench::with("{ kind = \"fba\", threshold = \"10 cells\", z = 0.5 }", 20, 3);
        for step in 0..300 {
            let (circuit, cells) = (step * step % 7 % 3, 1 + step % 4);
            assert_eq!(weighted.packet(circuit, cells), plain.packet(circuit, cells), "step {step}");
            if weighted.held() > 12 {
                weighted.serve(step % 5);
                plain.serve(step % 5);
            }
        }
    }

    #[test]
    fn a_circuit_without_a_rate_has_no_share_above_the_threshold() {
        let mut bench = Bench::with_weights(POLICY, 20, &[1_000, 0]);
        assert_eq!(bench.packet(1, 10), "a".repeat(10));
        assert_eq!(bench.packet(0, 1), "a");
        assert_eq!(bench.packet(1, 2), "xx");
    }
}
