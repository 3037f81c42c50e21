//! What is on its way over lines side by side: from end systems to a switch, or from it to them.

use std::collections::VecDeque;

use super::order::{Moment, Tie};
use crate::framing::Cell;
use crate::link::{Line, Train};
use crate::units::{Time, TransmissionTime};

/// A packet, or what is left of it.
#[derive(Clone, Copy)]
pub(super) struct Coming {
    /// When its next cell arrives.
    pub moment: Moment,
    pub line: usize,
    pub train: Train,
    cause: Cause,
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

/// A place among the cells that come at one instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place(u32);

impl Place {
    const FIRST: Self = Self(1 << 31);
    const STEP: u32 = 1 << 20;

    /// One between two others, of which there may be none.
    fn between(before: Option<Self>, behind: Option<Self>) -> Option<Self> {
        match (before, behind) {
            (None, None) => Some(Self::FIRST),
            (Some(Self(before)), None) => before.checked_add(Self::STEP).map(Self),
            (None, Some(Self(behind))) => behind.checked_sub(Self::STEP).map(Self),
            (Some(Self(before)), Some(Self(behind))) => {
                Some(before.midpoint(behind)).filter(|&place| place > before).map(Self)
            }
        }
    }
}

impl Coming {
    /// Goes on to the next cell. By events, a cell is put into the calendar when the one before it arrives.
    pub fn follow(&mut self, cell_time: TransmissionTime) {
        let before = self.moment.time;
        self.train.take(cell_time);
        self.moment = Moment::new(self.train.arrival.time, before);
        self.cause = Cause::Before(self.place);
    }

    /// Whether it comes before another, which is known by now.
    fn is_before(&self, other: &Self) -> Result<bool, Tie> {
        if self.moment != other.moment {
            return Ok(self.moment < other.moment);
        }
        match (self.cause, other.cause) {
            // The other one was sent before.
            (Cause::Sent, Cause::Sent) => Ok(false),
            (Cause::Before(own), Cause::Before(place)) => Ok(own < place),
            _ => Err(Tie(self.moment.time)),
        }
    }
}

/// What was sent last on a line.
#[derive(Clone, Copy)]
struct Latest {
    /// When the last of it arrives, and at which place, if that is known.
    arrival: Time,
    place: Option<Place>,
}

/// All that is on its way.
pub(super) struct Arrivals {
    /// In the order in which the next cells come.
    coming: VecDeque<Coming>,
    /// Of each line.
    latest: Vec<Option<Latest>>,
}

impl Arrivals {
    /// Nothing, of so many lines.
    pub fn new(lines: usize) -> Self {
        Self { coming: VecDeque::new(), latest: vec![None; lines] }
    }

    /// A packet was handed to the line with that number.
    ///
    /// # Errors
    /// If it cannot be told whether it comes before another.
    pub fn send(&mut self, now: Time, number: usize, train: Train, line: &Line) -> Result<(), Tie> {
        let (scheduled, cause) = match self.latest[number] {
            Some(Latest { arrival, place: Some(place) }) if arrival > now => (arrival, Cause::Before(place)),
            Some(Latest { arrival, .. }) if arrival >= now => (arrival, Cause::Unknown),
            _ => (now, Cause::Sent),
        };
        let mut last = train.arrival;
        if train.cells > 1 {
            last.advance(line.cell_time().times(u64::from(train.cells) - 1));
        }
        let moment = Moment::new(train.arrival.time, scheduled);
        let coming = Coming { moment, line: number, train, cause, place: Place::FIRST };
        let place = (train.cells == 1).then_some(Place::FIRST);
        self.latest[number] = Some(Latest { arrival: last.time, place });
        // Nearly always.
        if self.coming.back().is_none_or(|back| back.moment.time < moment.time) {
            self.coming.push_back(coming);
            return Ok(());
        }
        self.insert(coming)
    }

    /// Puts a packet, or what is left of it, where it belongs.
    ///
    /// # Errors
    /// If that cannot be told.
    #[inline(never)]
    pub fn insert(&mut self, mut coming: Coming) -> Result<(), Tie> {
        let time = coming.moment.time;
        let mut index = match self.coming.back() {
            Some(back) if back.moment >= coming.moment => self.coming.partition_point(|at| at.moment <= coming.moment),
            _ => self.coming.len(),
        };
        while index > 0 && coming.is_before(&self.coming[index - 1])? {
            index -= 1;
        }
        let place_of = |neighbour: Option<&Coming>| neighbour.filter(|at| at.moment.time == time).map(|at| at.place);
        let before = index.checked_sub(1).and_then(|index| place_of(self.coming.get(index)));
        coming.place = Place::between(before, place_of(self.coming.get(index))).ok_or(Tie(time))?;
        if coming.train.cells == 1
            && let Some(latest) = &mut self.latest[coming.line]
            && latest.arrival == time
        {
            latest.place = Some(coming.place);
        }
        if index == self.coming.len() {
            self.coming.push_back(coming);
        } else {
            self.coming.insert(index, coming);
        }
        Ok(())
    }

    /// The next to come.
    #[inline]
    pub fn first(&self) -> Option<&Coming> {
        self.coming.front()
    }

    /// Takes the next to come, if it comes before `horizon`.
    #[inline]
    pub fn take(&mut self, horizon: Time) -> Option<Coming> {
        if self.coming.front()?.moment.time >= horizon {
            return None;
        }
        self.coming.pop_front()
    }

    /// What is on the lines, as [`Line::trains`] gives it, of each line in order.
    pub fn trains(&self) -> impl Iterator<Item = (usize, (Cell, u32, bool))> {
        self.coming.iter().map(|coming| (coming.line, coming.train.description()))
    }

    /// Cells on the way.
    pub fn cells_under_way(&self) -> u64 {
        self.coming.iter().map(|coming| u64::from(coming.train.cells)).sum()
    }
}
