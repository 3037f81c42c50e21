//! The interface through which a port that is served in batches sends on its line.

use longfat_foundation::units::LineClock;

use super::Leaving;
use crate::framing::Cell;

/// A transmitter that takes cells by number: of those that are sent in a batch only the last cells of packets are known one by one.
pub trait TrainOutlet {
    /// Sends `cells` cells back to back from `clock` until `free`. The last cells of packets among them were announced by
    /// [`note_last_at`](Self::note_last_at).
    fn send_train_at(&mut self, clock: LineClock, cells: u64, free: LineClock);
    /// Announces the last cell of a packet: it is sent after `after` other cells from `clock` on.
    fn note_last_at(&mut self, clock: LineClock, after: u64, last: Cell);
    /// Whether [`note_leaving`](Self::note_leaving) does anything.
    fn follows_circuits(&self) -> bool {
        false
    }
    /// The circuits of the next `cells` cells of a train.
    fn note_leaving(&mut self, _cells: u64, _leaving: Leaving<'_>) {}
}
