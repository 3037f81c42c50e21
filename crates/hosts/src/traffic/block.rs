//! The application of a block of connections that begins after another block, or stops.

use longfat_foundation::units::{Span, Time};

use super::{Completions, Datagrams, Exchange, Messages, Rounds, Source, Turn, Wake, Writes};
use crate::end_system::{End, Message};

/// An application whose clock starts at a barrier, and that hands over nothing from a time on.
pub struct Block {
    inner: Box<dyn Source>,
    /// When it stops.
    stop: Option<Time>,
    /// How much its clock is behind that of the run.
    behind: Span,
    is_stopped: bool,
}

impl Block {
    /// The application `inner` until `stop`.
    #[must_use]
    pub fn new(inner: Box<dyn Source>, stop: Option<Time>) -> Self {
        Self { inner, stop, behind: Span::ZERO, is_stopped: false }
    }

    fn to_run(&self, own: Time) -> Time {
        own.saturating_add(self.behind)
    }

    /// A time as the application's clock shows it.
    fn own(&self, now: Time) -> Time {
        Time(now.0.saturating_sub(self.behind.0))
    }
}

impl Source for Block {
    fn start(&self) -> Time {
        self.to_run(self.inner.start())
    }

    fn wake(&mut self, now: Time) -> Wake {
        if self.stop.is_some_and(|stop| now >= stop) {
            self.is_stopped = true;
            return Wake { bytes: 0, next: None };
        }
        let Wake { bytes, next } = self.inner.wake(self.own(now));
        let next = next.map(|next| self.to_run(next));
        // It has to be woken at its stop if it would go on: with data without end, with a next write or a next round.
        let goes_on = bytes == u64::MAX || next.is_some() || self.inner.rounds().is_some();
        let stop = self.stop.filter(|_| goes_on);
        Wake { bytes, next: next.into_iter().chain(stop).min() }
    }

    fn size(&self) -> Option<u64> {
        self.inner.size()
    }

    fn segments(&self, mss: u64) -> Option<u64> {
        self.inner.segments(mss)
    }

    fn writes(&self, until: Time) -> Option<Writes> {
        self.inner.writes(self.stop.map_or(until, |stop| stop.min(until)))
    }

    fn datagrams(&self) -> Option<Datagrams> {
        self.inner.datagrams()
    }

    fn rounds(&self) -> Option<Rounds> {
        self.inner.rounds()
    }

    fn turn(&self) -> Option<Turn<'_>> {
        self.inner.turn()
    }

    fn begin_later(&mut self, by: Span) {
        self.behind = by;
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    fn asks(&self) -> bool {
        self.inner.asks()
    }

    fn answer(&mut self, requested: u64) -> u64 {
        self.inner.answer(requested)
    }

    fn note_committed(&mut self, committed: u64) {
        self.inner.note_committed(committed);
    }

    fn messages(&mut self) -> Option<&mut dyn Messages> {
        if self.inner.messages().is_some() { Some(self) } else { None }
    }

    fn is_ready(&self) -> bool {
        !self.is_stopped && self.inner.is_ready()
    }

    fn is_told(&self) -> bool {
        self.inner.is_told()
    }

    fn note_delivered(&mut self, now: Time, delivered: u64) {
        self.inner.note_delivered(self.own(now), delivered);
    }

    fn connections(&self, until: Time) -> Option<Vec<Box<dyn Source>>> {
        let connections = self.inner.connections(self.stop.map_or(until, |stop| stop.min(until)))?;
        Some(connections.into_iter().map(|inner| Box::new(Self::new(inner, self.stop)) as Box<dyn Source>).collect())
    }

    fn number_of_connections(&self, until: Time) -> Option<usize> {
        self.inner.number_of_connections(self.stop.map_or(until, |stop| stop.min(until)))
    }

    fn memory_bytes(&self) -> usize {
        self.inner.memory_bytes()
    }

    fn add_completions(&self, all: &mut Completions) {
        self.inner.add_completions(all);
    }

    fn forget_completions(&mut self) {
        self.inner.forget_completions();
    }

    fn exchange(&self) -> Option<Exchange<'_>> {
        self.inner.exchange()
    }
}

impl Messages for Block {
    fn say(&mut self, from: End) -> Option<Message> {
        self.inner.messages()?.say(from)
    }

    fn hear(&mut self, now: Time, at: End, stream: u64) {
        let now = self.own(now);
        if let Some(messages) = self.inner.messages() {
            messages.hear(now, at, stream);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Span = Span(1_000_000_000_000);

    fn at(seconds: u64) -> Time {
        Time(seconds * SECOND.0)
    }

    /// Hands over 10 bytes at every second.
    struct Ticking;

    impl Source for Ticking {
        fn start(&self) -> Time {
            at(1)
        }

        fn wake(&mut self, now: Time) -> Wake {
            Wake { bytes: 10, next: Some(now + SECOND) }
        }
    }

    #[test]
    fn nothing_is_handed_over_from_the_stop_on() {
        let mut block = Block::new(Box::new(Ticking), Some(at(2) + Span(1)));
        assert_eq!(block.wake(at(1)), Wake { bytes: 10, next: Some(at(2)) });
        assert_eq!(block.wake(at(2)), Wake { bytes: 10, next: Some(at(2) + Span(1)) });
        assert!(!block.is_stopped());
        assert_eq!(block.wake(at(2) + Span(1)), Wake { bytes: 0, next: None });
        assert!(block.is_stopped());
    }

    #[test]
    fn the_clock_of_what_begins_after_a_barrier_is_behind() {
        let mut block = Block::new(Box::new(Ticking), None);
        block.begin_later(at(7) - Time::ZERO);
        assert_eq!(block.start(), at(8));
        assert_eq!(block.wake(at(8)), Wake { bytes: 10, next: Some(at(9)) });
    }
}
