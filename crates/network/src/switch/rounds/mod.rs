//! Batch service of cells, in whole rounds.
//!
//! While every input brings the next cell of a packet in every slot, the buffer has room for all of them and the drop policy need not be
//! asked, consecutive slots are alike: each admits one cell of each input, a *round*, and sends one cell. A number of such slots is then
//! served by a few additions. Which cells they are is computed when it matters: the order within a round is a function of the number of
//! its slot.

mod outlet;
mod queue;
mod stretch;

pub use outlet::TrainOutlet;
pub use queue::{Leaving, RoundQueue, WholeRounds};
pub use stretch::Stretch;

use longfat_foundation::units::{LineClock, Time, TransmissionTime};

use super::buffered::Buffered;
use super::drop_policy::Asked;
use super::queue::Queue;
use super::{Dropped, Next, Port, PortQueue, PortState, PortStatistics};
use crate::framing::Cell;

impl PortQueue for RoundQueue {
    #[inline]
    fn len(&self) -> u64 {
        self.cells()
    }

    fn visit(&self, state: &PortState, visit: &mut dyn FnMut(Cell, u64, bool)) {
        self.visit_in_order(&state.slots, visit);
    }

    fn latest(&self, state: &PortState) -> Option<Cell> {
        self.latest_in_order(&state.slots)
    }

    #[inline(never)]
    fn settle(&mut self, state: &mut PortState) {
        self.settle_shown(&mut state.buffer.occupancy, &state.slots, |_| ());
    }
}

impl Port<RoundQueue> {
    /// A port that is a [plain FIFO](Port::is_plain_fifo) and admits cells at the ends of slots, served in batches from now on. Nothing
    /// waits yet.
    #[must_use]
    pub fn in_rounds(port: Port<Queue>) -> Self {
        Self { state: port.state, queue: RoundQueue::default() }
    }

    /// Takes a cell that arrives at `now`. Returns when to [`serve`](Self::serve) the port, if no service was pending.
    #[inline(always)]
    pub fn receive(&mut self, now: Time, cell: Cell) -> Option<Time> {
        self.state.receive_in_slot(now, cell)
    }

    /// Ends a slot: admits the cells that arrived in it and sends the cell that has waited longest.
    pub fn serve(&mut self, now: Time, outlet: &mut impl TrainOutlet, dropped: &mut Vec<Dropped>) -> Next {
        self.state.integrate(now);
        self.settle_before(self.state.slots.begins_packet(), self.state.slots.len());
        if !self.state.slots.is_empty() {
            self.admit_slot(outlet, dropped);
        }
        self.state.slot += 1;
        self.send_one(outlet)
    }

    /// Admits the cells that arrived in the slot that ends.
    #[inline]
    fn admit_slot(&mut self, outlet: &mut impl TrainOutlet, dropped: &mut Vec<Dropped>) {
        let Self { state, queue } = self;
        for &cell in state.slots.close(state.slot) {
            if state.buffer.admits(cell, dropped) {
                queue.push(cell);
                if cell.is_last() {
                    outlet.note_last_at(state.boundary, queue.cells() - 1, cell);
                }
            }
        }
        state.slots.clear();
    }

    /// Sends the cell that has waited longest.
    #[inline]
    fn send_one(&mut self, outlet: &mut impl TrainOutlet) -> Next {
        let Self { state, queue } = self;
        state.service_is_pending = queue.cells() > 0;
        if !state.service_is_pending {
            return Next::Rests(None);
        }
        queue.send(1);
        state.buffer.occupancy.leave(1);
        let clock = state.boundary;
        state.boundary.advance(state.cell_time);
        outlet.send_train_at(clock, 1, state.boundary);
        state.buffer.statistics.cells_out += 1;
        Next::Sends(state.boundary.time)
    }

    /// Whether the slot that ends at [`boundary`](PortState::boundary) may be the first of a batch.
    #[must_use]
    #[inline]
    pub fn takes_rounds(&self) -> bool {
        self.state.service_is_pending && self.state.slots.is_empty()
    }

    /// True if the drop policy admits `cell` and the rest of its packet unasked while there is room, with at most `others` cells admitted
    /// before it in its slot.
    #[must_use]
    #[inline]
    pub fn lets_in(&self, cell: Cell, others: u64) -> bool {
        let Buffered { is_ever_asked, policy, occupancy, .. } = &self.state.buffer;
        if !is_ever_asked {
            return true;
        }
        match policy.asked(cell.circuit(), occupancy.total() + others) {
            Asked::Never => true,
            Asked::AtFirst => !cell.is_first(),
            Asked::Always => false,
        }
    }

