//! Cells that reach a port in the same cell slot, and who among them goes first.
//!
//! N identical sources put N cells on a switch in the same slot for ever; who is served first decides who loses. The
//! papers do not say (S-06). Here a slotted port gathers the cells of a slot and admits them at its end in the order of a
//! stated rule.

use longfat_foundation::random::Stream;

use crate::framing::{Cell, Unit};

longfat_foundation::choice! {
    /// In which order cells that arrive in one slot of the outgoing line enter its buffer (S-06).
    pub enum ArrivalOrder {
        /// `seeded-random` for cells, `first-come-first-served` for packets that travel whole.
        ByFraming = "by-framing",
        /// A new random order in every slot.
        SeededRandom = "seeded-random",
        /// The order of the circuits, beginning with another circuit in every slot.
        Rotating = "rotating",
        /// The order of the circuits, reversed in every second slot: as in a simulator whose event list puts the latest event of an instant
        /// first, so that what is processed first schedules what comes last.
        Alternating = "alternating",
        /// Always the order of the circuits.
        Fixed = "fixed",
        /// No slots: each cell enters the moment it arrives; ties are resolved in the order of scheduling.
        FirstComeFirstServed = "first-come-first-served",
        /// No slots: each cell enters the moment it arrives, and a binary heap decides which of the simultaneous events of the whole network is
        /// first. It keeps each cell under way, each port that sends, each timer and each source, compares their times with `<` alone, and so
        /// puts ties in an order that depends on all else in it. Times are whole ticks of `framing.clock`.
        Heap = "heap",
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
        !matches!(self, Self::FirstComeFirstServed | Self::Heap)
    }
}

/// The order of the cells of a slot, as a function of its number.
struct Rule {
    order: ArrivalOrder,
    circuits: usize,
    chance: Stream,
}

impl Rule {
    /// Puts the cells of slot number `slot` in the order of a rule without chance; those of one circuit keep theirs.
    #[expect(clippy::cast_possible_truncation, reason = "smaller than the number of circuits")]
    fn sort(&self, slot: u64, cells: &mut [Cell]) {
        match self.order {
            ArrivalOrder::FirstComeFirstServed | ArrivalOrder::Heap | ArrivalOrder::ByFraming => {}
            ArrivalOrder::Fixed | ArrivalOrder::SeededRandom => {
                // Nearly always, where the same packets bring a cell slot after slot.
                if !cells.is_sorted_by_key(|cell| cell.circuit()) {
                    cells.sort_by_key(|cell| cell.circuit());
                }
            }
            ArrivalOrder::Alternating => {
                cells.sort_by_key(|cell| cell.circuit());
                if slot % 2 == 1 {
                    // Those of one circuit keep their order.
                    cells.reverse();
                    cells.chunk_by_mut(|one, next| one.circuit() == next.circuit()).for_each(<[Cell]>::reverse);
                }
            }
            ArrivalOrder::Rotating => {
                let circuits = self.circuits;
                let first = (slot % circuits as u64) as usize;
                cells.sort_by_key(|cell| (cell.circuit() + circuits - first) % circuits);
            }
        }
    }

    fn is_random(&self) -> bool {
        self.order == ArrivalOrder::SeededRandom
    }

    /// A random permutation of sorted cells that depends only on the slot's number and on which circuits have cells in it
    /// (Fisher and Yates, from the end).
    fn permute(&self, slot: u64, cells: &mut [Cell]) {
        let (mut block, mut bits) = ([0; 4], 0);
        for (drawn, last) in (1..cells.len()).rev().enumerate() {
            if drawn % WORDS_OF_BLOCK == 0 {
                block = self.chance.block(slot * BLOCKS_FOR_SLOT + (drawn / WORDS_OF_BLOCK) as u64);
            }
            if drawn % 4 == 0 {
                bits = block[drawn / 4 % 4];
            }
            cells.swap(last, (usize::from(low_word(bits)) * (last + 1)) >> 16);
            bits >>= 16;
        }
    }
}

