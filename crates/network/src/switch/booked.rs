//! Service in advance: packets that travel whole, first in, first out. When the transmission of each begins is known when it arrives, so
//! that a packet costs work once, at its arrival, and nothing when it is sent.

use longfat_foundation::row::Row;
use longfat_foundation::units::{LineClock, Time};

use super::buffered::Buffered;
use super::queue::{Queue, enqueue};
use super::queue_discipline::ActiveQueue;
use super::{DisciplineCounts, Dropped, Port, PortQueue, PortState};
use crate::framing::{Cell, Packets};

/// A packet that waits, with the times of its transmission.
#[derive(Clone, Copy, Debug)]
pub struct Booked {
    /// When its transmission begins.
    pub begins: Time,
    /// When it has crossed the line.
    pub crosses: Time,
    /// The packet.
    pub packet: Cell,
    /// Its bits on the line.
    pub bits: u64,
}

/// Packets whose transmissions are known and have not begun.
#[derive(Default)]
pub struct BookedQueue {
    waiting: Row<Booked>,
    /// The packet that was sent last.
    latest: Option<Cell>,
    /// The queue discipline that admits packets, if there is one, with the same packets waiting.
    discipline: Option<Box<ActiveQueue>>,
}

impl PortQueue for BookedQueue {
    #[inline]
    fn len(&self) -> u64 {
        self.waiting.len() as u64
    }

    fn visit(&self, _state: &PortState, visit: &mut dyn FnMut(Cell, u64, bool)) {
        self.waiting.iter().for_each(|booked| visit(booked.packet, 1, booked.packet.is_last()));
    }

    fn latest(&self, _state: &PortState) -> Option<Cell> {
        self.latest
    }

    fn free_at(&self, state: &PortState) -> Time {
        self.waiting.front().map_or(state.boundary.time, |next| next.begins)
    }

    fn discipline_counts(&self) -> Option<DisciplineCounts<'_>> {
        self.discipline.as_ref().map(|discipline| discipline.counts())
    }

    fn count_anew(&mut self) {
        self.discipline.iter_mut().for_each(|discipline| discipline.count_anew());
    }
}

/// Acts of a port up to some time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Begun {
    /// Transmissions that have begun, and the times the queue was found empty.
    pub services: u64,
    /// Bits of the packets whose transmissions have begun.
    pub bits: u64,
    /// When the line has become idle, if it has.
    pub rests: Option<Time>,
}

impl Port<BookedQueue> {
    /// A port that is a [plain FIFO](Port::is_plain_fifo) and admits packets as they arrive, served in advance from now on. Nothing waits
    /// yet.
    #[must_use]
    pub fn in_advance(port: Port<Queue>) -> Self {
        let discipline = if let Queue::Managed(discipline) = port.queue { Some(discipline) } else { None };
        Self { state: port.state, queue: BookedQueue { discipline, ..BookedQueue::default() } }
    }

    /// When the packet that is sent next has crossed the line; never, if none waits.
    #[must_use]
    pub fn next_crosses(&self) -> Time {
        self.queue.waiting.front().map_or(Time::NEVER, |booked| booked.crosses)
    }

    /// Takes a packet that arrives at `now`, `dropped` being empty; all transmissions that begin until then have [begun](Self::begin_before). Returns when its
    /// transmission begins, with which the caller [books](Self::book) it, unless it is dropped.
    #[inline]
    pub fn receive(
        &mut self,
        now: Time,
        packet: Cell,
        packets: &Packets,
        dropped: &mut Vec<Dropped>,
    ) -> Option<LineClock> {
        let Self { state, queue } = self;
        state.buffer.statistics.cells_in += 1;
        state.integrate(now);
        let is_admitted = match &mut queue.discipline {
            None => state.buffer.admits(packet, dropped),
            Some(discipline) => {
                enqueue(discipline, now, packet, &mut state.buffer, packets, dropped);
                dropped.is_empty()
            }
        };
        if !is_admitted {
            return None;
        }
        if !state.service_is_pending {
            state.service_is_pending = true;
            state.boundary = LineClock::at(now);
        }
        Some(state.boundary)
    }

    /// Queues a packet that was admitted; the transmitter is `free` after it.
    #[inline]
    pub fn book(&mut self, booked: Booked, free: LineClock) {
        self.queue.waiting.push_back(booked);
        self.state.boundary = free;
    }

    /// Begins all transmissions that begin before `until`, and notes when the line becomes idle if it does before.
    // Always: every packet passes here, from one of the two callers.
    #[inline(always)]
    pub fn begin_before(&mut self, until: Time) -> Begun {
        let mut begun = Begun::default();
        let Self { state, queue } = self;
        let Buffered { occupancy, statistics, .. } = &mut state.buffer;
        while let Some(&Booked { begins, packet, bits, .. }) = queue.waiting.front().filter(|next| next.begins < until)
        {
            queue.waiting.take(1);
            statistics.integrate(occupancy.total(), begins);
            occupancy.remove(packet.circuit());
            queue.latest = Some(packet);
            if let Some(discipline) = &mut queue.discipline {
                discipline.dequeue(begins, &mut Vec::new());
            }
            begun.services += 1;
            begun.bits += bits;
        }
        statistics.cells_out += begun.services;
        if state.service_is_pending && state.boundary.time < until && queue.waiting.is_empty() {
            state.service_is_pending = false;
            begun.services += 1;
            begun.rests = Some(state.boundary.time);
        }
        begun
    }
}
