//! What a simulation lets others see. Observers watch and never touch.

use longfat_foundation::units::{CELL_BITS, LineClock, Span, Time, TransmissionTime};
use longfat_hosts::transport::{Acknowledgment, Segment, Sender, Window};
use longfat_network::framing::{Cell, Class, Content};
use longfat_network::switch::drop_policy::Verdict;
use longfat_network::switch::{Leaving, Port};

/// Slots of a port one after the other, in each of which it sends a cell.
#[derive(Clone, Copy, Debug)]
pub struct SlotRun {
    /// When a slot ends that is known.
    pub clock: LineClock,
    /// How long each takes.
    pub transmission: TransmissionTime,
    /// How many slots after that one the first of the run is.
    pub skipped: u64,
    /// How many there are.
    pub number: u64,
}

impl SlotRun {
    /// When the slot ends that comes after so many others of the run.
    #[must_use]
    pub fn end_of(&self, slot: u64) -> Time {
        let mut clock = self.clock;
        clock.advance_by(self.transmission, self.skipped + slot);
        clock.time
    }

    /// An instant that is not before the end of the last slot, and hardly later.
    #[must_use]
    #[inline]
    pub fn not_before_its_end(&self) -> Time {
        self.clock.time.saturating_add(Span((self.skipped + self.number) * self.transmission.at_most().0))
    }

    /// How many of its slots end before `time`.
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

/// The cells that a run of slots lets in.
#[derive(Clone, Copy, Debug)]
pub enum Arriving<'r> {
    /// In each slot one of each of these circuits: that of the cell.
    InEach(&'r [Cell]),
    /// Of one circuit so many in each slot.
    Counted(usize, &'r [u32]),
}

impl<'r> Arriving<'r> {
    /// Takes what arrives in the first slots, so many of them.
    #[expect(clippy::cast_possible_truncation, reason = "no more than there are counts of")]
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

/// Told of everything that happens; every method does nothing by default.
///
/// Flow c, from 0, carries the data of connection c. Where the receiving ends of n connections ask for what is sent, flow n + c
/// carries the requests of connection c.
pub trait Observer {
    /// Whether it is to be told of anything: what is told is looked up only then.
    fn watches(&self) -> bool {
        true
    }
    /// Whether it may be told of ports ahead of what end systems do, of each in the order of time. If so, the fast driver may be used.
    fn takes_ports_ahead(&self) -> bool {
        false
    }
    /// Whether it makes anything of [`queue_moved_by_counts`](Self::queue_moved_by_counts), for which cells are counted slot by slot.
    fn follows_queues(&self) -> bool {
        true
    }
    /// Whether it is to be told what circuits have in buffers, by [`shares_changed`](Self::shares_changed) and
    /// [`shares_moved`](Self::shares_moved).
    fn follows_circuits(&self) -> bool {
        false
    }
    /// Another in its place that has been told of nothing yet; this one will hear no more. Who takes ports ahead can do that: the
    /// fast driver may have to begin again, by events.
    fn again(&mut self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
    /// A sender hands a segment to its network interface.
    fn segment_sent(&mut self, _now: Time, _flow: usize, _segment: Segment, _window: &Window) {}
    /// A whole segment reaches its receiver, which now expects byte `next`.
    fn segment_received(&mut self, _now: Time, _flow: usize, _sequence: u64, _length: u64, _next: u64) {}
    /// A receiver hands an acknowledgment to its network interface.
    fn acknowledgment_sent(&mut self, _now: Time, _flow: usize, _acknowledgment: &Acknowledgment) {}
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
    /// A sender has acted: on an acknowledgment, a timer or its application. Its state is as it stays until it acts again.
    fn sender_acted(&mut self, _now: Time, _flow: usize, _sender: &Sender) {}
    /// A loss model loses a packet, or its first cell.
    fn packet_lost(&mut self, _now: Time, _flow: usize, _content: &Content) {}
    /// A port begins to send a cell of a class, or a packet that travels whole, of so many bits: what each class gets of the line
    /// over time.
    fn cell_served(&mut self, _now: Time, _port: usize, _class: Class, _bits: u64) {}
    /// The same in every slot of a run, where all cells are of the class UBR.
    fn cells_served(&mut self, port: usize, run: &SlotRun) {
        run.slots().for_each(|slot| self.cell_served(slot.end_of(0), port, Class::Ubr, CELL_BITS));
    }
    /// What waits at a port may have changed, and stays like this until the port is heard of again.
    fn queue_changed(&mut self, _now: Time, _port: usize, _state: &Port) {}
    /// The same, where a port is served many slots at once and all cells are of one class: so many wait.
    fn queue_moved(&mut self, _now: Time, _port: usize, _cells: u64) {}
    /// The same in every slot of a run: each lets in as many cells as are counted and sends one, and so many waited `before`.
    fn queue_moved_by_counts(&mut self, port: usize, run: &SlotRun, before: u64, counts: &[u32]) {
        let mut cells = before;
        for (slot, &count) in run.slots().zip(counts) {
            cells = cells + u64::from(count) - 1;
            self.queue_moved(slot.end_of(0), port, cells);
        }
    }
    /// The same in every slot of a run: each lets in `members` cells and sends one, and so many waited `before`.
    fn queue_moved_by_rounds(&mut self, port: usize, run: &SlotRun, before: u64, members: u64) {
        for (round, slot) in (1..).zip(run.slots()) {
            self.queue_moved(slot.end_of(0), port, before + round * members - round);
        }
    }
    /// What circuits have in a port's buffer may have changed: those named, each perhaps several times, or any.
    fn shares_changed(&mut self, _now: Time, _port: usize, _state: &Port, _circuits: Option<&[usize]>) {}
    /// The same in every slot of a run: each lets in what is `arriving` and sends a cell of what is `leaving`.
    fn shares_moved(&mut self, _port: usize, _run: &SlotRun, _arriving: Arriving<'_>, _leaving: Leaving<'_>) {}
    /// A port drops a cell of a packet that was whole until then; [`cell_dropped`](Self::cell_dropped) has told of the cell. Background
    /// belongs to no flow.
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

/// Nobody watches: costs nothing.
pub struct Unobserved;

impl Observer for Unobserved {
    fn watches(&self) -> bool {
        false
    }

    fn takes_ports_ahead(&self) -> bool {
        true
    }

    fn follows_queues(&self) -> bool {
        false
    }

    fn again(&mut self) -> Option<Self> {
        Some(Self)
    }
}
