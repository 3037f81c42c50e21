//! Traffic sources: the data that applications hand to TCP, or send as datagrams, and when.
//!
//! To add a source: a file here with a [`model!`](longfat_foundation::model), a `mod` line and a line in [`SOURCES`].

mod block;
mod closed_loop;
mod completions;
mod datagrams;
mod finite;
mod flows;
mod http;
mod infinite;
mod messages;
mod on_off;
mod rounds;
pub mod size;
mod www;

pub use block::Block;
pub use completions::{Completions, Kind};
pub use datagrams::Datagrams;

use longfat_foundation::random::{RandomSpan, Stream};
use longfat_foundation::registry::{Entry, Family};
use longfat_foundation::units::{Span, Time};

use crate::end_system::{End, Message};

/// Every registered traffic source.
pub const SOURCES: &[Entry<dyn Source>] = &[
    Entry::of::<infinite::Infinite>(),
    Entry::of::<finite::Finite>(),
    Entry::of::<messages::Messages>(),
    Entry::of::<on_off::OnOff>(),
    Entry::of::<rounds::SynchronizedRounds>(),
    Entry::of::<flows::Flows>(),
    Entry::of::<closed_loop::ClosedLoop>(),
    Entry::of::<www::Www>(),
    Entry::of::<http::Http>(),
    Entry::of::<datagrams::ConstantRate>(),
    Entry::of::<datagrams::Voip>(),
    Entry::of::<datagrams::Video>(),
    Entry::of::<datagrams::Probe>(),
];

/// The effect of a wake-up of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wake {
    /// Bytes handed to the transport: by TCP they are added to the data, `u64::MAX` for unlimited data; by UDP they are sent as a datagram.
    pub bytes: u64,
    /// Time of the next wake-up, if any.
    pub next: Option<Time>,
}

/// Writes of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writes {
    /// How many.
    pub number: u64,
    /// Bytes of each.
    pub bytes: u64,
    /// Time from one to the next.
    pub interval: Span,
}

/// A sender's part in synchronized rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// Bytes of each round.
    pub bytes: u64,
    /// How many rounds; `None` if there is no end of them.
    pub count: Option<u64>,
    /// Time from the end of a round to the next.
    pub pause: Span,
}

/// A connection's place in a closed loop of its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn<'a> {
    /// Which turn of its sender, from 0. It begins when all connections of the turn before have delivered their data.
    pub number: u64,
    /// True if a page begins with the connection.
    pub opens: bool,
    /// True if a page ends with its turn.
    pub closes: bool,
    /// Time since it was asked for when it begins.
    pub request: Span,
    /// Name of the pages.
    pub name: &'a str,
}

impl Writes {
    /// Writes of `bytes` bytes from `start` on, at most one every `interval`, before `until`.
    fn regular(start: Time, until: Time, bytes: u64, interval: Span) -> Self {
        let number = if until > start { (until - start).0.div_ceil(interval.0) } else { 0 };
        Self { number, bytes, interval }
    }
}

