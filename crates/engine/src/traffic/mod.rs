//! What the applications have to send, and when.
//!
//! To add a source: a file here with a [`model!`](crate::model), a `mod` line and a line in [`SOURCES`].

mod finite;
mod infinite;
mod messages;

use crate::random::{RandomSpan, Stream};
use crate::registry::{Entry, Family};
use crate::units::{Span, Time};

/// Every registered source.
pub const SOURCES: &[Entry<dyn Source>] =
    &[Entry::of::<infinite::Infinite>(), Entry::of::<finite::Finite>(), Entry::of::<messages::Messages>()];

/// What a source does when it wakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wake {
    /// Bytes it hands to its TCP; `u64::MAX` for data without end.
    pub bytes: u64,
    /// When it wakes again, if it does.
    pub next: Option<Time>,
}

/// The application of one connection.
pub trait Source: Send {
    /// When it first wakes.
    fn start(&self) -> Time;
    /// It is time.
    fn wake(&mut self, now: Time) -> Wake;
    /// All bytes that it will ever hand over; `None` without end.
    fn size(&self) -> Option<u64> {
        None
    }
    /// Segments that all its data makes, if that is certain: bytes that come one after another may share a segment.
    fn segments(&self, _mss: u64) -> Option<u64> {
        None
    }
}

/// What a source knows of its connection.
pub struct SourceContext {
    /// The connection's own chance.
    pub chance: Stream,
    /// Its number, from 0.
    pub number: u64,
}

impl SourceContext {
    /// When the connection starts: a time drawn for it, and its place in the row.
    #[must_use]
    pub fn start(&self, start: &RandomSpan, stagger: Span) -> Time {
        start.sample(&mut self.chance.clone()) + Span(stagger.0.saturating_mul(self.number))
    }
}

impl Family for dyn Source {
    const KIND: &'static str = "traffic source";
    type Context = SourceContext;
    fn models() -> &'static [Entry<Self>] {
        SOURCES
    }
}
