//! Packets under way on parallel lines that end at one switch, or at hosts: a queue in order of arrival.

use longfat_foundation::row::Row;
use longfat_foundation::units::{Time, TransmissionTime};
use longfat_network::framing::Cell;
use longfat_network::link::Train;

use super::order::{Moment, Tie};
use crate::simulation::network::{Latest, Links, Place};

/// A packet on a line: all its cells, or the packet as a whole.
pub(super) trait Load: Copy {
    /// Cells that have not arrived yet.
    fn cells(&self) -> u32;
    /// The packet as [`Line::trains`](longfat_network::link::Line::trains) describes it.
    fn description(&self) -> (Cell, u32, bool);
}

impl Load for Train {
    fn cells(&self) -> u32 {
        self.cells
    }

    fn description(&self) -> (Cell, u32, bool) {
        Self::description(self)
    }
}

/// A packet that travels whole.
impl Load for Cell {
    fn cells(&self) -> u32 {
        1
    }

    fn description(&self) -> (Cell, u32, bool) {
        (*self, 1, true)
    }
}

/// A packet, or the rest of one, with the arrival of its next cell.
#[derive(Clone, Copy)]
pub(super) struct Coming<L> {
    /// The arrival of its next cell.
    turn: Turn,
    pub load: L,
    line: u32,
    place: Place,
}

/// The event during which the event driver would have scheduled the arrival of a cell. The order of arrivals that were scheduled at one
/// instant is known if their causes are of one kind.
#[derive(Clone, Copy)]
enum Cause {
    /// It was sent on an idle line: first sent, first scheduled.
    Sent,
    /// The arrival of the cell before it on the line, which had this rank among the arrivals of its instant.
    Before(Place),
    /// Not known: its line became idle at that very instant, or the rank of the cell before it is not known yet.
    Unknown,
}

impl Coming<Train> {
    /// Goes on to the next cell, whose arrival is scheduled when the one before it arrives.
    pub fn follow(&mut self, cell_time: TransmissionTime) {
        self.turn.before = Latest { arrival: self.turn.time, place: self.place };
        self.load.take(cell_time);
        self.turn.time = self.load.arrival.time;
    }
}

impl<L> Coming<L> {
    /// On the line with that number, first among the arrivals of its instant.
    #[inline(always)]
    fn new(turn: Turn, number: usize, load: L) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "a scenario is refused long before it has 2^32 lines")]
        let line = number as u32;
        Self { turn, load, line, place: Place::FIRST }
    }

    /// When its next cell arrives.
    #[inline]
    pub fn time(&self) -> Time {
        self.turn.time
    }

    /// The arrival of its next cell, with the time at which the event driver would have scheduled it.
    pub fn moment(&self) -> Moment {
        Moment::new(self.turn.time, self.turn.scheduled())
    }

    /// Its line, if the event driver would have scheduled its arrival during the last arrival on that line.
    pub fn follows(&self) -> Option<usize> {
        matches!(self.turn.cause(), Cause::Before(_)).then(|| self.line())
    }

    /// The number of the line that it is on.
    #[inline]
    pub fn line(&self) -> usize {
        self.line as usize
    }
}

/// An arrival. When it would have been scheduled, and by what, is computed only where two arrivals are of one instant.
#[derive(Clone, Copy)]
struct Turn {
    time: Time,
    /// When the packet was handed to the line.
    sent: Time,
    /// The arrival before it on the line.
    before: Latest,
}

impl Turn {
    fn scheduled(&self) -> Time {
        self.before.arrival.max(self.sent)
    }

    fn cause(&self) -> Cause {
        let Latest { arrival, place } = self.before;
        if arrival > self.sent && place != Place::UNKNOWN {
            Cause::Before(place)
        } else if arrival >= self.sent && arrival > Time::ZERO {
            Cause::Unknown
        } else {
            Cause::Sent
        }
    }

