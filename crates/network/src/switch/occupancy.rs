//! The occupancy of a buffer, in all and by circuit: the accounting that every drop policy reads.

/// Cells in a buffer, in all and for each virtual circuit.
#[derive(Clone, Debug)]
pub struct Occupancy {
    capacity: u64,
    total: u64,
    of_circuit: Vec<u64>,
    active: u64,
}

impl Occupancy {
    /// An empty buffer for `capacity` cells (`None` for one without limit) shared by `circuits` circuits.
    #[must_use]
    pub fn new(capacity: Option<u64>, circuits: usize) -> Self {
        Self { capacity: capacity.unwrap_or(u64::MAX), total: 0, of_circuit: vec![0; circuits], active: 0 }
    }

    /// X: cells in the buffer.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// K: cells the buffer can hold.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Y: cells of one circuit.
    #[must_use]
    pub fn of_circuit(&self, circuit: usize) -> u64 {
        self.of_circuit[circuit]
    }

    /// N_a: circuits with at least one cell in the buffer now (`UBR+` section 6).
    #[must_use]
    pub fn active_circuits(&self) -> u64 {
        self.active
    }

    /// Whether no further cell fits.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.total >= self.capacity
    }

    /// How far a circuit exceeds its fair share X / N_a of the buffer: Y N_a / X (`UBR+` section 6); 0 when empty.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "cell counts are far below 2^53")]
    pub fn load_ratio(&self, circuit: usize) -> f64 {
        if self.total == 0 {
            return 0.0;
        }
        (self.of_circuit[circuit] * self.active) as f64 / self.total as f64
    }

    /// Counts a cell in.
    #[inline]
    pub fn add(&mut self, circuit: usize) {
        self.add_several(circuit, 1);
    }

    /// Counts a cell out.
    #[inline]
    pub fn remove(&mut self, circuit: usize) {
        self.leave(1);
        self.forget(circuit, 1);
    }

    /// Counts several cells of a circuit in.
    #[inline]
    pub fn add_several(&mut self, circuit: usize, cells: u64) {
        self.total += cells;
        self.active += u64::from(self.of_circuit[circuit] == 0);
        self.of_circuit[circuit] += cells;
    }

    /// Counts out cells whose circuits are given later, by [`forget`](Self::forget).
    #[inline]
    pub fn leave(&mut self, cells: u64) {
        self.total -= cells;
    }

    /// The circuit of cells that were counted out by [`leave`](Self::leave).
    #[inline]
    pub fn forget(&mut self, circuit: usize, cells: u64) {
        if cells > 0 {
            self.of_circuit[circuit] -= cells;
            self.active -= u64::from(self.of_circuit[circuit] == 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_ratio_is_a_circuits_cells_over_its_fair_share() {
        let mut occupancy = Occupancy::new(Some(100), 3);
        (0..6).for_each(|_| occupancy.add(0));
        (0..2).for_each(|_| occupancy.add(2));
        assert_eq!((occupancy.total(), occupancy.active_circuits()), (8, 2));
        assert_eq!(occupancy.load_ratio(0), 1.5);
        assert_eq!(occupancy.load_ratio(1), 0.0);
        occupancy.remove(2);
        occupancy.remove(2);
        assert_eq!(occupancy.active_circuits(), 1);
        assert_eq!(occupancy.load_ratio(0), 1.0);
    }
}
