//! Cells that reach a port in the same cell slot, and who among them goes first.
//!
//! N identical sources put N cells on a switch in the same slot for ever; who is served first decides who loses. The
//! papers do not say (S-06). Here a slotted port gathers the cells of a slot and admits them at its end in the order of a
//! stated rule.

use crate::framing::{Cell, Unit};
use crate::random::Stream;

crate::choice! {
    /// In which order cells that arrive in one slot of the outgoing line enter its buffer (S-06).
    pub enum ArrivalOrder {
        /// `seeded-random` for cells, `first-come-first-served` for packets that travel whole.
        ByFraming = "by-framing",
        /// In a new random order in every slot.
        SeededRandom = "seeded-random",
        /// In the order of their circuits, beginning with another circuit in every slot.
        Rotating = "rotating",
        /// In the order of their circuits, always the same.
        Fixed = "fixed",
        /// Not slotted: each cell enters the moment it arrives, ties in the order of scheduling.
        FirstComeFirstServed = "first-come-first-served",
    }
}

impl ArrivalOrder {
    /// The rule for a framing with that unit.
    #[must_use]
    pub fn settled(self, unit: Unit) -> Self {
        match (self, unit) {
            (Self::ByFraming, Unit::Cell) => Self::SeededRandom,
            (Self::ByFraming, Unit::Packet) => Self::FirstComeFirstServed,
            (other, _) => other,
        }
    }

    /// Whether cells wait for the end of the slot in which they arrive.
    ///
    /// # Panics
    /// If the rule still depends on the framing.
    #[must_use]
    pub fn is_slotted(self) -> bool {
        assert!(self != Self::ByFraming, "a checked scenario has its order settled");
        self != Self::FirstComeFirstServed
    }
}

/// The cells of the current slot, and the rule.
pub struct Slots {
    order: ArrivalOrder,
    circuits: usize,
    chance: Stream,
    waiting: Vec<Cell>,
}

impl Slots {
    /// An empty slot of a port that `circuits` circuits share.
    #[must_use]
    pub fn new(order: ArrivalOrder, circuits: usize, chance: Stream) -> Self {
        Self { order, circuits, chance, waiting: Vec::new() }
    }

    /// Adds a cell to the current slot.
    #[inline]
    pub fn push(&mut self, cell: Cell) {
        self.waiting.push(cell);
    }

    /// Cells in the current slot.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.waiting.len() as u64
    }

    /// Whether no cell has come in the current slot.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether the first cell of a packet has come in the current slot.
    #[must_use]
    pub fn begins_packet(&self) -> bool {
        self.waiting.iter().any(|cell| cell.is_first())
    }

    /// Closes slot number `slot`: its cells in the order in which they are admitted.
    ///
    /// Cells of one circuit always keep their order.
    pub fn close(&mut self, slot: u64) -> &[Cell] {
        if self.waiting.len() > 1 {
            let cells = std::mem::take(&mut self.waiting);
            self.waiting = self.order(slot, cells);
        }
        &self.waiting
    }

    /// The cells of slot number `slot` in the order in which they are admitted.
    #[must_use]
    pub fn order(&self, slot: u64, mut cells: Vec<Cell>) -> Vec<Cell> {
        match self.order {
            ArrivalOrder::FirstComeFirstServed | ArrivalOrder::ByFraming => cells,
            ArrivalOrder::Fixed => {
                cells.sort_by_key(|cell| cell.circuit());
                cells
            }
            ArrivalOrder::Rotating => self.rotate(slot, cells),
            ArrivalOrder::SeededRandom => self.shuffle(slot, cells),
        }
    }

    /// Forgets the cells of the slot that was closed.
    #[inline]
    pub fn clear(&mut self) {
        self.waiting.clear();
    }

    #[expect(clippy::cast_possible_truncation, reason = "smaller than the number of circuits")]
    fn rotate(&self, slot: u64, mut cells: Vec<Cell>) -> Vec<Cell> {
        let first = (slot % self.circuits as u64) as usize;
        let circuits = self.circuits;
        cells.sort_by_key(|cell| (cell.circuit() + circuits - first) % circuits);
        cells
    }

    /// A random permutation that depends only on the slot's number and on which circuits have cells in it.
    fn shuffle(&self, slot: u64, mut cells: Vec<Cell>) -> Vec<Cell> {
        cells.sort_by_key(|cell| cell.circuit());
        let words = random_words(&self.chance, slot);
        if cells.windows(2).all(|pair| pair[0].circuit() != pair[1].circuit()) {
            permute(&mut cells, words);
            return cells;
        }
        // A faster input has brought several cells of one circuit: permute the places, then fill them in order.
        let mut places: Vec<usize> = cells.iter().map(|cell| cell.circuit()).collect();
        permute(&mut places, words);
        let mut taken = vec![0; self.circuits];
        let place = |circuit: usize| {
            let begin = cells.partition_point(|cell| cell.circuit() < circuit);
            taken[circuit] += 1;
            cells[begin + taken[circuit] - 1]
        };
        places.into_iter().map(place).collect()
    }
}

