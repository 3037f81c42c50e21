//! The end of a line at which packets are held up: by jitter, by a path whose delay changes, and by a reordering.

use longfat_foundation::random::{SpanDistribution, Stream};
use longfat_foundation::units::{Span, Time};
use longfat_network::framing::Cell;
use longfat_network::reordering::{Order, Reordering, WaitingRoom};
use longfat_network::topology::Graph;

use crate::scenario::{LineSettings, Scenario};

/// Packets held up at the end of a line, and for how long.
pub(super) struct HoldingEnd {
    line: usize,
    /// Index of the impaired end.
    number: usize,
    jitter: Option<(SpanDistribution, Stream)>,
    order: Order,
    /// When the latest packet is past the jitter.
    latest: Time,
    reordering: Option<Box<dyn Reordering>>,
    connections: usize,
    /// Circuits of connections; those of backgrounds follow.
    circuits: usize,
    room: WaitingRoom,
}

impl HoldingEnd {
    pub(super) fn of(line: &LineSettings, number: usize, scenario: &Scenario, graph: &Graph) -> Self {
        let jitter = line.jitter.as_ref();
        let context = scenario.reordering_context(graph, line);
        Self {
            line: line.number,
            number,
            jitter: jitter.map(|(_, spans)| ((*spans).clone(), scenario.jitter_stream(graph, line))),
            order: line.order,
            latest: Time::ZERO,
            reordering: line.reordering.as_ref().map(|reordering| reordering.model.build(&context)),
            connections: context.flows,
            circuits: graph.circuits(),
            room: WaitingRoom::default(),
        }
    }

    pub(super) fn line(&self) -> usize {
        self.line
    }

    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// Takes in a packet that has come at `now` and lacks `rest` of the line's delay; returns it if it goes on at once.
    pub(super) fn take(&mut self, now: Time, rest: Span, packet: Cell) -> Option<Cell> {
        let leaves = self.leaves(now, rest, packet);
        self.room.take(now, leaves, packet)
    }

    /// When a packet that has come at `now` leaves. Backgrounds have circuits of their own, and none of their packets is chosen.
    fn leaves(&mut self, now: Time, rest: Span, packet: Cell) -> Time {
        let jitter = self.jitter.as_mut().map_or(Span::ZERO, |(spans, stream)| spans.draw(stream));
        let mut past = now.saturating_add(rest).saturating_add(jitter);
        if self.order == Order::Fifo {
            past = past.max(self.latest);
            self.latest = past;
        }
        let reordering = self.reordering.as_mut().filter(|_| packet.circuit() < self.circuits);
        let connection = packet.circuit() / 2 % self.connections;
        past.saturating_add(reordering.map_or(Span::ZERO, |model| model.holds_next(connection)))
    }

    /// When the next packet leaves, if any is held up.
    pub(super) fn next(&self) -> Option<Time> {
        self.room.next()
    }

    /// Takes out the packet that leaves next.
    pub(super) fn release(&mut self) -> Option<Cell> {
        self.room.release()
    }

    /// Packets that are held up, each with the line.
    pub(super) fn packets(&self) -> impl Iterator<Item = (usize, Cell)> {
        self.room.packets().map(|packet| (self.line, packet))
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.room.memory_bytes()
    }
}
