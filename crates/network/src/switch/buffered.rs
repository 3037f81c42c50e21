//! The buffer of a port: what it holds, the drop policy that admits cells, and the counts.

use super::drop_policy::{DropPolicy, Verdict};
use super::{Dropped, Occupancy, PortStatistics};
use crate::framing::{Cell, Continuity};

/// The occupancy of a buffer and the policy that guards it. The cells themselves are in a [`PortQueue`](super::PortQueue).
pub(super) struct Buffered {
    pub(super) occupancy: Occupancy,
    pub(super) policy: Box<dyn DropPolicy>,
    /// Whether the policy must ever be asked while there is room.
    pub(super) is_ever_asked: bool,
    pub(super) statistics: PortStatistics,
    /// Which packets arrive whole, where nobody follows their cells to the receivers.
    pub(super) continuity: Option<Continuity>,
}

impl Buffered {
    /// Asks the drop policy about an arriving cell, and counts it in or adds it to `dropped`. Returns whether it is admitted; the caller
    /// queues it then.
    #[inline(always)]
    pub(super) fn admits(&mut self, cell: Cell, dropped: &mut Vec<Dropped>) -> bool {
        let has_room = !self.is_ever_asked && !self.occupancy.is_full();
        let verdict =
            if has_room { Verdict::Accept } else { self.policy.decide(cell, cell.circuit(), &self.occupancy) };
        if verdict == Verdict::Accept {
            self.count_in(cell);
            return true;
        }
        self.statistics.cells_dropped += 1;
        dropped.push((cell, verdict));
        false
    }

    /// Counts in a cell that is admitted.
    #[inline(always)]
    fn count_in(&mut self, cell: Cell) {
        self.occupancy.add(cell.circuit());
        if let Some(continuity) = &mut self.continuity {
            continuity.admit(cell);
        }
        self.note_peak();
    }

    #[inline(always)]
    pub(super) fn note_peak(&mut self) {
        self.statistics.max_queue_cells = self.statistics.max_queue_cells.max(self.occupancy.total());
    }

    /// Counts out packets that were in the buffer and that a queue discipline has dropped.
    pub(super) fn count_out(&mut self, dropped: &[Dropped]) {
        self.statistics.cells_dropped += dropped.len() as u64;
        dropped.iter().for_each(|(cell, _)| self.occupancy.remove(cell.circuit()));
    }
}