/// Blocks of the generator set aside for one slot, whatever is drawn for others: room for the orders of 65536 cells.
const BLOCKS_FOR_SLOT: u64 = 4096;
/// Each draw takes 16 bits of a block's 256.
const WORDS_OF_BLOCK: usize = 16;

#[expect(clippy::cast_possible_truncation, reason = "16 bits are wanted")]
fn low_word(bits: u64) -> u16 {
    bits as u16
}

/// The cells of the current slot, and the rule.
pub struct Slots {
    rule: Rule,
    waiting: Vec<Cell>,
    /// The cells of a slot by their circuits, and how many of each have found their place; kept for their memory.
    sorted: Vec<Cell>,
    placed: Vec<u32>,
}

impl Slots {
    /// An empty slot of a port that `circuits` circuits share.
    #[must_use]
    pub fn new(order: ArrivalOrder, circuits: usize, chance: Stream) -> Self {
        Self {
            rule: Rule { order, circuits, chance },
            waiting: Vec::new(),
            sorted: Vec::new(),
            placed: vec![0; circuits],
        }
    }

    /// Adds a cell to the current slot.
    #[inline]
    pub fn push(&mut self, cell: Cell) {
        self.waiting.push(cell);
    }

    /// The cells of the current slot, in order of arrival.
    #[must_use]
    pub fn waiting(&self) -> &[Cell] {
        &self.waiting
    }

    /// Cells in the current slot.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.waiting.len() as u64
    }

    /// Whether no cell has arrived in the current slot.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether the first cell of a packet has arrived in the current slot.
    #[must_use]
    pub fn begins_packet(&self) -> bool {
        self.waiting.iter().any(|cell| cell.is_first())
    }

    /// Closes slot number `slot`: its cells in the order in which they are admitted.
    ///
    /// Cells of one circuit always keep their order.
    pub fn close(&mut self, slot: u64) -> &[Cell] {
        if !self.is_of_one_circuit() {
            self.rule.sort(slot, &mut self.waiting);
            if self.rule.is_random() {
                self.shuffle(slot);
            }
        }
        &self.waiting
    }

    fn is_of_one_circuit(&self) -> bool {
        self.waiting.windows(2).all(|pair| pair[0].circuit() == pair[1].circuit())
    }

    fn shuffle(&mut self, slot: u64) {
        if self.waiting.windows(2).all(|pair| pair[0].circuit() != pair[1].circuit()) {
            return self.rule.permute(slot, &mut self.waiting);
        }
        // A faster input has brought several cells of one circuit: permute their places, then fill them in order.
        self.sorted.clone_from(&self.waiting);
        self.rule.permute(slot, &mut self.waiting);
        for place in &mut self.waiting {
            let circuit = place.circuit();
            let first = self.sorted.partition_point(|cell| cell.circuit() < circuit);
            *place = self.sorted[first + self.placed[circuit] as usize];
            self.placed[circuit] += 1;
        }
        self.sorted.iter().for_each(|cell| self.placed[cell.circuit()] = 0);
    }

    /// Puts the cells of slot number `slot`, one of each circuit, in the order in which they are admitted.
    pub fn order(&self, slot: u64, cells: &mut [Cell]) {
        self.rule.sort(slot, cells);
        if self.rule.is_random() {
            self.rule.permute(slot, cells);
        }
    }

    /// Forgets the cells of the slot that was closed.
    #[inline]
    pub fn clear(&mut self) {
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use longfat_foundation::random::Chance;

    use super::*;
    use crate::framing::PacketId;

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
        assert_eq!(order(ArrivalOrder::Alternating, 4, &[6, 0, 4, 2]), [0, 2, 4, 6]);
        assert_eq!(order(ArrivalOrder::Alternating, 3, &[6, 0, 4, 2]), [6, 4, 2, 0]);
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
        let rules =
            [ArrivalOrder::SeededRandom, ArrivalOrder::Alternating, ArrivalOrder::Rotating, ArrivalOrder::Fixed];
        for (slot, rule) in (0..200).zip(rules.into_iter().cycle()) {
            let chance = Chance { seed: 1, replication: 0 }.stream("test");
            let mut slots = Slots::new(rule, 4, chance);
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
