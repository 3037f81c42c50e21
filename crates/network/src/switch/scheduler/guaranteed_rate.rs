//! Guaranteed rate for UBR.

use longfat_foundation::config::Probability;

use super::{FifoQueue, Scheduler, Turn, WHOLE, object_to_packets, parts};
use crate::framing::Cell;

longfat_foundation::choice! {
    /// Use of a UBR slot while VBR cells wait and no UBR cell does (V-04).
    pub enum UnusedGuarantee {
        /// VBR uses it: the line is never idle while anybody waits.
        Lent = "lent",
        /// It stays empty: VBR never has more than 1 - GR of the line. 97-0424 section 3: VBR is "allocated Peak Cell Rate equal to 90% of
        /// the link capacity" with GR = 0.1, and with 0.5 "a steady rate of 50%".
        Kept = "kept",
    }
}

longfat_foundation::model! {
    /// Of every N cells sent while UBR cells wait, at least GR N are UBR cells; otherwise VBR goes first, and UBR gets what VBR leaves. For
    /// each slot UBR earns GR of a cell of credit, and it sends when it has a whole one. While no UBR cell waits, it saves at most one cell
    /// of credit (V-04).
    #[name = "guaranteed-rate"]
    #[source = "97-0424 section 3"]
    pub struct GuaranteedRate: dyn Scheduler {
        /// GR, the share of the line that UBR is guaranteed, to nine decimals; 97-0424 uses 0, 0.1 and 0.5. With 0 VBR has strict
        /// priority.
        guaranteed_rate: Probability,
        /// Use of a slot that belongs to UBR while no UBR cell waits (V-04). 97-0424 only says that "any unused capacity by VBR is
        /// also allocated to UBR".
        unused_guarantee: UnusedGuarantee = "lent" or ["kept"],
    }
    build(config, _context) {
        Box::new(Credit {
            earned_for_a_cell: parts(config.guaranteed_rate),
            unused: config.unused_guarantee,
            credit: 0,
            ubr: FifoQueue::default(),
        })
    }
    objections(_config, context) { object_to_packets(context) }
}

struct Credit {
    earned_for_a_cell: u64,
    unused: UnusedGuarantee,
    /// In parts of [`WHOLE`] cells; less than two cells.
    credit: u64,
    ubr: FifoQueue,
}

impl Scheduler for Credit {
    fn enqueue(&mut self, cell: Cell) {
        self.ubr.push(cell);
    }

    fn dequeue(&mut self, vbr_waits: bool) -> Option<Turn> {
        if self.ubr.is_empty() {
            if !vbr_waits {
                return None;
            }
            self.credit += self.earned_for_a_cell;
            if self.credit >= WHOLE && self.unused == UnusedGuarantee::Kept {
                self.credit -= WHOLE;
                return Some(Turn::Unused);
            }
            self.credit = self.credit.min(WHOLE);
            return Some(Turn::Vbr);
        }
        self.credit += self.earned_for_a_cell;
        // A slot that VBR leaves free costs no credit unless a whole cell of it is there: what UBR has taken of VBR's share is
        // not held against it.
        if self.credit >= WHOLE {
            self.credit -= WHOLE;
        } else if vbr_waits {
            return Some(Turn::Vbr);
        }
        self.ubr.pop().map(Turn::Ubr)
    }

    fn len(&self) -> usize {
        self.ubr.len()
    }

    fn visit(&self, visit: &mut dyn FnMut(Cell)) {
        self.ubr.visit(visit);
    }

    #[expect(clippy::cast_precision_loss, reason = "both are at most a billion")]
    fn guaranteed_share(&self) -> f64 {
        self.earned_for_a_cell as f64 / WHOLE as f64
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::Bench;

    fn bench(share: &str) -> Bench {
        Bench::new(&format!("{{ kind = \"guaranteed-rate\", guaranteed_rate = {share} }}"))
    }

    #[test]
    fn a_tenth_is_every_tenth_cell_and_a_half_every_second() {
        let mut tenth = bench("0.1");
        tenth.arrive(&[0; 3]);
        assert_eq!(tenth.serve(31, 100), "vvvvvvvvv0vvvvvvvvv0vvvvvvvvv0v");
        let mut half = bench("0.5");
        half.arrive(&[0; 4]);
        assert_eq!(half.serve(9, 100), "v0v0v0v0v");
    }

    #[test]
    fn either_class_has_what_the_other_leaves() {
        let mut bench = bench("0.5");
        bench.arrive(&[0; 6]);
        // Credit: .5, 1 (sent), .5, 1 (sent), then UBR alone.
        assert_eq!(bench.serve(8, 2), "v0v00000");
        assert_eq!(bench.serve(3, 3), "vvv");
    }

    #[test]
    fn what_is_kept_for_ubr_vbr_never_has() {
        let mut bench =
            Bench::new("{ kind = \"guaranteed-rate\", guaranteed_rate = 0.25, unused_guarantee = \"kept\" }");
        assert_eq!(bench.serve(10, 6), "vvv_vvv...");
        bench.arrive(&[0; 3]);
        // UBR has what VBR leaves all the same, and its slots when they come round.
        assert_eq!(bench.serve(2, 0), "00");
        assert_eq!(bench.serve(9, 100), "vv0vvv_vv");
    }

    #[test]
    fn while_no_ubr_cell_waits_no_more_than_one_cell_of_credit_is_saved() {
        let mut bench = bench("0.25");
        assert_eq!(bench.serve(100, 100), "v".repeat(100));
        bench.arrive(&[0; 3]);
        // Saved 1, earned .25: one at once. Then .25 more for each: the next at the third, the fourth ...
        assert_eq!(bench.serve(9, 100), "0vv0vvv0v");
    }

    #[test]
    fn a_share_that_no_binary_fraction_holds_is_exact_after_a_million_cells() {
        let mut bench = bench("0.1");
        bench.arrive(&vec![0; 100_000]);
        assert_eq!(bench.serve(1_000_000, 2_000_000).matches('0').count(), 100_000);
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
