//! A buffer on a bench: feeds packets to a policy and writes down what became of each cell.

use std::collections::VecDeque;
use std::ops::Range;

use longfat_foundation::config::{Parameter, Reader, parse_fragment};
use longfat_foundation::random::Chance;
use longfat_foundation::registry::Chosen;

use super::{Asked, DropPolicy, Occupancy, Verdict};
use crate::framing::{Cell, PacketId, Unit};
use crate::switch::BufferContext;

/// One letter a cell: `a`ccepted, `o`verflow, `x` refused at the first cell, `r`emainder of a damaged packet.
pub(super) struct Bench {
    policy: Box<dyn DropPolicy>,
    occupancy: Occupancy,
    queue: VecDeque<usize>,
}

impl Bench {
    pub(super) fn new(name: &str, capacity: u64, circuits: usize) -> Self {
        Self::with(&format!("\"{name}\""), capacity, circuits)
    }

    pub(super) fn with(policy: &str, capacity: u64, circuits: usize) -> Self {
        Self::build(policy, capacity, circuits, None)
    }

    /// With a circuit for each weight.
    pub(super) fn with_weights(policy: &str, capacity: u64, weights: &[u64]) -> Self {
        Self::build(policy, capacity, weights.len(), Some(weights.to_vec()))
    }

    fn build(policy: &str, capacity: u64, circuits: usize, weights: Option<Vec<u64>>) -> Self {
        let mut reader = Reader::default();
        let chosen = Chosen::<dyn DropPolicy>::read(&parse_fragment(policy), &mut reader);
        let chance = Chance { seed: 1, replication: 0 }.stream("policy");
        let context = BufferContext { weights, ..BufferContext::new(Some(capacity), circuits, Unit::Cell, chance) };
        let policy = chosen.unwrap_or_else(|| panic!("{:?}", reader.problems)).build(&context);
        Self { policy, occupancy: Occupancy::new(Some(capacity), circuits), queue: VecDeque::new() }
    }

    pub(super) fn packet(&mut self, circuit: usize, cells: usize) -> String {
        self.cells(circuit, cells, 0..cells)
    }

    pub(super) fn cells(&mut self, circuit: usize, cells: usize, which: Range<usize>) -> String {
        self.offer(circuit, cells, which, |cell| cell)
    }

    /// A packet with CLP = 1.
    pub(super) fn tagged_packet(&mut self, circuit: usize, cells: usize) -> String {
        self.offer(circuit, cells, 0..cells, Cell::tagged)
    }

    /// The number of packets of one cell, out of `packets`, that the buffer would accept as it is.
    pub(super) fn would_accept(&mut self, circuit: usize, packets: usize) -> usize {
        let cell = Cell::new(PacketId(0), u32::try_from(circuit).unwrap(), true, true);
        (0..packets).filter(|_| self.policy.decide(cell, circuit, &self.occupancy) == Verdict::Accept).count()
    }

    /// Whether the policy's answer depends on whose cells are in the buffer, with no more than `total` in it.
    pub(super) fn looks_at_circuits(&self, total: u64) -> bool {
        self.policy.looks_at_circuits(total)
    }

    /// Whether the policy must ever be asked while there is room.
    pub(super) fn is_ever_asked(&self) -> bool {
        self.policy.is_ever_asked()
    }

    /// About which cells of a circuit the policy must be asked, with no more than `total` in the buffer.
    pub(super) fn asked(&self, circuit: usize, total: u64) -> Asked {
        self.policy.asked(circuit, total)
    }

    fn is_asked(&self, cell: Cell) -> bool {
        match self.asked(cell.circuit(), self.occupancy.total()) {
            Asked::Never => false,
            Asked::AtFirst => cell.is_first(),
            Asked::Always => true,
        }
    }

    /// Cells in the buffer.
    pub(super) fn held(&self) -> usize {
        self.queue.len()
    }

    fn offer(&mut self, circuit: usize, cells: usize, which: Range<usize>, mark: impl Fn(Cell) -> Cell) -> String {
        which
            .map(|index| {
                let circuit_number = u32::try_from(circuit).unwrap();
                let cell = mark(Cell::new(PacketId(0), circuit_number, index == 0, index + 1 == cells));
                let must_be_asked = self.is_asked(cell);
                let verdict = self.policy.decide(cell, circuit, &self.occupancy);
                assert!(
                    must_be_asked || self.occupancy.is_full() || verdict == Verdict::Accept,
                    "it need not be asked"
                );
                if verdict == Verdict::Accept {
                    self.occupancy.add(circuit);
                    self.queue.push_back(circuit);
                }
                match verdict {
                    Verdict::Accept => 'a',
                    Verdict::Overflow => 'o',
                    Verdict::Refused => 'x',
                    Verdict::Remainder => 'r',
                }
            })
            .collect()
    }

    pub(super) fn serve(&mut self, cells: usize) {
        for circuit in self.queue.drain(..cells) {
            self.occupancy.remove(circuit);
        }
    }
}
