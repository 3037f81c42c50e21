//! First in, first out.

use std::collections::VecDeque;

use super::{Scheduler, Turn};
use crate::framing::Cell;

longfat_foundation::model! {
    /// One queue for all, first in, first out: no service classes.
    #[name = "fifo"]
    #[source = "UBR+ section 3"]
    pub struct Fifo: dyn Scheduler {}
    build(_config, _context) { Box::new(FifoQueue::default()) }
}

/// Cells in the order in which they were admitted.
#[derive(Default)]
pub struct FifoQueue(VecDeque<Cell>);

impl FifoQueue {
    /// Adds a cell at the end.
    #[inline]
    pub fn push(&mut self, cell: Cell) {
        self.0.push_back(cell);
    }

    /// Takes the cell that has waited longest.
    #[inline]
    pub fn pop(&mut self) -> Option<Cell> {
        self.0.pop_front()
    }
}

impl Scheduler for FifoQueue {
    #[inline]
    fn enqueue(&mut self, cell: Cell) {
        self.push(cell);
    }

    #[inline]
    fn dequeue(&mut self, _vbr_waits: bool) -> Option<Turn> {
        self.pop().map(Turn::Ubr)
    }

    #[inline]
    fn len(&self) -> usize {
        self.0.len()
    }

    fn visit(&self, visit: &mut dyn FnMut(Cell)) {
        self.0.iter().copied().for_each(visit);
    }

    fn has_vbr_queue(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::Bench;

    #[test]
    fn cells_leave_in_the_order_in_which_they_came() {
        let mut bench = Bench::new("fifo");
        bench.arrive(&[2, 0, 2, 4]);
        assert_eq!(bench.serve(5, 0), "2024.");
    }
}
