//! What the applications have to send, and when.
//!
//! To add a source: a file here with a [`model!`](longfat_foundation::model), a `mod` line and a line in [`SOURCES`].

mod completions;
mod finite;
mod flows;
mod infinite;
mod messages;
mod on_off;
pub mod size;
mod www;

pub use completions::{Completions, Kind};

use longfat_foundation::random::{RandomSpan, Stream};
use longfat_foundation::registry::{Entry, Family};
use longfat_foundation::units::{Span, Time};

/// Every registered source.
pub const SOURCES: &[Entry<dyn Source>] = &[
    Entry::of::<infinite::Infinite>(),
    Entry::of::<finite::Finite>(),
    Entry::of::<messages::Messages>(),
    Entry::of::<on_off::OnOff>(),
    Entry::of::<flows::Flows>(),
    Entry::of::<www::Www>(),
];

/// What a source does when it wakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wake {
    /// Bytes it hands to its TCP; `u64::MAX` for data without end.
    pub bytes: u64,
    /// When it wakes again, if it does.
    pub next: Option<Time>,
}

/// The application of one connection, or of the connections of one sender.
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
    /// Whether the receiving end asks for what is sent. Then what a wake hands over are requests: data of the receiving end's
    /// TCP, on its way against the connection's own.
    fn asks(&self) -> bool {
        false
    }
    /// In all so many bytes of requests have reached the other end, in order; gives the bytes that it answers with now.
    fn answer(&mut self, _requested: u64) -> u64 {
        0
    }
    /// Whether it wants to know what has been delivered.
    fn is_told(&self) -> bool {
        self.asks()
    }
    /// In all so many bytes of its data have been delivered to the receiving application, in order.
    fn note_delivered(&mut self, _now: Time, _delivered: u64) {}
    /// If each of its flows has a connection of its own: the sources of those that begin before `until`, and at least of the first.
    fn connections(&self, _until: Time) -> Option<Vec<Box<dyn Source>>> {
        None
    }
    /// How many connections that makes.
    fn number_of_connections(&self, until: Time) -> Option<usize> {
        self.connections(until).map(|connections| connections.len())
    }
    /// Adds how long what it sends took to arrive, if it can tell.
    fn add_completions(&self, all: &mut Completions) {
        self.exchange().iter().flat_map(|exchange| exchange.kinds).for_each(|kind| all.add(kind));
    }
    /// From now on what has arrived counts as if it had never been asked for: only how long takes what arrives later is told.
    fn forget_completions(&mut self) {}
    /// What was asked for and what came of it so far; `None` if nobody asks.
    fn exchange(&self) -> Option<Exchange<'_>> {
        None
    }
}

/// What one end of a connection has asked for, and what came of it.
#[derive(Clone, Debug)]
pub struct Exchange<'a> {
    /// Requests made.
    pub made: u64,
    /// Requests that have reached the other end.
    pub answered: u64,
    /// Bytes of each request.
    pub request_bytes: u64,
    /// Bytes asked for.
    pub bytes_asked: u64,
    /// Files that have arrived whole.
    pub files_delivered: u64,
    /// Bytes that the other end has answered with.
    pub bytes_answered: u64,
    /// What was asked for by kind, with how long it took.
    pub kinds: &'a [Kind],
}

/// What a source knows of its sender.
pub struct SourceContext {
    /// The sender's own chance.
    pub chance: Stream,
    /// Its number, from 0.
    pub number: u64,
    /// How much later it starts than the source says.
    pub later: Span,
    /// The end of the run.
    pub until: Time,
    /// How many senders there are.
    pub senders: u64,
}

impl SourceContext {
    /// When the connection starts: a time drawn for it, its place in the row, and what is said of its group.
    #[must_use]
    pub fn start(&self, start: &RandomSpan, stagger: Span) -> Time {
        start.sample(&mut self.chance.clone()) + Span(stagger.0.saturating_mul(self.number)) + self.later
    }
}

impl Family for dyn Source {
    const KIND: &'static str = "traffic source";
    type Context = SourceContext;
    fn models() -> &'static [Entry<Self>] {
        SOURCES
    }
}
