//! Strict priority.

use super::{FifoQueue, Scheduler, Turn, object_to_packets};
use crate::framing::Cell;

longfat_foundation::model! {
    /// A VBR cell goes before every UBR cell and never waits behind one; UBR gets what is left (V-03).
    #[name = "strict-priority"]
    #[source = "97-0424 section 3 (GR = 0)"]
    pub struct StrictPriority: dyn Scheduler {}
    build(_config, _context) { Box::new(VbrFirst::default()) }
    objections(_config, context) { object_to_packets(context) }
}

#[derive(Default)]
struct VbrFirst(FifoQueue);

impl Scheduler for VbrFirst {
    fn enqueue(&mut self, cell: Cell) {
        self.0.push(cell);
    }

    fn dequeue(&mut self, vbr_waits: bool) -> Option<Turn> {
        if vbr_waits { Some(Turn::Vbr) } else { self.0.pop().map(Turn::Ubr) }
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn visit(&self, visit: &mut dyn FnMut(Cell)) {
        self.0.visit(visit);
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::Bench;

    #[test]
    fn ubr_waits_while_any_vbr_cell_does() {
        let mut bench = Bench::new("strict-priority");
        bench.arrive(&[0, 2, 4]);
        assert_eq!(bench.serve(1, 0), "0");
        assert_eq!(bench.serve(6, 4), "vvvv24");
    }
}
