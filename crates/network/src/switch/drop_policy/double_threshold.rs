//! Two thresholds.

use super::{Asked, DropPolicy, Occupancy, PacketDiscard, Verdict, object_to_absent_rates};
use crate::framing::Cell;
use crate::switch::Threshold;
use crate::switch::threshold::object_to_order;

longfat_foundation::model! {
    /// EPD with a second, lower threshold for marked packets: a packet that is marked (CLP = 1) is dropped if X > L when its first cell
    /// arrives, any packet if X > H. So frames within the minimum cell rates find room that the rest cannot take (P-04).
    #[name = "double-threshold"]
    #[source = "UBR+ final report, GFR results"]
    pub struct DoubleThreshold: dyn DropPolicy {
        /// L, the threshold above which marked packets are dropped.
        low: Threshold = "0.5" or ["0.3", "0.7"],
        /// H, the threshold above which all packets are dropped.
        high: Threshold = "0.9" or ["0.8"],
        /// Whether a packet that overflows the buffer also loses its remaining cells, except the last one (D-08).
        discards_remainder: bool = "true" or ["false"],
    }
    build(config, buffer) {
        let capacity = buffer.capacity.unwrap_or(u64::MAX);
        Box::new(Policy {
            low: config.low.level(capacity),
            high: config.high.level(capacity),
            packets: PacketDiscard::new(buffer.circuits, config.discards_remainder),
        })
    }
    objections(config, buffer) {
        let mut objections = object_to_absent_rates(buffer);
        objections.extend(object_to_order(config.low, config.high, buffer));
        objections
    }
}

struct Policy {
    low: u64,
    high: u64,
    packets: PacketDiscard,
}

impl DropPolicy for Policy {
    fn decide(&mut self, cell: Cell, circuit: usize, occupancy: &Occupancy) -> Verdict {
        self.packets.decide(cell, circuit, occupancy, || {
            occupancy.total() > if cell.is_tagged() { self.low } else { self.high }
        })
    }

    fn asked(&self, circuit: usize, total: u64) -> Asked {
        self.packets.asked(circuit, total > self.low)
    }

    fn looks_at_circuits(&self, _total: u64) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::Bench;

    #[test]
    fn marked_packets_are_refused_above_the_lower_threshold_and_all_above_the_higher() {
        let mut bench = Bench::with("{ kind = \"double-threshold\", low = \"4 cells\", high = \"8 cells\" }", 12, 2);
        assert_eq!(bench.tagged_packet(0, 4), "aaaa");
        assert_eq!(bench.tagged_packet(0, 1), "a", "X = L is not above it");
        assert_eq!(bench.tagged_packet(0, 2), "xx");
        assert_eq!(bench.packet(1, 3), "aaa");
        assert_eq!(bench.packet(1, 2), "aa", "X = H is not above it");
        assert_eq!(bench.packet(1, 2), "xx");
        bench.serve(2);
        assert_eq!(bench.tagged_packet(0, 1), "x");
        assert_eq!(bench.packet(1, 6), "aaaaoo", "a packet that was accepted may still find no room");
    }
}
