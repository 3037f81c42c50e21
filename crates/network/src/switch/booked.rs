//! A queue of packets that travel whole, for the fast driver: served in the order in which they come, so that when each will be sent is
//! known when it is let in.

use longfat_foundation::row::Row;
use longfat_foundation::units::{LineClock, Time};

use super::guarded::{Guarded, Queue};
use super::{Dropped, Port};
use crate::framing::Cell;

/// A packet that waits and is booked to be sent.
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
pub(super) struct BookedQueue {
    waiting: Row<Booked>,
    /// The packet that was sent last.
    pub latest: Option<Cell>,
}

impl BookedQueue {
    /// Packets that wait.
    #[inline]
    pub fn len(&self) -> u64 {
        self.waiting.len() as u64
    }

    /// The packet whose transmission begins next.
    #[inline]
    pub fn first(&self) -> Option<&Booked> {
        self.waiting.front()
    }

    /// Shows what waits.
    pub fn visit(&self, visit: &mut impl FnMut(Cell)) {
        self.waiting.iter().for_each(|booked| visit(booked.packet));
    }
}

/// What a port has done in some time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Begun {
    /// Transmissions that have begun, and the times it was found that nothing waits.
    pub services: u64,
    /// Bits of the packets whose transmissions have begun.
    pub bits: u64,
    /// When the line has come to rest, if it has.
    pub rests: Option<Time>,
}

impl Port {
    /// From now on tells when a packet will be sent when it is let in, where there is one queue that counts waiting packets only.
    /// Nothing waits yet.
    pub fn book_packets(&mut self) {
        if matches!(self.buffer.queue, Queue::Fifo(_)) && !self.is_slotted() && !self.counts_cell_in_service {
            self.buffer.queue = Queue::Booked(BookedQueue::default());
        }
    }

    /// Whether it does.
    #[must_use]
    pub fn books_packets(&self) -> bool {
        matches!(self.buffer.queue, Queue::Booked(_))
    }

    /// When the packet crosses the line that is to be sent next; never if none waits.
    #[must_use]
    pub fn next_crosses(&self) -> Time {
        match &self.buffer.queue {
            Queue::Booked(queue) => queue.first().map_or(Time::NEVER, |booked| booked.crosses),
            _ => Time::NEVER,
        }
    }

    /// Takes a packet that arrives at `now`, before which everything has [begun](Self::begin_before) that begins until then. Gives when
    /// its transmission begins, which is to be [booked](Self::book) then, unless it is dropped.
    #[inline]
    pub fn receive_to_book(&mut self, now: Time, packet: Cell, dropped: &mut Vec<Dropped>) -> Option<LineClock> {
        self.buffer.statistics.cells_in += 1;
        self.integrate(now);
        if !self.buffer.let_pass(packet, dropped) {
            return None;
        }
        if !self.service_is_pending {
            self.service_is_pending = true;
            self.boundary = LineClock::at(now);
        }
        Some(self.boundary)
    }

    /// Notes when a packet will be sent that was let in, and when the transmitter will be free then.
    #[inline]
    pub fn book(&mut self, booked: Booked, free: LineClock) {
        if let Queue::Booked(queue) = &mut self.buffer.queue {
            queue.waiting.push_back(booked);
            self.boundary = free;
        }
    }

    /// Lets all transmissions begin that begin before `until`, and the line rest if it does before.
    // Always: every packet passes here, from one of the two callers.
    #[inline(always)]
    pub fn begin_before(&mut self, until: Time) -> Begun {
        let mut begun = Begun::default();
        let Guarded { occupancy, queue: Queue::Booked(queue), statistics, .. } = &mut self.buffer else { return begun };
        while let Some(&Booked { begins, packet, bits, .. }) = queue.waiting.front().filter(|next| next.begins < until)
        {
            queue.waiting.take(1);
            statistics.integrate(occupancy.total(), begins);
            occupancy.remove(packet.circuit());
            queue.latest = Some(packet);
            begun.services += 1;
            begun.bits += bits;
        }
        statistics.cells_out += begun.services;
        if self.service_is_pending && self.boundary.time < until && queue.waiting.is_empty() {
            self.service_is_pending = false;
            begun.services += 1;
            begun.rests = Some(self.boundary.time);
        }
        begun
    }
}
