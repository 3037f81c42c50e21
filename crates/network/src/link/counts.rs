//! Counts of what a line has carried, and for how long it was busy.

use longfat_foundation::units::{CELL_BITS, Time};

use super::{Cell, Line, Unit};

impl Line {
    /// Cells carried so far, counted at every hop.
    #[must_use]
    pub fn cell_hops(&self) -> u64 {
        self.cells_carried * self.hops() - self.cells_left
    }

    /// Packets carried so far, counted at every hop by their last cells.
    #[must_use]
    pub fn packet_hops(&self) -> u64 {
        self.packets_carried * self.hops() - self.packets_left
    }

    /// Bits of `cells` cells that a switch has handed over, all that it has.
    #[must_use]
    pub fn bits_of(&self, cells: u64) -> u64 {
        match self.unit {
            Unit::Cell => cells * CELL_BITS,
            Unit::Packet => self.bits_whole,
        }
    }

    /// Bits of all packets that were handed over whole.
    #[must_use]
    #[inline]
    pub fn bits_whole(&self) -> u64 {
        self.bits_whole
    }

    /// Bits of the one that was handed over latest: a cell, or a packet before which [`bits_whole`](Self::bits_whole) was `before`.
    #[must_use]
    #[inline]
    pub fn bits_since(&self, before: u64) -> u64 {
        match self.unit {
            Unit::Cell => CELL_BITS,
            Unit::Packet => self.bits_whole - before,
        }
    }

    /// Notes that a cell which has been received left at the end of the line proper, before the relay, if there is one.
    pub fn count_left_before_relay(&mut self, cell: Cell) {
        if self.is_relayed {
            self.cells_left += 1;
            self.packets_left += u64::from(cell.is_last());
        }
    }

    /// For how many seconds it has been sending, if it has sent `bits` bits.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "reports need no more than 53 bits")]
    pub fn busy_seconds(&self, bits: u64) -> f64 {
        let constant = bits as f64 / self.rate.0 as f64;
        let changing = self.changing.as_ref().filter(|_| self.granted.is_none());
        changing.map_or(constant, |changing| changing.busy().as_seconds())
    }

    /// Rate of the topology over the mean rate between `from` and `until`, if capacity is asked for on a line that changes: such a line
    /// [is busy](Self::busy_seconds) in proportion to the bits that it sends. 1 for other lines.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "reports need no more than 53 bits")]
    pub fn busy_per_share(&self, from: Time, until: Time) -> f64 {
        let changing = self.changing.as_ref().filter(|_| self.granted.is_some());
        let mean_bps = changing.map(|changing| changing.mean_rate_bps(from, until)).filter(|rate| *rate > 0.0);
        mean_bps.map_or(1.0, |mean| self.rate.0 as f64 / mean)
    }

    /// Counts bits of packets that a switch has handed over whole.
    #[inline]
    pub fn count_whole(&mut self, bits: u64) {
        self.bits_whole += bits;
    }

    /// Counts cells, and packets that they are the last cells of, which the caller has followed to the end of the line.
    #[inline]
    pub fn count_carried(&mut self, cells: u64, packets: u64) {
        self.cells_carried += cells;
        self.packets_carried += packets;
    }

    /// Takes back the counts of cells and packets that have not been carried yet.
    pub fn uncount_carried(&mut self, cells: u64, packets: u64) {
        self.cells_carried -= cells;
        self.packets_carried -= packets;
    }

    pub(super) fn hops(&self) -> u64 {
        1 + u64::from(self.is_relayed)
    }
}