    /// True if this arrival precedes `other`, which is queued already, in the order by events: by time, then by when each was scheduled.
    ///
    /// # Errors
    /// A tie, if the order in which they were scheduled cannot be computed.
    fn is_before(self, other: Self) -> Result<bool, Tie> {
        let (own, others) = ((self.time, self.scheduled()), (other.time, other.scheduled()));
        if own != others {
            return Ok(own < others);
        }
        match (self.cause(), other.cause()) {
            // The other one was sent first.
            (Cause::Sent, Cause::Sent) => Ok(false),
            (Cause::Before(own), Cause::Before(place)) => Ok(own < place),
            _ => Err(Tie(self.time)),
        }
    }
}

/// Packets under way, in order of arrival.
pub(super) struct Arrivals<L> {
    /// In the order of the arrivals of their next cells.
    coming: Row<Coming<L>>,
    /// The first arrival, and an upper bound of all.
    next_time: Time,
    latest_time: Time,
    /// The latest arrival of a packet that was not queued here (see [`send_next`](Self::send_next)).
    passed: Option<Turn>,
}

impl<L: Load> Arrivals<L> {
    /// An empty queue.
    pub fn new() -> Self {
        Self { coming: Row::default(), next_time: Time::NEVER, latest_time: Time::ZERO, passed: None }
    }

    /// Queues a packet that is handed to the line with that number; its first cell arrives at `first` and its last one at `last`.
    ///
    /// # Errors
    /// If its order with another arrival of the same instant is not known.
    // Always: every packet passes here four times.
    #[inline(always)]
    pub fn send(
        &mut self,
        now: Time,
        number: usize,
        latest: &mut Latest,
        load: L,
        first: Time,
        last: Time,
    ) -> Result<(), Tie> {
        let turn = Self::expect(now, latest, &load, first, last);
        self.enqueue(turn, number, latest, load)
    }

    /// [`send`](Self::send) for a packet that arrives before all that is sent from now on. It need not be queued if the queue is empty and
    /// nothing has arrived later. Returns whether that is so; the caller then lets it pass at once.
    ///
    /// # Errors
    /// If its order with another arrival of the same instant is not known.
    #[inline(always)]
    pub fn send_next(
        &mut self,
        now: Time,
        number: usize,
        latest: &mut Latest,
        load: L,
        first: Time,
        last: Time,
    ) -> Result<bool, Tie> {
        let turn = Self::expect(now, latest, &load, first, last);
        if self.next_time < Time::NEVER || self.latest_time >= first {
            return self.enqueue(turn, number, latest, load).map(|()| false);
        }
        self.latest_time = last;
        self.passed = Some(Turn { time: last, ..turn });
        Ok(true)
    }

    #[inline(always)]
    fn expect(now: Time, latest: &mut Latest, load: &L, first: Time, last: Time) -> Turn {
        let place = if load.cells() == 1 { Place::FIRST } else { Place::UNKNOWN };
        let before = std::mem::replace(latest, Latest { arrival: last, place });
        Turn { time: first, sent: now, before }
    }

    #[inline(always)]
    fn enqueue(&mut self, turn: Turn, number: usize, latest: &mut Latest, load: L) -> Result<(), Tie> {
        // The common case, in place: no `Coming` is built elsewhere and copied here.
        if self.latest_time < turn.time {
            self.latest_time = turn.time;
            self.next_time = self.next_time.min(turn.time);
            self.coming.push_back(Coming::new(turn, number, load));
            return Ok(());
        }
        self.insert(Coming::new(turn, number, load), latest)
    }

