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
    /// The retransmission timer has expired while `flight` bytes were under way: sets threshold and window.
    fn on_timeout(&mut self, window: &mut Window, flight: u64);
}
