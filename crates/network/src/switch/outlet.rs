//! The interface through which a port sends on its line.

use longfat_foundation::units::LineClock;

use crate::framing::Cell;

/// The transmitter behind a port.
pub trait Outlet {
    /// Begins to send a cell, or a packet that travels whole, exactly at `clock`. Returns when the next transmission may begin.
    fn send_cell_at(&mut self, clock: LineClock, cell: Cell) -> LineClock;
    /// Sends a cell of the class VBR, which no host receives. Returns when the next transmission may begin.
    fn send_anonymous_cell_at(&mut self, clock: LineClock) -> LineClock;
    /// Leaves a slot empty. Returns when the next transmission may begin.
    fn pass_slot_at(&mut self, clock: LineClock) -> LineClock;
}
