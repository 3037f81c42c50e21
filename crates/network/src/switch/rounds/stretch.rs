//! A run of slots in which cells of one packet arrive at a rate of their own.

use longfat_foundation::units::{LineClock, Time, TransmissionTime};

use crate::switch::{PortState, PortStatistics};

/// Consecutive slots of a port, at the end of each of which cells are admitted and one is sent, with what they add to the statistics.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// End of the next slot.
    boundary: LineClock,
    /// Length of a slot.
    cell_time: TransmissionTime,
    slots: u64,
    /// Cells in the buffer, and the most it can hold.
    waiting: u64,
    capacity: u64,
    /// The peak of the cells in the buffer, and their integral over time until `since` in cell-picoseconds.
    most: u64,
    integral: u128,
    since: Time,
}

impl Stretch {
    /// Of no slots.
    #[inline]
    pub(super) fn new(state: &PortState) -> Self {
        let (occupancy, statistics) = (state.occupancy(), state.statistics());
        Self {
            boundary: state.boundary,
            cell_time: state.cell_time,
            slots: 0,
            waiting: occupancy.total(),
            capacity: occupancy.capacity(),
            most: statistics.max_queue_cells,
            integral: statistics.queue_integral,
            since: statistics.queue_since,
        }
    }

    /// When the next slot ends.
    #[must_use]
    #[inline]
    pub fn boundary(&self) -> Time {
        self.boundary.time
    }

    /// When the transmitter is free after the slots.
    #[inline]
    pub(super) fn end(&self) -> LineClock {
        self.boundary
    }

    /// Cells in the buffer after the slots.
    #[must_use]
    #[inline]
    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    /// Number of slots.
    #[must_use]
    #[inline]
    pub fn slots(&self) -> u64 {
        self.slots
    }

    /// Adds a slot at the end of which `cells` cells are admitted, unless there is no room for them or nothing to send. Returns whether
    /// the slot was added.
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

    /// Enters the slots into the statistics of the port.
    #[inline]
    pub(super) fn integrate(&self, statistics: &mut PortStatistics) {
        statistics.max_queue_cells = self.most;
        (statistics.queue_integral, statistics.queue_since) = (self.integral, self.since);
    }
}
