//! Cells back to back on a line.

use longfat_foundation::units::{LineClock, Time, TransmissionTime};

use crate::framing::Cell;

/// One cell, or the cells of a whole packet sent back to back.
#[derive(Clone, Copy)]
pub struct Train {
    /// When the next cell of the train has arrived completely.
    pub arrival: LineClock,
    /// The next cell.
    pub cell: Cell,
    /// Cells that have not arrived, the next one included.
    pub cells: u32,
}

impl Train {
    /// When its last cell arrives.
    #[must_use]
    #[inline]
    pub fn last_arrival(&self, cell_time: TransmissionTime) -> Time {
        self.after(self.cells - 1, cell_time).time
    }

    /// When the cell arrives that is `others` cells behind the next.
    #[must_use]
    #[inline]
    pub fn after(&self, others: u32, cell_time: TransmissionTime) -> LineClock {
        match others {
            0 => self.arrival,
            1 => self.arrival.after(cell_time),
            _ => self.arrival.after(cell_time.times(others.into())),
        }
    }

    /// Its next cell, the number of its cells, and whether the packet ends with them.
    #[must_use]
    pub fn description(&self) -> (Cell, u32, bool) {
        (self.cell, self.cells, self.cells > 1 || self.cell.is_last())
    }

    /// Takes the next cell, which is not the last.
    #[inline]
    pub fn take(&mut self, cell_time: TransmissionTime) -> Cell {
        let cell = self.cell;
        self.cells -= 1;
        self.cell = cell.following(self.cells == 1);
        self.arrival.advance(cell_time);
        cell
    }

    /// Takes the next `cells` cells, which are not all, and take `transmission` to be sent.
    #[inline]
    pub fn skip(&mut self, cells: u32, transmission: TransmissionTime) {
        self.cells -= cells;
        self.cell = self.cell.following(self.cells == 1);
        self.arrival.advance(transmission);
    }
}
