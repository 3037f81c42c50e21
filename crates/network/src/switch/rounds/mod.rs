//! Whole rounds of cells at once, for the fast driver.
//!
//! While every input brings the next cell of a packet in every slot, the buffer has room for all of them and the policy need not
//! be asked, one slot after the other is alike: a round.

mod queue;

pub use queue::{Leaving, RoundQueue, WholeRounds};

use longfat_foundation::units::{LineClock, Time, TransmissionTime};

use super::drop_policy::Asked;
use super::guarded::{Guarded, Queue};
use super::{Dropped, Next, Port, PortStatistics};
use crate::framing::Cell;
use crate::switch::Outlet;

impl Port {
    /// Whether the slot that comes to its end at [`boundary`](Self::boundary) may be the first of whole rounds.
    #[must_use]
    #[inline]
    pub fn takes_rounds(&self) -> bool {
        self.service_is_pending && self.slots.is_empty() && matches!(self.buffer.queue, Queue::ByRounds(_))
    }

    /// When the next cell may be sent; meaningful while one is being sent.
    #[must_use]
    #[inline]
    pub fn boundary(&self) -> LineClock {
        self.boundary
    }

    /// Whether the policy lets in a cell and those that follow it in its packet while there is room, `others` being let in before it in
    /// its slot at most.
    #[must_use]
    #[inline]
    pub fn lets_in(&self, cell: Cell, others: u64) -> bool {
        if !self.buffer.is_ever_asked {
            return true;
        }
        match self.buffer.policy.asked(cell.circuit(), self.buffer.occupancy.total() + others) {
            Asked::Never => true,
            Asked::AtFirst => !cell.is_first(),
            Asked::Always => false,
        }
    }

    /// How many rounds of so many cells, and no more than `most`, find room, and a cell to be sent in every slot.
    #[must_use]
    #[inline]
    pub fn rounds_with_room(&self, members: u64, most: u64) -> u64 {
        if members == 0 {
            return most.min(self.buffer.queue.len());
        }
        let room = self.buffer.occupancy.capacity().saturating_sub(self.buffer.occupancy.total());
        // Before round n the buffer has grown by the n - 1 before, less what was sent in their slots.
        if room < members {
            0
        } else if most.saturating_mul(members) <= room || members == 1 {
            most
        } else {
            most.min(1 + (room - members) / (members - 1))
        }
    }

    /// Lets in so many rounds, each of the cells that follow `first` in their packets, and serves as many slots. Gives when to
    /// serve again.
    pub fn serve_rounds(&mut self, rounds: u64, first: &[Cell], outlet: &mut impl Outlet) -> Time {
        let Guarded { occupancy, queue, statistics, continuity, .. } = &mut self.buffer;
        let Queue::ByRounds(queue) = queue else { return self.boundary.time };
        let (members, before) = (first.len() as u64, occupancy.total());
        let free = statistics.integrate_rounds(before, members, rounds, self.boundary, self.cell_time);
        statistics.cells_in += rounds * members;
        for &cell in first {
            occupancy.add_several(cell.circuit(), rounds);
            if let Some(continuity) = continuity {
                continuity.admit(cell);
            }
        }
        if members > 0 {
            queue.push_rounds(self.slot, rounds, first);
            let most = before + (rounds - 1) * (members - 1) + members;
            statistics.max_queue_cells = statistics.max_queue_cells.max(most);
        }
        self.slot += rounds;
        self.serve_slots(rounds, free, outlet)
    }

    /// Lets in these cells, one of each of several packets and some of them the last, and serves the slot in which they come. Gives
    /// when to serve again.
    pub fn serve_round(&mut self, cells: &mut [Cell], outlet: &mut impl Outlet) -> Time {
        self.integrate(self.boundary.time);
        self.slots.order(self.slot, cells);
        let Guarded { occupancy, queue, statistics, continuity, .. } = &mut self.buffer;
        let Queue::ByRounds(queue) = queue else { return self.boundary.time };
        for &cell in &*cells {
            occupancy.add(cell.circuit());
            if let Some(continuity) = continuity {
                continuity.admit(cell);
            }
            if cell.is_last() {
                outlet.note_last_at(self.boundary, queue.len(), cell);
            }
            queue.push(cell);
        }
        statistics.cells_in += cells.len() as u64;
        statistics.max_queue_cells = statistics.max_queue_cells.max(occupancy.total());
        self.slot += 1;
        self.serve_slots(1, self.boundary.after(self.cell_time), outlet)
    }

