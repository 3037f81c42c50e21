//! The interface through which a port sends on its line.

use longfat_foundation::units::LineClock;

use super::Leaving;
use crate::framing::Cell;

/// The transmitter behind a port.
pub trait Outlet {
    /// Sends a cell whose transmission begins exactly at `clock`. Gives when the next one may begin.
    fn send_cell_at(&mut self, clock: LineClock, cell: Cell) -> LineClock;
    /// Lets a cell pass whose transmission begins exactly at `clock` and that nobody receives. Gives when the next one may begin.
    fn send_anonymous_cell_at(&mut self, clock: LineClock) -> LineClock;
    /// Lets the time of a cell pass from `clock` on, in which nothing is sent. Gives when the next one may begin.
    fn pass_slot_at(&mut self, clock: LineClock) -> LineClock;
    /// Sends cells back to back from `clock` until `free`, which nobody tells apart but for those that were
    /// [noted](Self::note_last_at) before.
    fn send_train_at(&mut self, clock: LineClock, cells: u64, free: LineClock);
    /// Of the cells that are sent next, from `clock` on, the one that comes after so many is the last of a packet.
    fn note_last_at(&mut self, clock: LineClock, after: u64, last: Cell);
    /// Whether it is to be told whose the cells of a train are.
    fn follows_circuits(&self) -> bool {
        false
    }
    /// Of a train so many cells more are of those.
    fn note_leaving(&mut self, _cells: u64, _leaving: Leaving<'_>) {}
}
