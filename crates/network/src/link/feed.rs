//! Implements [`Outlet`] for a line.

use longfat_foundation::units::LineClock;

use super::Line;
use crate::framing::{Cell, Packets};
use crate::switch::Outlet;

/// A line on which every cell is followed to its end.
pub struct Feed<'a> {
    /// The line.
    pub line: &'a mut Line,
    /// Where the sizes of packets are found.
    pub packets: &'a Packets,
}

impl Outlet for Feed<'_> {
    #[inline(always)]
    fn send_cell_at(&mut self, clock: LineClock, cell: Cell) -> LineClock {
        self.line.send_cell_at(clock, cell, self.packets)
    }

    fn send_anonymous_cell_at(&mut self, clock: LineClock) -> LineClock {
        self.line.send_anonymous_cell_at(clock)
    }

    fn pass_slot_at(&mut self, clock: LineClock) -> LineClock {
        self.line.pass_slot_at(clock)
    }
}
