//! The interface through which traces and tests watch a run. Observers cannot change it.

use longfat_foundation::units::{CELL_BITS, LineClock, Span, Time, TransmissionTime};
use longfat_hosts::end_system::{Direction, Vitals};
use longfat_hosts::quic::{Kind, Packet};
use longfat_hosts::transport::{Acknowledgment, Segment, Sender, SenderStatistics, Window};
use longfat_network::capacity::Award;
use longfat_network::framing::{Cell, Class, Content};
use longfat_network::switch::drop_policy::Verdict;
use longfat_network::switch::{Leaving, PortState};

/// Consecutive slots of a port, in each of which it sends a cell.
#[derive(Clone, Copy, Debug)]
pub struct SlotRun {
    /// The end of some slot.
    pub clock: LineClock,
    /// Length of a slot.
    pub transmission: TransmissionTime,
    /// Slots from that one to the first of the run.
    pub skipped: u64,
    /// Number of slots.
    pub number: u64,
}

impl SlotRun {
    /// The end of slot number `slot` of the run, counted from 0.
    #[must_use]
    pub fn end_of(&self, slot: u64) -> Time {
        let mut clock = self.clock;
        clock.advance_by(self.transmission, self.skipped + slot);
        clock.time
    }

    /// An upper bound of the end of the last slot, at most a picosecond a slot too late.
    #[must_use]
    #[inline]
    pub fn not_before_its_end(&self) -> Time {
        self.clock.time.saturating_add(Span((self.skipped + self.number) * self.transmission.at_most().0))
    }

    /// The number of its slots that end before `time` (bisection).
    #[must_use]
    pub fn number_before(&self, time: Time) -> u64 {
        let (mut before, mut not_before) = (0, self.number);
        while before < not_before {
            let slot = before.midpoint(not_before);
            if self.end_of(slot) < time { before = slot + 1 } else { not_before = slot }
        }
        before
    }

    /// The slots one by one.
    pub fn slots(&self) -> impl Iterator<Item = Self> {
        (0..self.number).map(|slot| Self { skipped: self.skipped + slot, number: 1, ..*self })
    }
}

/// The cells admitted during a run of slots.
#[derive(Clone, Copy, Debug)]
pub enum Arriving<'r> {
    /// In each slot one cell of the circuit of each of these cells.
    InEach(&'r [Cell]),
    /// Cells of one circuit, with the number of them in each slot.
    Counted(usize, &'r [u32]),
}

impl<'r> Arriving<'r> {
    /// Splits off the arrivals of the first `slots` slots.
    #[expect(clippy::cast_possible_truncation, reason = "at most the length of the slice")]
    pub(crate) fn take_slots(&mut self, slots: u64) -> Self {
        match self {
            Self::InEach(_) => *self,
            Self::Counted(circuit, cells) => {
                let (first, others): (&'r [u32], &'r [u32]) = cells.split_at(slots as usize);
                let taken = Self::Counted(*circuit, first);
                *cells = others;
                taken
            }
        }
    }
}

/// Which callbacks of an [`Observer`] do anything. Arguments that cost time are computed only for callbacks of interest, and the order
/// in which callbacks must come decides which driver may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interests {
    /// Any callback at all.
    pub anything: bool,
    /// One order of time for all callbacks. Without it the callbacks of each port and those of the end systems are each in order of time,
    /// but a port may be ahead of the end systems, as it is under conservative lookahead.
    pub one_order: bool,
    /// The queue length after every slot ([`queue_moved_by_counts`](Observer::queue_moved_by_counts)), for which arrivals are counted
    /// slot by slot.
    pub queue_lengths: bool,
    /// The occupancy of the buffer by circuit ([`shares_changed`](Observer::shares_changed), [`shares_moved`](Observer::shares_moved)).
    pub shares: bool,
}

impl Interests {
    /// No callback.
    pub const NONE: Self = Self { anything: false, one_order: false, queue_lengths: false, shares: false };
    /// All callbacks, in one order of time.
    pub const ALL: Self = Self { anything: true, one_order: true, queue_lengths: true, shares: true };
}