    /// The number of rounds of `members` cells, at most `most`, for which there is room and in each slot of which there is a cell to send.
    #[must_use]
    #[inline]
    pub fn rounds_with_room(&self, members: u64, most: u64) -> u64 {
        if members == 0 {
            return most.min(self.queue.cells());
        }
        let occupancy = &self.state.buffer.occupancy;
        let room = occupancy.capacity().saturating_sub(occupancy.total());
        // Before round n the buffer has grown by the n - 1 before, less the cells sent in their slots.
        if room < members {
            0
        } else if most.saturating_mul(members) <= room || members == 1 {
            most
        } else {
            most.min(1 + (room - members) / (members - 1))
        }
    }

    /// Admits `rounds` rounds, each of the cells that follow `first` in their packets, and serves as many slots. Returns when to serve
    /// again.
    pub fn serve_rounds(&mut self, rounds: u64, first: &[Cell], outlet: &mut impl TrainOutlet) -> Time {
        let Self { state, queue } = self;
        let Buffered { occupancy, statistics, continuity, .. } = &mut state.buffer;
        let (members, before) = (first.len() as u64, occupancy.total());
        let free = statistics.integrate_rounds(before, members, rounds, state.boundary, state.cell_time);
        statistics.cells_in += rounds * members;
        for &cell in first {
            occupancy.add_several(cell.circuit(), rounds);
            if let Some(continuity) = continuity {
                continuity.admit(cell);
            }
        }
        if members > 0 {
            queue.push_rounds(state.slot, rounds, first);
            let most = before + (rounds - 1) * (members - 1) + members;
            statistics.max_queue_cells = statistics.max_queue_cells.max(most);
        }
        state.slot += rounds;
        self.serve_slots(rounds, free, outlet)
    }

    /// Admits these cells, one of each of several packets and some of them the last, and serves the slot in which they arrive. Returns
    /// when to serve again.
    pub fn serve_round(&mut self, cells: &mut [Cell], outlet: &mut impl TrainOutlet) -> Time {
        let Self { state, queue } = self;
        state.integrate(state.boundary.time);
        state.slots.order(state.slot, cells);
        let Buffered { occupancy, statistics, continuity, .. } = &mut state.buffer;
        for &cell in &*cells {
            occupancy.add(cell.circuit());
            if let Some(continuity) = continuity {
                continuity.admit(cell);
            }
            if cell.is_last() {
                outlet.note_last_at(state.boundary, queue.cells(), cell);
            }
            queue.push(cell);
        }
        statistics.cells_in += cells.len() as u64;
        statistics.max_queue_cells = statistics.max_queue_cells.max(occupancy.total());
        state.slot += 1;
        let free = state.boundary.after(state.cell_time);
        self.serve_slots(1, free, outlet)
    }

    /// Asks the drop policy about these cells, one of each of several packets and none of them the last, and serves the slot in which
    /// they arrive; the queue is not empty before. Returns when to serve again.
    pub fn serve_contested(
        &mut self,
        cells: &mut [Cell],
        dropped: &mut Vec<Dropped>,
        outlet: &mut impl TrainOutlet,
    ) -> Time {
        self.state.integrate(self.state.boundary.time);
        if self.state.buffer.is_ever_asked {
            self.settle_before(cells.iter().any(|cell| cell.is_first()), cells.len() as u64);
        }
        let Self { state, queue } = self;
        state.slots.order(state.slot, cells);
        state.buffer.statistics.cells_in += cells.len() as u64;
        for &cell in &*cells {
            if state.buffer.admits(cell, dropped) {
                queue.push(cell);
            }
        }
        state.slot += 1;
        let free = state.boundary.after(state.cell_time);
        self.serve_slots(1, free, outlet)
    }

    /// An empty run of slots, the first of which ends at [`boundary`](PortState::boundary).
    #[must_use]
    #[inline]
    pub fn stretch(&self) -> Stretch {
        Stretch::new(&self.state)
    }

