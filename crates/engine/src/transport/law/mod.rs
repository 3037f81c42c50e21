//! Window laws: how the congestion window grows with acknowledgments and shrinks with losses.
//!
//! When a loss is noticed, and how it is repaired, is the business of a [loss recovery](super::recovery).

mod classical;

pub use classical::Classical;

use super::Window;

/// The growth and reduction of one connection's window.
pub trait WindowLaw: Send {
    /// An acknowledgment of `acknowledged` bytes of new data has come, outside of loss recovery.
    fn on_acknowledgment(&mut self, window: &mut Window, acknowledged: u64);
    /// Duplicate acknowledgments show a loss while `flight` bytes are under way: sets threshold and window.
    fn on_loss(&mut self, window: &mut Window, flight: u64);
    /// An acknowledgment of `acknowledged` bytes of new data says that `marked` bytes were marked by queues; all below
    /// `unacknowledged` is acknowledged now, all below `highest` was sent.
    fn observe_marks(&mut self, _acknowledged: u64, _marked: u64, _unacknowledged: u64, _highest: u64) {}
    /// Marks show congestion while `flight` bytes are under way, for the first time in this window of data: as a loss does, unless the
    /// law is another (RFC 3168 section 6.1.2).
    fn on_mark(&mut self, window: &mut Window, flight: u64) {
        self.on_loss(window, flight);
    }
    /// The retransmission timer has expired while `flight` bytes were under way: sets threshold and window.
    fn on_timeout(&mut self, window: &mut Window, flight: u64);
}