/// Callbacks for every act of a simulation; each does nothing by default.
///
/// Flow c, from 0, carries the data of connection c. Where the receiving ends of n connections ask for what is sent, flow n + c
/// carries the requests of connection c. Numbers of backgrounds are behind those of all flows.
pub trait Observer {
    /// The callbacks that do anything; constant during a run.
    fn interests(&self) -> Interests {
        Interests::ALL
    }
    /// An observer in the initial state, which takes the place of this one when a run with lookahead starts again, event by event.
    /// Required of observers that do without [`one_order`](Interests::one_order).
    fn again(&mut self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
    /// Bytes that it has allocated for what it has observed, nearly: they count as memory of the run.
    fn memory_bytes(&self) -> usize {
        0
    }
    /// A sender hands a segment to its network interface.
    fn segment_sent(&mut self, _now: Time, _flow: usize, _segment: Segment, _window: &Window) {}
    /// A whole segment reaches its receiver, which now expects byte `next`.
    fn segment_received(&mut self, _now: Time, _flow: usize, _sequence: u64, _length: u64, _next: u64) {}
    /// A receiver hands an acknowledgment to its network interface.
    fn acknowledgment_sent(&mut self, _now: Time, _flow: usize, _acknowledgment: &Acknowledgment) {}
    /// An acknowledgment with this window field reaches a sender, where proxies advertise windows that change; it is then
    /// [received](Self::acknowledgment_received).
    fn window_advertised(&mut self, _flow: usize, _field: u16) {}
    /// An acknowledgment reaches a sender, before it acts on it.
    fn acknowledgment_received(
        &mut self,
        _now: Time,
        _flow: usize,
        _acknowledgment: &Acknowledgment,
        _window: &Window,
    ) {
    }
    /// A retransmission timer expires; the window is as it was before.
    fn timed_out(&mut self, _now: Time, _flow: usize, _window: &Window) {}
    /// A synchronizing segment reaches the receiver, which answers it.
    fn synchronize_received(&mut self, _now: Time, _flow: usize) {}
    /// The answer to it reaches the sender: the connection is open.
    fn synchronized(&mut self, _now: Time, _flow: usize) {}
    /// A sender has acted on an acknowledgment, a timer or its application. Its state stays as it is until it acts again.
    fn sender_acted(&mut self, _now: Time, _flow: usize, _sender: &Sender) {}
    /// A connection over UDP hands a datagram to its network interface.
    fn datagram_sent(&mut self, _now: Time, _connection: usize, _sequence: u64, _length: u64) {}
    /// A datagram reaches the far end, `delay` after it was sent.
    fn datagram_received(&mut self, _now: Time, _connection: usize, _sequence: u64, _length: u64, _delay: Span) {}
    /// A datagram reaches the sending end: of plain UDP the answer to a datagram, which was sent `round_trip` before.
    fn answer_received(
        &mut self,
        _now: Time,
        _connection: usize,
        _sequence: u64,
        _length: u64,
        _round_trip: Option<Span>,
    ) {
    }
    /// The sending end of a stack has acted. What it knows and has counted stays as it is until it acts again.
    fn stack_acted(&mut self, _now: Time, _connection: usize, _vitals: &Vitals, _counted: &SenderStatistics) {}
    /// A QUIC packet of `size` bytes leaves the sending end of a connection, or reaches it.
    fn quic_packet(&mut self, _now: Time, _connection: usize, _direction: Direction, _packet: &Packet, _size: u64) {}
    /// The sending end of a QUIC connection takes a packet for lost.
    fn quic_packet_lost(&mut self, _now: Time, _connection: usize, _kind: Kind, _number: u64) {}
    /// A loss model or a path loses a packet, or its first cell.
    fn packet_lost(&mut self, _now: Time, _flow: usize, _content: &Content) {}
    /// A port begins to send a cell of a class, or a packet that travels whole, of `bits` bits.
    fn cell_served(&mut self, _now: Time, _port: usize, _class: Class, _bits: u64) {}
    /// [`cell_served`](Self::cell_served) for every slot of a run, where all cells are of the class UBR.
    fn cells_served(&mut self, port: usize, run: &SlotRun) {
        run.slots().for_each(|slot| self.cell_served(slot.end_of(0), port, Class::Ubr, CELL_BITS));
    }
    /// A frame begins in which a port that asks for capacity has so much, in bits per second.
    fn granted(&mut self, _now: Time, _port: usize, _award: &Award) {}
    /// The queue of a port may have changed, and stays as it is until the next callback for the port.
    fn queue_changed(&mut self, _now: Time, _port: usize, _state: &PortState) {}
    /// The queue of a port that is served in batches has `cells` cells, all of one class.
    fn queue_moved(&mut self, _now: Time, _port: usize, _cells: u64) {}
    /// [`queue_moved`](Self::queue_moved) for every slot of a run: slot n admits `counts[n]` cells and sends one; `before` cells waited
    /// before the first.
    fn queue_moved_by_counts(&mut self, port: usize, run: &SlotRun, before: u64, counts: &[u32]) {
        let mut cells = before;
        for (slot, &count) in run.slots().zip(counts) {
            cells = cells + u64::from(count) - 1;
            self.queue_moved(slot.end_of(0), port, cells);
        }
    }
    /// [`queue_moved`](Self::queue_moved) for every slot of a run: each admits `members` cells and sends one; `before` cells waited
    /// before the first.
    fn queue_moved_by_rounds(&mut self, port: usize, run: &SlotRun, before: u64, members: u64) {
        for (round, slot) in (1..).zip(run.slots()) {
            self.queue_moved(slot.end_of(0), port, before + round * members - round);
        }
    }
    /// The occupancy of a port's buffer may have changed for these circuits, which may contain duplicates; for any if `None`.
    fn shares_changed(&mut self, _now: Time, _port: usize, _state: &PortState, _circuits: Option<&[usize]>) {}
    /// The occupancies over a run of slots, each of which admits what is `arriving` and sends a cell of what is `leaving`.
    fn shares_moved(&mut self, _port: usize, _run: &SlotRun, _arriving: Arriving<'_>, _leaving: Leaving<'_>) {}
    /// A port drops a cell of a packet that was whole until then, after [`cell_dropped`](Self::cell_dropped) for the cell.
    fn packet_dropped(
        &mut self,
        _now: Time,
        _port: usize,
        _flow: usize,
        _cell: Cell,
        _content: &Content,
        _reason: Verdict,
    ) {
    }
    /// A port drops a cell.
    fn cell_dropped(&mut self, _now: Time, _port: usize, _cell: Cell, _reason: Verdict) {}
}

/// The null observer: its callbacks compile to nothing.
pub struct Unobserved;

impl Observer for Unobserved {
    #[inline(always)]
    fn interests(&self) -> Interests {
        Interests::NONE
    }

    fn again(&mut self) -> Option<Self> {
        Some(Self)
    }
}
