//! What is on its way over lines side by side: from end systems to a switch, or from it to them.

use longfat_foundation::row::Row;
use longfat_foundation::units::{Time, TransmissionTime};
use longfat_network::framing::Cell;
use longfat_network::link::Train;

use super::order::{Moment, Tie};
use crate::simulation::network::{Latest, Links, Place};

/// What a line carries of a packet: all its cells, or all of it in one piece.
pub(super) trait Load: Copy {
    /// Cells that have not arrived.
    fn cells(&self) -> u32;
    /// As [`Line::trains`](longfat_network::link::Line::trains) gives it.
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

/// A packet, or what is left of it.
#[derive(Clone, Copy)]
pub(super) struct Coming<L> {
    /// When its next cell arrives.
    turn: Turn,
    pub load: L,
    line: u32,
    place: Place,
}

/// What puts the arrival of a cell into the calendar, by events. Of those put there at one instant by causes of the same kind the
/// order is known.
#[derive(Clone, Copy)]
enum Cause {
    /// It was sent on an idle line: what is sent first is first.
    Sent,
    /// The arrival of the cell before it on the line, which had that place among all that came at that instant.
    Before(Place),
    /// Its line became idle at the very instant, or the place of the cell before it is not known yet.
    Unknown,
}

impl Coming<Train> {
    /// Goes on to the next cell. By events, a cell is put into the calendar when the one before it arrives.
    pub fn follow(&mut self, cell_time: TransmissionTime) {
        self.turn.before = Latest { arrival: self.turn.time, place: self.place };
        self.load.take(cell_time);
        self.turn.time = self.load.arrival.time;
    }
}

impl<L> Coming<L> {
    /// On the line with that number, and the first of all that come at its instant.
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

    /// The same, and when that was put into the calendar.
    pub fn moment(&self) -> Moment {
        Moment::new(self.turn.time, self.turn.scheduled())
    }

    /// The line whose last arrival put its own into the calendar, if that is what did.
    pub fn follows(&self) -> Option<usize> {
        matches!(self.turn.cause(), Cause::Before(_)).then(|| self.line())
    }

    /// The number of the line that it is on.
    #[inline]
    pub fn line(&self) -> usize {
        self.line as usize
    }
}

/// When something comes, and what tells when that was put into the calendar, and by what: that is asked of few.
#[derive(Clone, Copy)]
struct Turn {
    time: Time,
    /// When it was handed to the line.
    sent: Time,
    /// What was before it on the line.
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

    /// Whether it comes before another, which is known by now.
    fn is_before(self, other: Self) -> Result<bool, Tie> {
        let (own, others) = ((self.time, self.scheduled()), (other.time, other.scheduled()));
        if own != others {
            return Ok(own < others);
        }
        match (self.cause(), other.cause()) {
            // The other one was sent before.
            (Cause::Sent, Cause::Sent) => Ok(false),
            (Cause::Before(own), Cause::Before(place)) => Ok(own < place),
            _ => Err(Tie(self.time)),
        }
    }
}

/// All that is on its way.
pub(super) struct Arrivals<L> {
    /// In the order in which the next cells come.
    coming: Row<Coming<L>>,
    /// When the first of it comes, and nothing that comes comes later than the latest.
    next_time: Time,
    latest_time: Time,
    /// The turn of what was last of all that did not have to wait here for it.
    passed: Option<Turn>,
}

impl<L: Load> Arrivals<L> {
    /// Nothing.
    pub fn new() -> Self {
        Self { coming: Row::default(), next_time: Time::NEVER, latest_time: Time::ZERO, passed: None }
    }

    /// A packet was handed to the line with that number, whose first cell arrives at `first` and whose last one at `last`.
    ///
    /// # Errors
    /// If it cannot be told whether it comes before another.
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

    /// The same, but for what arrives from `first` to `last` before whatever else is sent from now on: it need not wait for its turn if
    /// nothing else does and nothing has arrived later. Tells whether that is so.
    ///
    /// # Errors
    /// If it cannot be told whether it comes before another.
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
        // Nearly always; and nothing is made elsewhere to be copied here.
        if self.latest_time < turn.time {
            self.latest_time = turn.time;
            self.next_time = self.next_time.min(turn.time);
            self.coming.push_back(Coming::new(turn, number, load));
            return Ok(());
        }
        self.insert(Coming::new(turn, number, load), latest)
    }

    /// Puts a packet, or what is left of it, where it belongs; `latest` is what was sent last on its line.
    ///
    /// # Errors
    /// If that cannot be told.
    #[inline(never)]
    pub fn insert(&mut self, mut coming: Coming<L>, latest: &mut Latest) -> Result<(), Tie> {
        let time = coming.time();
        // Few come at one instant, and only of those it matters when they were put into the calendar.
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

    /// When the next comes; never, if nothing does.
    #[inline]
    pub fn next_time(&self) -> Time {
        self.next_time
    }

    /// The next to come.
    #[inline]
    pub fn first(&self) -> Option<&Coming<L>> {
        self.coming.front()
    }

    /// Takes the next to come, if it comes before `horizon`, and tells of one that comes soon.
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

    /// How much of what is on its way was handed over before `until`.
    pub fn sent_before(&self, until: Time) -> u64 {
        self.coming.iter().filter(|coming| coming.turn.sent < until).count() as u64
    }

    /// Cells in flight on each line, in the order of lines, as trains ([`Line::trains`](longfat_network::link::Line::trains)).
    pub fn trains(&self) -> impl Iterator<Item = (usize, (Cell, u32, bool))> {
        self.coming.iter().map(|coming| (coming.line(), coming.load.description()))
    }

    /// The same for what was handed over before `until`.
    pub fn trains_sent_before(&self, until: Time) -> impl Iterator<Item = (usize, (Cell, u32, bool))> {
        let sent = self.coming.iter().filter(move |coming| coming.turn.sent < until);
        sent.map(|coming| (coming.line(), coming.load.description()))
    }

    /// Cells on the way.
    pub fn cells_under_way(&self) -> u64 {
        self.coming.iter().map(|coming| u64::from(coming.load.cells())).sum()
    }
}

/// Packets that are counted as carried when they are sent.
#[derive(Default)]
pub(super) struct CountedAhead {
    /// The lines of those that were taken back.
    taken_back: Vec<usize>,
}

impl CountedAhead {
    /// Takes back what has not arrived; what was taken back before is as if it had just been sent.
    pub fn take_back(&mut self, arrivals: &Arrivals<Cell>, links: &mut Links) {
        self.taken_back.drain(..).for_each(|line| links[line].line.count_carried(1, 1));
        self.taken_back.extend(arrivals.coming.iter().map(Coming::line));
        self.taken_back.iter().for_each(|&line| links[line].line.uncount_carried(1, 1));
    }
}
