//! How requests of terminals reach the network control centre: in slots of their own, or in slots that they contend for.
//!
//! To add a kind of access: a file here with a [`model!`](longfat_foundation::model), a `mod` line and a line in [`ACCESSES`].

mod crdsa;
mod dedicated;
mod slotted_aloha;

use longfat_foundation::config::AtLeastOne;
use longfat_foundation::random::Stream;
use longfat_foundation::registry::{Entry, Family};

/// Every registered kind of access.
pub const ACCESSES: &[Entry<dyn Access>] =
    &[Entry::of::<dedicated::Dedicated>(), Entry::of::<slotted_aloha::SlottedAloha>(), Entry::of::<crdsa::Crdsa>()];

/// Most slots for requests in a frame; each may be looked at several times.
const MOST_SLOTS: u64 = 4096;

/// A kind of access.
pub trait Access: Send {
    /// The slots that terminals contend for; `None` if each has its own.
    fn contention(&mut self) -> Option<&mut dyn Contention>;
}

/// Slots that terminals contend for.
pub trait Contention {
    /// Which of so many requests of one frame are heard.
    fn heard(&mut self, requests: usize) -> Vec<bool>;
    /// A number of frames for which a terminal waits beyond the response before it takes its request for lost, anew for each.
    fn backoff_frames(&mut self) -> u64;
}

impl Family for dyn Access {
    const KIND: &'static str = "request access";
    type Context = Stream;
    fn models() -> &'static [Entry<Self>] {
        ACCESSES
    }
}

/// The error if there are more slots than may be.
fn object_to_slots(slots: AtLeastOne) -> Vec<(&'static str, String)> {
    let message = || format!("{} slots for requests in a frame; at most {MOST_SLOTS}", slots.0);
    if slots.0 > MOST_SLOTS { vec![("slots", message())] } else { Vec::new() }
}

/// Draws a number of frames from 0 to `most`.
fn draw_backoff(chance: &mut Stream, most: u64) -> u64 {
    let most = usize::try_from(most).unwrap_or(usize::MAX - 1);
    chance.below(most + 1) as u64
}