    /// Admits `cells` cells of one packet, from `first` on, in the slots of a stretch and nothing else, and serves these slots; `last` is
    /// the last cell of the packet, if that is among them. Returns when to serve again.
    #[inline]
    pub fn serve_part(
        &mut self,
        stretch: Stretch,
        cells: u64,
        first: Cell,
        last: Option<Cell>,
        outlet: &mut impl TrainOutlet,
    ) -> Time {
        stretch.integrate(&mut self.state.buffer.statistics);
        self.let_in_part(cells, first, last, outlet);
        self.state.slot += stretch.slots();
        self.serve_slots(stretch.slots(), stretch.end(), outlet)
    }

    /// [`serve_part`](Self::serve_part) with one cell in each of `slots` slots: one arrives and one leaves, so the occupancy at the end
    /// of each slot is the same.
    #[inline]
    pub fn serve_alike(&mut self, slots: u64, first: Cell, last: Option<Cell>, outlet: &mut impl TrainOutlet) -> Time {
        let state = &mut self.state;
        let free = state.boundary.after(state.cell_time.times(slots));
        let waiting = state.buffer.occupancy.total();
        let statistics = &mut state.buffer.statistics;
        statistics.integrate(waiting, free.before(state.cell_time).time);
        statistics.max_queue_cells = statistics.max_queue_cells.max(waiting + 1);
        state.slot += slots;
        self.let_in_part(slots, first, last, outlet);
        self.serve_slots(slots, free, outlet)
    }

    /// Admits `cells` cells of one packet, from `first` on; `last` is the last of the packet, if that is among them.
    #[inline(always)]
    fn let_in_part(&mut self, cells: u64, first: Cell, last: Option<Cell>, outlet: &mut impl TrainOutlet) {
        let Self { state, queue } = self;
        let Buffered { occupancy, statistics, continuity, .. } = &mut state.buffer;
        if let Some(last) = last {
            // The queue is not empty in any slot until the cell is sent.
            outlet.note_last_at(state.boundary, queue.cells() + cells - 1, last);
        }
        statistics.cells_in += cells;
        occupancy.add_several(first.circuit(), cells);
        if let Some(continuity) = continuity {
            continuity.admit_part(first, last.is_some());
        }
        queue.push_part(first, cells, last.is_some());
    }

    /// Sends a cell in each of `slots` slots, after which the transmitter is `free`. Returns when to serve again.
    #[inline]
    fn serve_slots(&mut self, slots: u64, free: LineClock, outlet: &mut impl TrainOutlet) -> Time {
        let Self { state, queue } = self;
        let Buffered { occupancy, statistics, .. } = &mut state.buffer;
        let clock = state.boundary;
        queue.send(slots);
        occupancy.leave(slots);
        statistics.cells_out += slots;
        if outlet.follows_circuits() {
            debug_assert!(queue.is_settled(), "an observer of circuits has the queue settled after every service");
            queue.take_off(occupancy, &state.slots, |cells, leaving| outlet.note_leaving(cells, leaving));
            queue.settle_shown(occupancy, &state.slots, |cells| {
                outlet.note_leaving(cells.len() as u64, Leaving::Cells(cells));
            });
        }
        outlet.send_train_at(clock, slots, free);
        state.boundary = free;
        free.time
    }

    /// A lower bound of the time at which a cell that is admitted from now on is sent.
    #[must_use]
    pub fn end_of_queue(&self) -> Time {
        let state = &self.state;
        if !state.service_is_pending {
            return Time::ZERO;
        }
        state.boundary.after(state.cell_time.times(self.queue.cells())).time
    }

    /// Takes cells that have been sent off the queue, if they are at least `many`.
    #[inline]
    pub fn take_off_sent(&mut self, many: u64) {
        if self.queue.sent() >= many {
            self.queue.take_off(&mut self.state.buffer.occupancy, &self.state.slots, |_, _| ());
        }
    }

    /// Settles the queue before the drop policy looks at the occupancy by circuit: `cells` cells arrive, one of which begins a packet or
    /// none does.
    #[inline]
    fn settle_before(&mut self, begins_packet: bool, cells: u64) {
        let Buffered { occupancy, policy, .. } = &self.state.buffer;
        if begins_packet && policy.looks_at_circuits(occupancy.total() + cells) {
            self.settle_shares();
        }
    }
}

impl PortStatistics {
    /// Integrates the queue length over time until the end of the last of `rounds` slots, the first of which ends
    /// at `boundary`: at its end each slot adds `members`, none or several, to what was `before` and takes one away. Returns when
    /// the slot after them ends.
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
