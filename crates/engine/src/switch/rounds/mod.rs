//! Whole rounds of cells at once, for the fast driver.
//!
//! While every input brings the next cell of a packet in every slot, the buffer has room for all of them and the policy need not
//! be asked, one slot after the other is alike: a round.

mod queue;

pub use queue::RoundQueue;

use queue::Served;

use super::drop_policy::Asked;
use super::port::{Guarded, Queue};
use super::{Port, PortStatistics};
use crate::framing::Cell;
use crate::link::Outlet;
use crate::units::{LineClock, Time, TransmissionTime};

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

    /// About which cells of a circuit's current packet the policy must be asked while there is room.
    #[must_use]
    #[inline]
    pub fn asked(&self, circuit: usize) -> Asked {
        self.buffer.policy.asked(circuit)
    }

    /// How many rounds of so many cells, and no more than `most`, find room, and a cell to be sent in every slot.
    #[must_use]
    #[inline]
    pub fn rounds_with_room(&self, members: u64, most: u64) -> u64 {
        let waiting = self.buffer.queue.len();
        if members == 0 {
            return most.min(waiting);
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
    pub fn serve_rounds(
        &mut self,
        rounds: u64,
        first: &[Cell],
        cell_time: TransmissionTime,
        outlet: &mut impl Outlet,
    ) -> Time {
        let Guarded { occupancy, queue, statistics, continuity, .. } = &mut self.buffer;
        let Queue::ByRounds(queue) = queue else { return self.boundary.time };
        let (members, before) = (first.len() as u64, occupancy.total());
        statistics.integrate_rounds(before, members, rounds, self.boundary, cell_time);
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
        statistics.cells_out += rounds;
        self.serve_slots(rounds, outlet)
    }

    /// Lets in so many cells of one packet, from `first` on, one in a slot and nothing else, and serves as many slots; the last of
    /// them is `last`, if that is among them. Gives when to serve again.
    pub fn serve_part(
        &mut self,
        cells: u64,
        first: Cell,
        last: Option<Cell>,
        cell_time: TransmissionTime,
        outlet: &mut impl Outlet,
    ) -> Time {
        let Guarded { occupancy, queue, statistics, continuity, .. } = &mut self.buffer;
        let Queue::ByRounds(queue) = queue else { return self.boundary.time };
        statistics.integrate_rounds(occupancy.total(), 1, cells, self.boundary, cell_time);
        statistics.cells_in += cells;
        statistics.cells_out += cells;
        occupancy.add_several(first.circuit(), cells);
        if let Some(continuity) = continuity {
            continuity.admit(first);
            last.into_iter().for_each(|last| continuity.admit(last));
        }
        statistics.max_queue_cells = statistics.max_queue_cells.max(occupancy.total() - cells + 1);
        queue.push_part(first.circuit(), cells, last);
        self.slot += cells;
        self.serve_slots(cells, outlet)
    }

    /// Sends a cell in each of so many slots. Gives when to serve again.
    #[inline]
    fn serve_slots(&mut self, slots: u64, outlet: &mut impl Outlet) -> Time {
        let Guarded { occupancy, queue: Queue::ByRounds(queue), .. } = &mut self.buffer else { return Time::NEVER };
        let mut left = slots;
        while left > 0
            && let Some(Served { cells, last }) = queue.pop(left, occupancy)
        {
            self.boundary = outlet.send_train_at(self.boundary, cells, last);
            left -= cells;
        }
        self.boundary.time
    }

    /// Before the policy looks at circuits, their shares of the buffer must be up to date.
    #[inline]
    pub(super) fn settle_rounds(&mut self) {
        let Guarded { occupancy, queue: Queue::ByRounds(queue), policy, .. } = &mut self.buffer else { return };
        if self.slots.begins_packet() && policy.looks_at_circuits(occupancy.total() + self.slots.len()) {
            queue.settle(occupancy, &self.slots);
        }
    }

    /// Sends the cell that has waited longest. Gives when to serve again.
    #[inline]
    pub(super) fn serve_one_of_rounds(&mut self, outlet: &mut impl Outlet) -> Option<Time> {
        let Guarded { occupancy, queue: Queue::ByRounds(queue), .. } = &mut self.buffer else { return None };
        let served = queue.pop(1, occupancy);
        self.service_is_pending = served.is_some();
        let Served { cells, last } = served?;
        self.boundary = outlet.send_train_at(self.boundary, cells, last);
        self.buffer.statistics.cells_out += 1;
        Some(self.boundary.time)
    }
}

impl PortStatistics {
    /// Notes the cells in the buffer from what was noted last until the end of the last of `rounds` slots, the first of which ends
    /// at `boundary`: at its end each slot adds `members` to what was `before` and takes one away.
    fn integrate_rounds(
        &mut self,
        before: u64,
        members: u64,
        rounds: u64,
        boundary: LineClock,
        cell_time: TransmissionTime,
    ) {
        self.integrate(before, boundary.time);
        if members == 1 {
            let mut last = boundary;
            last.advance_by(cell_time, rounds - 1);
            return self.integrate(before, last.time);
        }
        let mut clock = boundary;
        let mut ends = 0_u64;
        for _ in 1..rounds {
            ends += clock.time.0 - boundary.time.0;
            clock.advance(cell_time);
        }
        // With X(n) in the buffer until the end of slot n, t(n), the sum of X(n) (t(n) - t(n - 1)) is by parts what the last has, X(m)
        // (t(m) - t(1)), less (members - 1) for every end before the last.
        let after = before + (rounds - 1) * members + 1 - rounds;
        let rectangle = u128::from(after) * u128::from(clock.time.0 - boundary.time.0);
        let slope = u128::from(ends);
        self.queue_integral += match members {
            0 => rectangle + slope,
            _ => rectangle - u128::from(members - 1) * slope,
        };
        self.queue_since = clock.time;
    }
}