    /// Takes these cells, one of each of several packets and none of them the last, and serves the slot in which they come, something
    /// waiting before: the policy decides. Gives when to serve again.
    pub fn serve_contested(
        &mut self,
        cells: &mut [Cell],
        dropped: &mut Vec<Dropped>,
        outlet: &mut impl Outlet,
    ) -> Time {
        self.integrate(self.boundary.time);
        if self.buffer.is_ever_asked {
            self.settle_before(cells.iter().any(|cell| cell.is_first()), cells.len() as u64);
        }
        self.slots.order(self.slot, cells);
        self.buffer.statistics.cells_in += cells.len() as u64;
        for &cell in &*cells {
            self.buffer.admit(cell, dropped);
        }
        self.slot += 1;
        self.serve_slots(1, self.boundary.after(self.cell_time), outlet)
    }

    /// Slots to come, in each of which a cell will be sent.
    #[must_use]
    #[inline]
    pub fn stretch(&self) -> Stretch {
        let Guarded { occupancy, statistics, .. } = &self.buffer;
        Stretch {
            boundary: self.boundary,
            cell_time: self.cell_time,
            slots: 0,
            waiting: occupancy.total(),
            capacity: occupancy.capacity(),
            most: statistics.max_queue_cells,
            integral: statistics.queue_integral,
            since: statistics.queue_since,
        }
    }

    /// Lets in so many cells of one packet, from `first` on, in the slots of a stretch and nothing else, and serves these slots; the
    /// last of the packet is `last`, if that is among them. Gives when to serve again.
    #[inline]
    pub fn serve_part(
        &mut self,
        stretch: Stretch,
        cells: u64,
        first: Cell,
        last: Option<Cell>,
        outlet: &mut impl Outlet,
    ) -> Time {
        let Stretch { boundary, slots, most, integral, since, .. } = stretch;
        let statistics = &mut self.buffer.statistics;
        (statistics.max_queue_cells, statistics.queue_integral, statistics.queue_since) = (most, integral, since);
        self.let_in_part(cells, first, last, outlet);
        self.slot += slots;
        self.serve_slots(slots, boundary, outlet)
    }

    /// The same with one cell in each of so many slots: one comes and one goes, so that as many wait at the end of each as before.
    #[inline]
    pub fn serve_alike(&mut self, slots: u64, first: Cell, last: Option<Cell>, outlet: &mut impl Outlet) -> Time {
        let free = self.boundary.after(self.cell_time.times(slots));
        let waiting = self.buffer.occupancy.total();
        let statistics = &mut self.buffer.statistics;
        statistics.integrate(waiting, free.before(self.cell_time).time);
        statistics.max_queue_cells = statistics.max_queue_cells.max(waiting + 1);
        self.let_in_part(slots, first, last, outlet);
        self.slot += slots;
        self.serve_slots(slots, free, outlet)
    }

    /// Lets in so many cells of one packet, from `first` on; the last of the packet is `last`, if that is among them.
    #[inline(always)]
    fn let_in_part(&mut self, cells: u64, first: Cell, last: Option<Cell>, outlet: &mut impl Outlet) {
        let Guarded { occupancy, queue: Queue::ByRounds(queue), statistics, continuity, .. } = &mut self.buffer else {
            return;
        };
        if let Some(last) = last {
            // There is a cell for every slot until it is sent itself.
            outlet.note_last_at(self.boundary, queue.len() + cells - 1, last);
        }
        statistics.cells_in += cells;
        occupancy.add_several(first.circuit(), cells);
        if let Some(continuity) = continuity {
            continuity.admit_part(first, last.is_some());
        }
        queue.push_part(first, cells, last.is_some());
    }

    /// Sends a cell in each of so many slots, the last of which ends at `free`. Gives when to serve again.
    #[inline]
    fn serve_slots(&mut self, slots: u64, free: LineClock, outlet: &mut impl Outlet) -> Time {
        let Guarded { occupancy, queue: Queue::ByRounds(queue), statistics, .. } = &mut self.buffer else {
            return Time::NEVER;
        };
        let clock = self.boundary;
        queue.send(slots);
        occupancy.leave(slots);
        statistics.cells_out += slots;
        if outlet.follows_circuits() {
            debug_assert!(queue.is_settled(), "who is shown the cells that leave has the queue settled");
            queue.take_off(occupancy, &self.slots, |cells, leaving| outlet.note_leaving(cells, leaving));
            queue
                .settle(occupancy, &self.slots, |cells| outlet.note_leaving(cells.len() as u64, Leaving::Cells(cells)));
        }
        outlet.send_train_at(clock, slots, free);
        self.boundary = free;
        free.time
    }

    /// When what is let in from now on is sent at the earliest, as far as that is known.
    #[must_use]
    pub fn end_of_queue(&self) -> Time {
        match &self.buffer.queue {
            Queue::ByRounds(queue) if self.service_is_pending => {
                self.boundary.after(self.cell_time.times(queue.len())).time
            }
            _ => Time::ZERO,
        }
    }