    /// Inserts a packet, or the rest of one, in order; `latest` is the latest arrival on its line.
    ///
    /// # Errors
    /// If the order is not known.
    #[inline(never)]
    pub fn insert(&mut self, mut coming: Coming<L>, latest: &mut Latest) -> Result<(), Tie> {
        let time = coming.time();
        // Few arrive at one instant, and only for those it matters when they were scheduled.
        let mut index = self.coming.as_slice().partition_point(|at| at.time() <= time);
        while index > 0 && coming.turn.is_before(self.coming[index - 1].turn)? {
            index -= 1;
        }
        let place_of = |neighbour: Option<&Coming<L>>| neighbour.filter(|at| at.time() == time).map(|at| at.place);
        let mut before = index.checked_sub(1).and_then(|index| place_of(self.coming.as_slice().get(index)));
        if let Some(passed) = self.passed.filter(|passed| passed.time >= time) {
            if coming.turn.is_before(passed)? {
                return Err(Tie(time));
            }
            before = before.or(Some(Place::FIRST));
        }
        coming.place = Place::between(before, place_of(self.coming.as_slice().get(index))).ok_or(Tie(time))?;
        if coming.load.cells() == 1 && latest.arrival == time {
            latest.place = coming.place;
        }
        self.next_time = self.next_time.min(time);
        self.latest_time = self.latest_time.max(time);
        self.coming.insert(index, coming);
        Ok(())
    }

    /// The next arrival; never, if the queue is empty.
    #[inline]
    pub fn next_time(&self) -> Time {
        self.next_time
    }

    /// The packet that arrives next.
    #[inline]
    pub fn first(&self) -> Option<&Coming<L>> {
        self.coming.front()
    }

    /// Takes the packet that arrives next, if it does before `horizon`. Calls `soon` for one that arrives soon, to prefetch it.
    #[inline]
    pub fn take(&mut self, horizon: Time, soon: impl FnOnce(&L)) -> Option<Coming<L>> {
        if self.next_time >= horizon {
            return None;
        }
        self.coming.ahead().map(|coming| &coming.load).map(soon);
        let coming = self.coming.pop_front();
        self.next_time = self.coming.front().map_or(Time::NEVER, Coming::time);
        coming
    }

    /// Number of packets that were handed over before `until`.
    pub fn sent_before(&self, until: Time) -> u64 {
        self.coming.iter().filter(|coming| coming.turn.sent < until).count() as u64
    }

    /// The packets as [trains](longfat_network::link::Line::trains), of each line in order.
    pub fn trains(&self) -> impl Iterator<Item = (usize, (Cell, u32, bool))> {
        self.coming.iter().map(|coming| (coming.line(), coming.load.description()))
    }

    /// [`trains`](Self::trains), of packets that were handed over before `until`.
    pub fn trains_sent_before(&self, until: Time) -> impl Iterator<Item = (usize, (Cell, u32, bool))> {
        let sent = self.coming.iter().filter(move |coming| coming.turn.sent < until);
        sent.map(|coming| (coming.line(), coming.load.description()))
    }

    /// Bytes that are allocated.
    pub fn memory_bytes(&self) -> usize {
        self.coming.memory_bytes()
    }

    /// Cells under way.
    pub fn cells_under_way(&self) -> u64 {
        self.coming.iter().map(|coming| u64::from(coming.load.cells())).sum()
    }
}

/// Lines of packets that are counted as carried when they are sent, before they arrive.
#[derive(Default)]
pub(super) struct CountedAhead {
    /// The lines of packets whose count was taken back.
    taken_back: Vec<usize>,
}

impl CountedAhead {
    /// Bytes that are allocated.
    pub fn memory_bytes(&self) -> usize {
        self.taken_back.capacity() * size_of::<usize>()
    }

    /// Takes back the counts of packets that have not arrived; those that were taken back before are counted again first.
    pub fn take_back(&mut self, arrivals: &Arrivals<Cell>, links: &mut Links) {
        self.taken_back.drain(..).for_each(|line| links[line].line.count_carried(1, 1));
        self.taken_back.extend(arrivals.coming.iter().map(Coming::line));
        self.taken_back.iter().for_each(|&line| links[line].line.uncount_carried(1, 1));
    }
}
