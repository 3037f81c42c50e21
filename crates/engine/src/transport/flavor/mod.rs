//! Congestion control: what a connection does to its window and threshold, and when.
//!
//! The sender owns sequence numbers, timers and retransmission; a flavor answers what happened by changing the window. To add
//! one: a file here with a [`model!`](crate::model), a `mod` line and a line in [`FLAVORS`].

mod vanilla;

use super::Window;
use crate::registry::{Entry, Family};

/// Every registered flavor.
pub const FLAVORS: &[Entry<dyn Flavor>] = &[Entry::of::<vanilla::Vanilla>()];

/// Congestion control of one connection.
pub trait Flavor: Send {
    /// An acknowledgment of `acknowledged` bytes of new data has come.
    fn on_acknowledgment(&mut self, window: &mut Window, acknowledged: u64);
    /// The retransmission timer has expired.
    fn on_timeout(&mut self, window: &mut Window);
}

impl Family for dyn Flavor {
    const KIND: &'static str = "TCP flavor";
    type Context = ();
    fn models() -> &'static [Entry<Self>] {
        FLAVORS
    }
}