    /// Takes off the cells that have been sent by rounds, if those are `many`.
    #[inline]
    pub fn take_off_sent(&mut self, many: u64) {
        if let Guarded { occupancy, queue: Queue::ByRounds(queue), .. } = &mut self.buffer
            && queue.sent() >= many
        {
            queue.take_off(occupancy, &self.slots, |_, _| ());
        }
    }

    /// So many cells come, of which one begins a packet or none does: before the policy looks at circuits, their shares of the buffer
    /// must be up to date.
    #[inline]
    pub(super) fn settle_before(&mut self, begins_packet: bool, cells: u64) {
        let Guarded { occupancy, queue: Queue::ByRounds(_), policy, .. } = &self.buffer else { return };
        if begins_packet && policy.looks_at_circuits(occupancy.total() + cells) {
            self.settle_rounds();
        }
    }

    /// Brings the circuits' shares of the buffer up to date, which an observer is to see.
    #[inline]
    pub fn settle_shares(&mut self) {
        if matches!(self.buffer.queue, Queue::ByRounds(_)) {
            self.settle_rounds();
        }
    }

    #[inline(never)]
    fn settle_rounds(&mut self) {
        if let Guarded { occupancy, queue: Queue::ByRounds(queue), .. } = &mut self.buffer {
            queue.settle(occupancy, &self.slots, |_| ());
        }
    }

    /// Sends the cell that has waited longest.
    #[inline]
    pub(super) fn serve_one_of_rounds(&mut self, outlet: &mut impl Outlet) -> Next {
        let Guarded { occupancy, queue: Queue::ByRounds(queue), .. } = &mut self.buffer else {
            return Next::Rests(None);
        };
        self.service_is_pending = queue.len() > 0;
        if !self.service_is_pending {
            return Next::Rests(None);
        }
        queue.send(1);
        occupancy.leave(1);
        let clock = self.boundary;
        self.boundary.advance(self.cell_time);
        outlet.send_train_at(clock, 1, self.boundary);
        self.buffer.statistics.cells_out += 1;
        Next::Sends(self.boundary.time)
    }
}

/// Slots one after the other, at the end of each of which cells are let in and one is sent.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// When the next slot ends, and how long each is.
    boundary: LineClock,
    cell_time: TransmissionTime,
    slots: u64,
    /// Cells in the buffer and how many it can hold, the most that there were, and what they add up to over time.
    waiting: u64,
    capacity: u64,
    most: u64,
    integral: u128,
    since: Time,
}

impl Stretch {
    /// When the next slot ends.
    #[must_use]
    #[inline]
    pub fn boundary(&self) -> Time {
        self.boundary.time
    }

    /// Cells in the buffer when they are over.
    #[must_use]
    #[inline]
    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    /// How many slots there are.
    #[must_use]
    #[inline]
    pub fn slots(&self) -> u64 {
        self.slots
    }

    /// Adds a slot at the end of which so many cells are let in, unless there is no room for them or nothing to be sent; tells
    /// whether it did.
    #[inline]
    pub fn add(&mut self, cells: u64) -> bool {
        let waiting = self.waiting + cells;
        if waiting > self.capacity || waiting == 0 {
            return false;
        }
        self.integral += u128::from(self.waiting) * u128::from((self.boundary.time - self.since).0);
        self.since = self.boundary.time;
        self.most = self.most.max(waiting);
        self.waiting = waiting - 1;
        self.boundary.advance(self.cell_time);
        self.slots += 1;
        true
    }
}

impl PortStatistics {
    /// Notes the cells in the buffer from what was noted last until the end of the last of `rounds` slots, the first of which ends
    /// at `boundary`: at its end each slot adds `members`, none or several, to what was `before` and takes one away. Gives when the
    /// slot after them ends.
    fn integrate_rounds(
        &mut self,
        before: u64,
        members: u64,
        rounds: u64,
        boundary: LineClock,
        cell_time: TransmissionTime,
    ) -> LineClock {
        self.integrate(before, boundary.time);
        let clock = boundary.after(cell_time.times(rounds - 1));
        // With X(n) in the buffer until the end of slot n, t(n), the sum of X(n) (t(n) - t(n - 1)) is by parts what the last has, X(m)
        // (t(m) - t(1)), less (members - 1) for every end before the last.
        let after = before + (rounds - 1) * members + 1 - rounds;
        let rectangle = u128::from(after) * u128::from(clock.time.0 - boundary.time.0);
        let slope = u128::from(boundary.picoseconds_to_beginnings(cell_time, rounds - 1));
        self.queue_integral += match members {
            0 => rectangle + slope,
            _ => rectangle - u128::from(members - 1) * slope,
        };
        self.queue_since = clock.time;
        clock.after(cell_time)
    }
}