/// Blocks of the generator set aside for one slot: room for the orders of 65536 cells.
const BLOCKS_FOR_SLOT: u64 = 4096;

/// The random numbers that belong to a slot, whatever was drawn for others.
#[expect(clippy::cast_possible_truncation, reason = "16 bits at a time")]
fn random_words(chance: &Stream, slot: u64) -> impl Iterator<Item = u16> {
    (slot * BLOCKS_FOR_SLOT..).flat_map(|index| {
        let block = chance.block(index);
        (0..16).map(move |word| (block[word / 4] >> (16 * (word % 4))) as u16)
    })
}

/// Fisher and Yates, from the end.
fn permute<T>(items: &mut [T], words: impl Iterator<Item = u16>) {
    for (last, word) in (1..items.len()).rev().zip(words) {
        items.swap(last, (usize::from(word) * (last + 1)) >> 16);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::framing::PacketId;
    use crate::random::Chance;

    fn order(rule: ArrivalOrder, slot: u64, circuits: &[u32]) -> Vec<usize> {
        let chance = Chance { seed: 1, replication: 0 }.stream("test");
        let mut slots = Slots::new(rule, 8, chance);
        for (index, &circuit) in circuits.iter().enumerate() {
            slots.push(Cell::new(PacketId(u32::try_from(index).unwrap()), circuit, false, false));
        }
        slots.close(slot).iter().map(|cell| cell.circuit()).collect()
    }

    #[test]
    fn rules_order_the_cells_of_a_slot() {
        assert_eq!(order(ArrivalOrder::FirstComeFirstServed, 3, &[6, 0, 4, 2]), [6, 0, 4, 2]);
        assert_eq!(order(ArrivalOrder::Fixed, 3, &[6, 0, 4, 2]), [0, 2, 4, 6]);
        assert_eq!(order(ArrivalOrder::Rotating, 3, &[6, 0, 4, 2]), [4, 6, 0, 2]);
        assert_eq!(order(ArrivalOrder::Rotating, 8, &[6, 0, 4, 2]), [0, 2, 4, 6]);
    }

    #[test]
    fn every_random_order_is_as_likely_as_any_other() {
        let mut counts = std::collections::BTreeMap::new();
        for slot in 0..24_000 {
            *counts.entry(order(ArrivalOrder::SeededRandom, slot, &[0, 2, 4, 6])).or_insert(0_u32) += 1;
        }
        assert_eq!(counts.len(), 24);
        // Each of 24 orders is expected 1000 times, standard deviation 31; chi-square with 23 degrees of freedom.
        let chi_square: f64 = counts.values().map(|&n| (f64::from(n) - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi_square < 49.7, "{chi_square} would be exceeded once in a thousand times");
    }

    #[test]
    fn a_random_order_depends_on_the_slot_but_not_on_who_arrived_first() {
        for slot in 0..100 {
            let once = order(ArrivalOrder::SeededRandom, slot, &[0, 2, 4, 6]);
            assert_eq!(once, order(ArrivalOrder::SeededRandom, slot, &[6, 2, 0, 4]));
        }
    }

    #[test]
    fn cells_of_one_circuit_keep_their_order() {
        for slot in 0..200 {
            let chance = Chance { seed: 1, replication: 0 }.stream("test");
            let mut slots = Slots::new(ArrivalOrder::SeededRandom, 4, chance);
            for (index, circuit) in [2, 0, 2, 3, 2, 0].into_iter().enumerate() {
                slots.push(Cell::new(PacketId(u32::try_from(index).unwrap()), circuit, false, false));
            }
            let cells = slots.close(slot).to_vec();
            assert_eq!(cells.len(), 6);
            for circuit in [0, 2, 3] {
                let own: Vec<_> = cells.iter().filter(|c| c.circuit() == circuit).map(|c| c.packet.0).collect();
                assert!(own.is_sorted(), "slot {slot}: {own:?}");
            }
        }
    }
}
