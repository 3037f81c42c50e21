//! Decimation with a bounded error, as in [`deadband`](crate::deadband), of a queue length that mostly grows or shrinks at a constant rate
//! per slot.

/// A decimated number of cells over time.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    cells: i64,
    written: i64,
}

impl Level {
    /// No cells; recorded.
    pub const EMPTY: Self = Self { cells: 0, written: 0 };

    /// Number of cells.
    #[must_use]
    pub fn cells(&self) -> i64 {
        self.cells
    }

    /// Updates the number of cells; returns true if it must be recorded, because it differs from the last recorded one by more than
    /// `bound`.
    #[inline]
    pub fn moves_to(&mut self, cells: i64, bound: i64) -> bool {
        self.cells = cells;
        let moves = (cells - self.written).abs() > bound;
        if moves {
            self.written = cells;
        }
        moves
    }

    /// True if a monotonic change by `added` in total needs no record.
    #[must_use]
    #[inline]
    pub fn stays_within(&self, added: i64, bound: i64) -> bool {
        (self.cells + added - self.written).abs() <= bound
    }

    /// Adds `added` repeatedly, at most `most` times, as long as nothing must be recorded; returns the number of times.
    #[inline]
    pub fn moves_within(&mut self, added: i64, most: u64, bound: i64) -> u64 {
        let most = most.cast_signed();
        let times = if self.stays_within(added * most, bound) {
            most
        } else {
            (bound + added.signum() * (self.written - self.cells)) / added.abs()
        };
        self.cells += added * times;
        times.cast_unsigned()
    }

    /// Adds `added` in each of `slots` slots; calls `write` with each slot, from 0, at the end of which the number must be recorded, and
    /// the number.
    #[inline]
    pub fn moves_by(&mut self, added: i64, slots: i64, bound: i64, mut write: impl FnMut(i64, i64)) {
        let first = self.cells;
        self.cells += added * slots;
        while !self.stays_within(0, bound) {
            // Exceeding the bound means by at least one cell.
            let way = bound + 1 + added.signum() * (self.written - first);
            let slot = (way + added.abs() - 1) / added.abs();
            self.written = first + added * slot;
            write(slot - 1, self.written);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_once_more_than_it_can_be_is_written_down() {
        for (cells, added) in [(0, 3), (4, 3), (-5, 3), (2, -1), (-4, -7), (5, 1)] {
            let mut level = Level::EMPTY;
            assert!(!level.moves_to(cells, 5));
            let times = level.moves_within(added, 100, 5);
            assert!(times < 100 && level.stays_within(0, 5) && !level.stays_within(added, 5));
            assert_eq!(level.cells(), cells + added * times.cast_signed());
        }
    }

    #[test]
    fn many_slots_at_once_write_what_slot_after_slot_would() {
        for bound in [0, 1, 5, 12] {
            for added in [-3_i64, -1, 0, 1, 2, 14] {
                let (mut at_once, mut one_by_one) = (Level::EMPTY, Level::EMPTY);
                for slots in [1_i64, 4, 30, 7] {
                    let (mut rows, mut expected) = (Vec::new(), Vec::new());
                    at_once.moves_by(added, slots, bound, |slot, cells| rows.push((slot, cells)));
                    for slot in 0..slots {
                        let cells = one_by_one.cells() + added;
                        if one_by_one.moves_to(cells, bound) {
                            expected.push((slot, cells));
                        }
                    }
                    assert_eq!(rows, expected, "{slots} times {added}, within {bound}");
                    assert_eq!((at_once.cells, at_once.written), (one_by_one.cells, one_by_one.written));
                }
            }
        }
    }
}
