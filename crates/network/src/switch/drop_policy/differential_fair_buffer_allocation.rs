//! Differential Fair Buffer Allocation.

use longfat_foundation::config::Probability;
use longfat_foundation::random::Stream;

use super::{Asked, DropPolicy, Occupancy, PacketDiscard, Verdict, object_to_absent_rates};
use crate::framing::Cell;
use crate::switch::threshold::object_to_order;
use crate::switch::{BufferContext, Threshold};

longfat_foundation::choice! {
    /// Z_i, which scales the probability with which DFBA drops packets of circuit i.
    pub enum Scale {
        /// 1 - W_i / W: larger for circuits with smaller shares.
        OneMinusShare = "one-minus-share",
        /// 1, the same for every circuit.
        One = "one",
    }
}

longfat_foundation::choice! {
    /// Which marked packets DFBA drops between its thresholds.
    pub enum TaggedAboveLow {
        /// Those of circuits that hold more than their fair share of the buffer.
        ByFairShare = "by-fair-share",
        /// All of them, as in YATS.
        AllDropped = "all-dropped",
    }
}

longfat_foundation::model! {
    /// Keeps each circuit near its share of the buffer without a queue per circuit. Shares are in proportion to the minimum cell rates W_i,
    /// whose sum is W. The decision is made at the first cell of a packet. With X < L the packet is accepted, with X > H it is dropped. In
    /// between, a circuit that holds Y_i <= X W_i / W cells has its packet accepted; from a circuit that holds more, marked packets are
    /// dropped, and unmarked ones with the probability Z_i (a (Y_i - X W_i/W) / (X (1 - W_i/W)) + (1 - a) (X - L) / (H - L)) (P-07). The
    /// papers at hand show DFBA only in pictures, without formulas or tables, so its results are checked against the formula and nothing
    /// else.
    #[name = "dfba"]
    #[source = "UBR+ final report, DFBA, which names ATM Forum 98-0405"]
    pub struct DifferentialFairBufferAllocation: dyn DropPolicy {
        /// L, the level below which every packet is accepted.
        low: Threshold = "0.5" or ["0.3"],
        /// H, the level above which no packet is accepted.
        high: Threshold = "0.9" or ["0.8"],
        /// a, the weight of how far the circuit is above its share; 1 - a is the weight of how far the buffer is above L. With 1 only the
        /// circuit counts, with 0 only the buffer.
        alpha: Probability = "0.5" or ["0.0", "1.0"],
        /// Z_i.
        z: Scale = "one-minus-share" or ["one"],
        /// Which marked packets are dropped between L and H.
        tagged_above_low: TaggedAboveLow = "by-fair-share" or ["all-dropped"],
        /// Whether a packet that overflows the buffer also loses its remaining cells, except the last one (D-08).
        discards_remainder: bool = "true" or ["false"],
    }
    build(config, buffer) {
        Box::new(Policy {
            region: Region::new(config, buffer),
            tagged_above_low: config.tagged_above_low,
            chance: buffer.chance.clone(),
            packets: PacketDiscard::new(buffer.circuits, config.discards_remainder),
        })
    }
    objections(config, buffer) {
        let mut objections = object_to_absent_rates(buffer);
        objections.extend(object_to_order(config.low, config.high, buffer));
        objections
    }
}

/// The operating region: levels, shares, and the probability between them.
struct Region {
    low: u64,
    high: u64,
    alpha: f64,
    z: Scale,
    /// W_i / W.
    shares: Vec<f64>,
}

impl Region {
    #[expect(clippy::cast_precision_loss, reason = "ratios of rates")]
    fn new(config: &DifferentialFairBufferAllocation, buffer: &BufferContext) -> Self {
        let capacity = buffer.capacity.unwrap_or(u64::MAX);
        let weights = buffer.weights.clone().unwrap_or_else(|| vec![1; buffer.circuits]);
        let sum: f64 = weights.iter().map(|&weight| weight as f64).sum();
        Self {
            low: config.low.level(capacity),
            high: config.high.level(capacity),
            alpha: config.alpha.0,
            z: config.z,
            shares: weights.iter().map(|&weight| weight as f64 / sum).collect(),
        }
    }

    /// Y_i - X W_i / W: by how many cells a circuit is above its share.
    #[expect(clippy::cast_precision_loss, reason = "cell counts are far below 2^53")]
    fn excess(&self, circuit: usize, occupancy: &Occupancy) -> f64 {
        occupancy.of_circuit(circuit) as f64 - occupancy.total() as f64 * self.shares[circuit]
    }

    /// The probability with which an unmarked packet of a circuit above its share is dropped. A circuit whose share is all of the
    /// buffer is never above it, so that nothing is divided by zero.
    #[expect(clippy::cast_precision_loss, reason = "cell counts are far below 2^53")]
    fn probability(&self, circuit: usize, occupancy: &Occupancy) -> f64 {
        let (total, share) = (occupancy.total() as f64, self.shares[circuit]);
        let of_circuit = self.excess(circuit, occupancy) / (total * (1.0 - share));
        // Where L = H there is only one level, and the buffer is no further above one than below the other.
        let width = (self.high - self.low).max(1) as f64;
        let of_buffer = (occupancy.total() - self.low) as f64 / width;
        let scale = match self.z {
            Scale::OneMinusShare => 1.0 - share,
            Scale::One => 1.0,
        };
        scale * (self.alpha * of_circuit + (1.0 - self.alpha) * of_buffer)
    }
}

struct Policy {
    region: Region,
    tagged_above_low: TaggedAboveLow,
    chance: Stream,
    packets: PacketDiscard,
}

