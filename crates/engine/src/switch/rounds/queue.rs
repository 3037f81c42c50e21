//! A queue whose cells are told apart only where that matters.
//!
//! The order within a round is drawn when it is needed: it depends on the slot's number alone (see [`Slots`]).

use std::collections::VecDeque;

use crate::framing::Cell;
use crate::switch::Occupancy;
use crate::switch::slots::Slots;

/// Rounds that were let in one slot after the other.
#[derive(Clone, Copy, Debug)]
struct Rounds {
    /// The slot of the first.
    slot: u64,
    rounds: u64,
    /// Cells of each.
    members: usize,
    /// Cells that have been sent.
    sent: u64,
}

/// Cells of one packet.
#[derive(Clone, Copy, Debug)]
struct Part {
    circuit: usize,
    cells: u64,
    /// The last cell, if it is among them.
    last: Option<Cell>,
}

/// What waits in a queue.
#[derive(Clone, Copy, Debug)]
enum Entry {
    Part(Part),
    Rounds(Rounds),
}

/// What is sent next: cells that need not be told apart, but for the last of a packet at their end, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    pub cells: u64,
    pub last: Option<Cell>,
}

/// A queue whose cells are told apart only where that matters.
#[derive(Default)]
pub struct RoundQueue {
    entries: VecDeque<Entry>,
    /// A cell of each circuit of all rounds that wait, in the order of their entries.
    members: VecDeque<Cell>,
    len: u64,
}

impl RoundQueue {
    /// Cells that wait.
    #[must_use]
    #[inline]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Adds a cell at the end.
    #[inline]
    pub fn push(&mut self, cell: Cell) {
        self.push_part(cell.circuit(), 1, cell.is_last().then_some(cell));
    }

    /// Adds cells of one packet, the last of which is `last`, if that is among them.
    #[inline]
    pub fn push_part(&mut self, circuit: usize, cells: u64, last: Option<Cell>) {
        self.entries.push_back(Entry::Part(Part { circuit, cells, last }));
        self.len += cells;
    }

    /// Adds rounds, from that slot on, of the cells that follow these in their packets.
    pub fn push_rounds(&mut self, slot: u64, rounds: u64, cells: &[Cell]) {
        self.members.extend(cells.iter().map(|cell| cell.following(false)));
        let members = cells.len();
        self.entries.push_back(Entry::Rounds(Rounds { slot, rounds, members, sent: 0 }));
        self.len += rounds * members as u64;
    }

    /// Takes what has waited longest, at most `most` cells of it. Of rounds the circuits' shares of `occupancy` follow when they are
    /// over, or in [`settle`](Self::settle); its total is right at once.
    #[inline]
    pub fn pop(&mut self, most: u64, occupancy: &mut Occupancy) -> Option<Served> {
        let served = match self.entries.front_mut()? {
            Entry::Part(part) => {
                let circuit = part.circuit;
                let served = if part.cells <= most {
                    let served = Served { cells: part.cells, last: part.last };
                    self.entries.pop_front();
                    served
                } else {
                    part.cells -= most;
                    Served { cells: most, last: None }
                };
                occupancy.leave(served.cells);
                occupancy.forget(circuit, served.cells);
                served
            }
            Entry::Rounds(rounds) => {
                let left = rounds.rounds * rounds.members as u64 - rounds.sent;
                let cells = left.min(most);
                rounds.sent += cells;
                occupancy.leave(cells);
                if cells == left {
                    self.forget_rounds(occupancy);
                }
                Served { cells, last: None }
            }
        };
        self.len -= served.cells;
        Some(served)
    }

    /// The rounds at the head have been sent.
    fn forget_rounds(&mut self, occupancy: &mut Occupancy) {
        let Some(Entry::Rounds(Rounds { rounds, members, .. })) = self.entries.pop_front() else { return };
        for cell in self.members.drain(..members) {
            occupancy.forget(cell.circuit(), rounds);
        }
    }

    /// Brings the circuits' shares of `occupancy` up to date. A round that has been sent in part is told apart in the order that
    /// `slots` gives it.
    pub fn settle(&mut self, occupancy: &mut Occupancy, slots: &Slots) {
        let Some(Entry::Rounds(rounds)) = self.entries.front_mut() else { return };
        if rounds.sent == 0 {
            return;
        }
        let members = rounds.members as u64;
        let (whole, sent) = (rounds.sent / members, rounds.sent % members);
        let partial_slot = rounds.slot + whole;
        rounds.slot += whole;
        rounds.rounds -= whole;
        rounds.sent = 0;
        let cells: Vec<Cell> = self.members.iter().take(rounds.members).copied().collect();
        cells.iter().for_each(|cell| occupancy.forget(cell.circuit(), whole));
        if sent == 0 {
            return;
        }
        rounds.slot += 1;
        rounds.rounds -= 1;
        if rounds.rounds == 0 {
            self.entries.pop_front();
            self.members.drain(..cells.len());
        }
        let cells = slots.order(partial_slot, cells);
        let sent = usize::try_from(sent).expect("less than the members of a round");
        cells[..sent].iter().for_each(|cell| occupancy.forget(cell.circuit(), 1));
        for cell in cells[sent..].iter().rev() {
            self.entries.push_front(Entry::Part(Part { circuit: cell.circuit(), cells: 1, last: None }));
        }
    }
}
