//! A buffer on a bench: feeds packets to a policy and writes down what became of each cell.

use super::{BufferContext, DropPolicy, Occupancy, Verdict};
use crate::config::{Parameter, Reader, parse_fragment};
use crate::framing::{Cell, PacketId, Unit};
use crate::registry::Chosen;
use std::collections::VecDeque;
use std::ops::Range;

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
        let mut reader = Reader::default();
        let chosen = Chosen::<dyn DropPolicy>::read(&parse_fragment(policy), &mut reader);
        let context = BufferContext { capacity: Some(capacity), circuits, unit: Unit::Cell };
        let policy = chosen.unwrap_or_else(|| panic!("{:?}", reader.problems)).build(&context);
        Self { policy, occupancy: Occupancy::new(Some(capacity), circuits), queue: VecDeque::new() }
    }

    pub(super) fn packet(&mut self, circuit: usize, cells: usize) -> String {
        self.cells(circuit, cells, 0..cells)
    }

    pub(super) fn cells(&mut self, circuit: usize, cells: usize, which: Range<usize>) -> String {
        which
            .map(|index| {
                let circuit_number = u32::try_from(circuit).unwrap();
                let cell = Cell::new(PacketId(0), circuit_number, index == 0, index + 1 == cells);
                let verdict = self.policy.decide(cell, circuit, &self.occupancy);
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
