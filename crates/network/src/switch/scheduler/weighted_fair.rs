//! Fair queueing between the classes.

use longfat_foundation::config::Probability;

use super::start_time::StartTimeQueueing;
use super::{FifoQueue, Scheduler, Turn, WHOLE, object_to_packets, parts};
use crate::framing::Cell;

longfat_foundation::model! {
    /// Start-time fair queueing between the classes, UBR with the weight GR and VBR with 1 - GR: the other reading of "fair scheduling
    /// among the queues on each port" (V-04). A class that returns after a pause has no credit at all.
    #[name = "weighted-fair"]
    #[source = "97-0424 section 3; Goyal, Vin and Cheng 1996"]
    pub struct WeightedFair: dyn Scheduler {
        /// GR, the share of the line that UBR is guaranteed, to nine decimals. With 0 VBR has strict priority.
        guaranteed_rate: Probability,
    }
    build(config, _context) {
        let share = parts(config.guaranteed_rate);
        let server = StartTimeQueueing::new(&[WHOLE - share, share]);
        Box::new(FairClasses { share, server, ubr: FifoQueue::default() })
    }
    objections(_config, context) { object_to_packets(context) }
}

// Of equals the first is served first.
const VBR: usize = 0;
const UBR: usize = 1;

struct FairClasses {
    /// In parts of [`WHOLE`].
    share: u64,
    server: StartTimeQueueing,
    ubr: FifoQueue,
}

impl Scheduler for FairClasses {
    fn enqueue(&mut self, cell: Cell) {
        self.server.begin(UBR);
        self.ubr.push(cell);
    }

    fn dequeue(&mut self, vbr_waits: bool) -> Option<Turn> {
        if vbr_waits {
            // Virtual time moves only here, so that a VBR cell may be told of no earlier than this.
            self.server.begin(VBR);
        }
        let Some(class) = self.server.next() else {
            self.server.rest();
            return None;
        };
        if class == VBR {
            // Whether more wait is known at the next slot, before virtual time has moved on.
            self.server.serve(VBR, false);
            return Some(Turn::Vbr);
        }
        let cell = self.ubr.pop();
        self.server.serve(UBR, !self.ubr.is_empty());
        cell.map(Turn::Ubr)
    }

    fn len(&self) -> usize {
        self.ubr.len()
    }

    fn visit(&self, visit: &mut dyn FnMut(Cell)) {
        self.ubr.visit(visit);
    }

    #[expect(clippy::cast_precision_loss, reason = "both are at most a billion")]
    fn guaranteed_share(&self) -> f64 {
        self.share as f64 / WHOLE as f64
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::Bench;

    fn bench(share: &str) -> Bench {
        Bench::new(&format!("{{ kind = \"weighted-fair\", guaranteed_rate = {share} }}"))
    }

    #[test]
    fn a_quarter_is_every_fourth_cell() {
        let mut quarter = bench("0.25");
        quarter.arrive(&[0; 4]);
        assert_eq!(quarter.serve(13, 100), "v0vvv0vvv0vvv");
    }

    #[test]
    fn a_class_that_comes_back_has_its_share_and_no_more() {
        let mut half = bench("0.5");
        assert_eq!(half.serve(100, 100), "v".repeat(100));
        half.arrive(&[0; 4]);
        let order = half.serve(8, 100);
        assert_eq!(order.matches('0').count(), 4, "{order}");
        assert!(!order.contains("00"), "{order}");
    }

    #[test]
    fn a_share_of_nothing_is_strict_priority_and_one_of_all_the_reverse() {
        for (share, order) in [("0", "vvvv0000"), ("1", "0000vvvv")] {
            let mut bench = bench(share);
            bench.arrive(&[0; 4]);
            assert_eq!(bench.serve(8, 4), order);
        }
    }
}
