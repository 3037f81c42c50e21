//! Reordering: packets that are held up at the end of a line, where others pass them.
//!
//! The line itself is a FIFO; what is held up waits behind it in a [`WaitingRoom`]. To add a model: a file here with a
//! [`model!`](longfat_foundation::model), a `mod` line and a line in [`REORDERINGS`].

mod lanes;
mod netem;
mod none;
mod random;
mod waiting_room;

pub use waiting_room::WaitingRoom;

use longfat_foundation::random::{Chance, Stream};
use longfat_foundation::registry::{Entry, Family};
use longfat_foundation::units::Span;

/// Every registered reordering.
pub const REORDERINGS: &[Entry<dyn Reordering>] = &[
    Entry::of::<none::None>(),
    Entry::of::<random::Random>(),
    Entry::of::<lanes::Lanes>(),
    Entry::of::<netem::Netem>(),
];

longfat_foundation::choice! {
    /// Order of packets that jitter, or a path whose delay changes, would let overtake others.
    pub enum Order {
        /// Kept: none arrives before one that was sent earlier.
        Fifo = "fifo",
        /// Each packet arrives after its own delay, before earlier ones if theirs is longer, as in Linux's netem without a rate.
        Free = "free",
    }
    absent Fifo
}

/// Model that holds packets up at the end of a line.
pub trait Reordering: Send {
    /// Span for which the next packet of a connection is held up; zero if it goes on at once.
    fn holds_next(&mut self, flow: usize) -> Span;
}

impl Family for dyn Reordering {
    const KIND: &'static str = "reordering";
    type Context = ReorderingContext;
    const NOTHING: Option<&'static str> = Some("none");
    fn models() -> &'static [Entry<Self>] {
        REORDERINGS
    }
}

/// The line at whose end packets are held up.
#[derive(Clone, Debug)]
pub struct ReorderingContext {
    /// Name of the line in names of random streams.
    pub place: String,
    /// Source of random numbers.
    pub chance: Chance,
    /// Number of connections.
    pub flows: usize,
}

impl ReorderingContext {
    /// A random stream of each flow for `what`.
    pub fn streams(&self, what: &str) -> impl Iterator<Item = Stream> {
        (1..=self.flows).map(move |flow| self.chance.stream(&format!("{what}/{}/{flow}", self.place)))
    }
}

#[cfg(test)]
mod tests;