/// The application of one connection, or of the connections of one sender.
pub trait Source: Send {
    /// Time of the first wake-up.
    fn start(&self) -> Time;
    /// Handles the wake-up that is due at `now`.
    fn wake(&mut self, now: Time) -> Wake;
    /// Total bytes that it will ever hand over; `None` if unlimited.
    fn size(&self) -> Option<u64> {
        None
    }
    /// Number of segments that carry all its data, if certain: consecutive writes may share a segment.
    fn segments(&self, _mss: u64) -> Option<u64> {
        None
    }
    /// Number and size of the writes before `until`, if it writes bytes at regular times; the most there can be, if it pauses.
    fn writes(&self, _until: Time) -> Option<Writes> {
        None
    }
    /// Its part in the synchronized rounds of all with the same traffic. It is woken again when all have delivered a round.
    fn rounds(&self) -> Option<Rounds> {
        None
    }
    /// Its place in a closed loop of its sender.
    fn turn(&self) -> Option<Turn<'_>> {
        None
    }
    /// True if what it does next depends on what others have delivered.
    fn waits_for_others(&self) -> bool {
        self.rounds().is_some() || self.turn().is_some()
    }
    /// Delays all that it has not done by `by`: a barrier before it was passed at that time.
    fn begin_later(&mut self, _by: Span) {}
    /// True if it was woken to stop. Data without end then ends with what was sent; other data that was handed over is still sent.
    fn is_stopped(&self) -> bool {
        false
    }
    /// Datagrams that it sends: its connection then uses UDP. `None` if it uses TCP.
    fn datagrams(&self) -> Option<Datagrams> {
        None
    }
    /// True if the receiving end requests the data. A wake-up then hands over requests: data of the receiving end's TCP, in the reverse
    /// direction of the connection.
    fn asks(&self) -> bool {
        false
    }
    /// Records that `requested` bytes of requests, in total, have reached the other end in order. Returns the bytes of the responses sent
    /// now.
    fn answer(&mut self, _requested: u64) -> u64 {
        0
    }
    /// Records that the end that answers can put no data before the first `committed` bytes of its stream any more. Told before
    /// [`answer`](Self::answer).
    fn note_committed(&mut self, _committed: u64) {}
    /// Its messages, if each may have a stream of its own. Where the transport has streams, they take the place of the bytes of
    /// [`wake`](Self::wake), [`answer`](Self::answer) and [`note_delivered`](Self::note_delivered).
    fn messages(&mut self) -> Option<&mut dyn Messages> {
        None
    }
    /// True if what was delivered makes it wake at once.
    fn is_ready(&self) -> bool {
        false
    }
    /// True if the source needs [`note_delivered`](Self::note_delivered).
    fn is_told(&self) -> bool {
        self.asks()
    }
    /// Records that `delivered` bytes of its data, in total, have been delivered to the receiving application in order.
    fn note_delivered(&mut self, _now: Time, _delivered: u64) {}
    /// One source per flow, if each flow has a connection of its own: those that begin before `until`, at least the first.
    fn connections(&self, _until: Time) -> Option<Vec<Box<dyn Source>>> {
        None
    }
    /// Number of sources that [`connections`](Self::connections) returns.
    fn number_of_connections(&self, until: Time) -> Option<usize> {
        self.connections(until).map(|connections| connections.len())
    }
    /// Bytes that are allocated for what was begun and is not delivered.
    fn memory_bytes(&self) -> usize {
        0
    }
    /// Adds its completion times, if it measures any.
    fn add_completions(&self, all: &mut Completions) {
        self.exchange().iter().flat_map(|exchange| exchange.kinds).for_each(|kind| all.add(kind));
    }
    /// Starts the measurement: requests that have arrived by now no longer count.
    fn forget_completions(&mut self) {}
    /// Requests so far and their responses; `None` for sources without requests.
    fn exchange(&self) -> Option<Exchange<'_>> {
        None
    }
}

/// Messages of a source, each on a stream of its own.
pub trait Messages {
    /// The next message that an end sends.
    fn say(&mut self, from: End) -> Option<Message>;
    /// A message has arrived whole at an end.
    fn hear(&mut self, now: Time, at: End, stream: u64);
}

/// Requests of one end of a connection, and the responses to them.
#[derive(Clone, Debug)]
pub struct Exchange<'a> {
    /// Requests made.
    pub made: u64,
    /// Requests that have reached the other end.
    pub answered: u64,
    /// Size of a request in bytes.
    pub request_bytes: u64,
    /// Total size of the requested files in bytes.
    pub bytes_asked: u64,
    /// Files delivered completely.
    pub files_delivered: u64,
    /// Bytes that the other end has sent in response.
    pub bytes_answered: u64,
    /// Requests by class, with their completion times.
    pub kinds: &'a [Kind],
    /// True if requests arrive one behind the other, in one stream of bytes.
    pub is_in_order: bool,
}

/// Context in which a source is built: its sender and the run.
pub struct SourceContext {
    /// Random stream of the sender.
    pub chance: Stream,
    /// Index of the sender, from 0.
    pub number: u64,
    /// Additional start offset of the sender's group.
    pub later: Span,
    /// End of the run.
    pub until: Time,
    /// Number of senders.
    pub senders: u64,
}

impl SourceContext {
    /// Start time of the sender: a draw from `start`, its index times `stagger`, and the offset of its group.
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