impl DropPolicy for Policy {
    fn decide(&mut self, cell: Cell, circuit: usize, occupancy: &Occupancy) -> Verdict {
        let (region, chance, rule) = (&self.region, &mut self.chance, self.tagged_above_low);
        self.packets.decide(cell, circuit, occupancy, || refuses(region, chance, rule, cell, circuit, occupancy))
    }

    fn asked(&self, circuit: usize, total: u64) -> Asked {
        self.packets.asked(circuit, total >= self.region.low)
    }

    fn looks_at_circuits(&self, total: u64) -> bool {
        total >= self.region.low
    }
}

fn refuses(
    region: &Region,
    chance: &mut Stream,
    rule: TaggedAboveLow,
    cell: Cell,
    circuit: usize,
    occupancy: &Occupancy,
) -> bool {
    if occupancy.total() < region.low || occupancy.total() > region.high {
        return occupancy.total() > region.high;
    }
    let is_above_share = region.excess(circuit, occupancy) > 0.0;
    if cell.is_tagged() {
        return is_above_share || rule == TaggedAboveLow::AllDropped;
    }
    is_above_share && chance.happens(region.probability(circuit, occupancy))
}

#[cfg(test)]
mod tests {
    use super::super::test_support::Bench;

    fn bench(rest: &str, weights: &[u64]) -> Bench {
        Bench::with_weights(
            &format!("{{ kind = \"dfba\", low = \"10 cells\", high = \"30 cells\"{rest} }}"),
            40,
            weights,
        )
    }

    #[test]
    fn below_the_lower_level_all_is_accepted_and_above_the_higher_none() {
        let mut bench = bench("", &[3_000, 1_000]);
        assert_eq!(bench.tagged_packet(1, 9), "a".repeat(9));
        assert_eq!(bench.tagged_packet(1, 1), "a", "X = 9 is below L");
        assert_eq!(bench.packet(0, 21), "a".repeat(21), "circuit 0 holds nothing of its share");
        assert_eq!((bench.tagged_packet(0, 1), bench.packet(0, 1)), ("x".into(), "x".into()), "X = 31");
        bench.serve(1);
        assert_eq!(bench.packet(0, 1), "a", "X = 30 is not above H, and 21 are no more than 22.5");
    }

    #[test]
    fn between_the_levels_marked_packets_of_circuits_above_their_share_are_dropped() {
        let mut bench = bench("", &[3_000, 1_000]);
        assert_eq!(bench.packet(0, 12), "a".repeat(12));
        assert_eq!(bench.packet(1, 4), "aaaa");
        // At X = 16, 17 ... the shares are 12 and 4, 12.75 and 4.25 ...
        assert_eq!(bench.tagged_packet(0, 1), "a", "12 of 12");
        assert_eq!(bench.tagged_packet(1, 1), "a", "4 of 4.25");
        assert_eq!(bench.tagged_packet(1, 1), "x", "5 of 4.5");
        assert_eq!(bench.tagged_packet(0, 1), "a", "13 of 13.5");
    }

    #[test]
    fn marked_packets_may_all_be_dropped_between_the_levels() {
        for (rule, verdict) in [("by-fair-share", "a"), ("all-dropped", "x")] {
            let mut bench = bench(&format!(", tagged_above_low = \"{rule}\""), &[3_000, 1_000]);
            assert_eq!(bench.packet(0, 10), "a".repeat(10));
            assert_eq!(bench.tagged_packet(1, 1), verdict, "{rule}: circuit 1 holds nothing");
        }
    }

    /// W_i / W is 3/4 and 1/4, L = 10, H = 30. Each state is one of X, Y_0 and Y_1, worked by hand.
    #[test]
    #[expect(clippy::cast_precision_loss, reason = "counts")]
    fn unmarked_packets_above_the_share_are_dropped_with_the_probability_of_the_formula() {
        const PACKETS: usize = 20_000;
        let states = [
            // (1 - 3/4) (1/2 (17 - 15) / (20 / 4) + 1/2 (20 - 10) / 20)
            ("", [17, 3], 0, 0.1125),
            // (1 - 1/4) (1/2 (15 - 5) / (20 * 3/4) + 1/2 * 1/2)
            ("", [5, 15], 1, 0.4375),
            // At X = L only the circuit counts: 3/4 (1/2 (8 - 2.5) / 7.5)
            ("", [2, 8], 1, 0.275),
            // At X = H: 3/4 (1/2 (15 - 7.5) / 22.5 + 1/2)
            ("", [15, 15], 1, 0.5),
            (", z = \"one\"", [5, 15], 1, 7.0 / 12.0),
            (", z = \"one\", alpha = 1.0", [5, 15], 1, 2.0 / 3.0),
            (", z = \"one\", alpha = 0.0", [5, 15], 1, 0.5),
        ];
        let mut chi_square = 0.0;
        for (rest, held, circuit, probability) in states {
            let mut bench = bench(rest, &[3_000, 1_000]);
            // One packet each, that begins in an empty buffer or holds nothing yet.
            held.iter().enumerate().for_each(|(circuit, &cells)| _ = bench.packet(circuit, cells));
            assert_eq!(bench.held(), held.iter().sum::<usize>());
            let dropped = (PACKETS - bench.would_accept(circuit, PACKETS)) as f64;
            let expected = PACKETS as f64 * probability;
            chi_square += (dropped - expected).powi(2) / (expected * (1.0 - probability));
            assert_eq!(bench.would_accept(1 - circuit, 100), 100, "{held:?}: the other is below its share");
        }
        assert!(chi_square < 24.3, "{chi_square} would be exceeded once in a thousand times with 7 degrees of freedom");
    }
}
