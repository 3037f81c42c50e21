//! A queue of rounds and of parts of packets: single cells are identified only where that matters.
//!
//! The order within a round is drawn when it is needed: it depends on the slot's number alone (see [`Slots`]).

use longfat_foundation::row::Row;

use crate::framing::Cell;
use crate::switch::Occupancy;
use crate::switch::slots::Slots;

/// Rounds that were admitted in consecutive slots.
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

impl Rounds {
    /// The round, and the place in it, of the cell that is sent after `sent` others.
    fn position(&self, sent: u64) -> (u64, usize) {
        let members = self.members as u64;
        (sent / members, usize::try_from(sent % members).expect("less than the members of a round"))
    }

    /// Calls `show` for the rounds that are sent whole with the next `cells` cells, none being sent in part.
    #[inline]
    fn show_leaving(&self, cells: u64, members: &[Cell], slots: &Slots, show: &mut impl FnMut(u64, Leaving<'_>)) {
        let whole = cells - cells % self.members as u64;
        if whole > 0 {
            show(whole, Leaving::Rounds(WholeRounds { slot: self.slot, members: &members[..self.members], slots }));
        }
    }

    /// Calls `visit` for the cells of each circuit that have not been sent; `cells` are the first cells of the circuits.
    fn visit(&self, mut cells: Vec<Cell>, slots: &Slots, visit: &mut dyn FnMut(Cell, u64, bool)) {
        let (whole, sent) = self.position(self.sent);
        slots.order(self.slot + whole, &mut cells);
        for (place, cell) in cells.into_iter().enumerate() {
            let of_circuit = whole + u64::from(place < sent);
            let next = if of_circuit == 0 { cell } else { cell.following(false) };
            if of_circuit < self.rounds {
                visit(next, self.rounds - of_circuit, false);
            }
        }
    }
}

/// Cells of one packet.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// The first of them.
    cell: Cell,
    cells: u64,
    /// Whether the packet ends with them.
    ends: bool,
}

impl Part {
    /// Whether `cell` is a later one of the same packet. The place of a packet that has lost its last cell may be used again.
    fn goes_on_with(&self, cell: Cell) -> bool {
        let is_same = self.cell.packet == cell.packet && self.cell.circuit() == cell.circuit();
        is_same && !self.ends && !cell.is_first()
    }

    /// Skips `cells` cells, which are not all.
    #[inline]
    fn skip(&mut self, cells: u64) {
        self.cells -= cells;
        self.cell = self.cell.following(self.ends && self.cells == 1);
    }

    /// The last cell of the packet, if it is among them.
    #[inline]
    fn last(&self) -> Option<Cell> {
        self.ends.then(|| if self.cells == 1 { self.cell } else { self.cell.following(true) })
    }
}

/// An entry of the queue.
#[derive(Clone, Copy, Debug)]
enum Entry {
    Part(Part),
    Rounds(Rounds),
}

/// The circuits of cells that are sent back to back.
#[derive(Clone, Copy)]
pub enum Leaving<'q> {
    /// All of one circuit.
    Circuit(usize),
    /// Those of these cells, each of another circuit.
    Cells(&'q [Cell]),
    /// Whole rounds, of one cell of each circuit.
    Rounds(WholeRounds<'q>),
}

/// Rounds that were admitted in consecutive slots, and are sent whole.
#[derive(Clone, Copy)]
pub struct WholeRounds<'q> {
    /// The slot of the first.
    slot: u64,
    members: &'q [Cell],
    slots: &'q Slots,
}

impl WholeRounds<'_> {
    /// The circuits of each, in no order: those of the cells.
    #[must_use]
    pub fn members(&self) -> &[Cell] {
        self.members
    }

    /// Adds the circuits of round number `round`, counted from 0, in the order in which their cells are sent.
    pub fn add_order(&self, round: u64, cells: &mut Vec<Cell>) {
        let before = cells.len();
        cells.extend_from_slice(self.members);
        self.slots.order(self.slot + round, &mut cells[before..]);
    }
}

/// A queue whose cells are identified only where that matters.
///
/// When a cell is admitted, the number of cells that wait before it decides when it will be sent. So cells that were sent need not be taken
/// off before somebody asks for their circuits: until then only their number is kept.
#[derive(Default)]
pub struct RoundQueue {
    /// Cells that were sent and are not taken off, and then those that wait: first the rest of a round in its drawn order, then all others.
    begun: Row<Cell>,
    entries: Row<Entry>,
    /// A cell of each circuit of all rounds among them, in the order of their entries.
    members: Row<Cell>,
    /// Cells that wait.
    len: u64,
    /// Cells that have been sent and are not taken off.
    sent: u64,
    /// The cell that was sent last, unless it was one of a round.
    latest: Option<Cell>,
    /// The slot and the cells of the round that was sent last of those that are over.
    latest_round: (u64, Vec<Cell>),
}

impl RoundQueue {
    /// Cells that wait.
    #[must_use]
    #[inline]
    pub fn cells(&self) -> u64 {
        self.len
    }

    /// Adds a cell at the end.
    #[inline]
    pub fn push(&mut self, cell: Cell) {
        self.push_part(cell, 1, cell.is_last());
    }

    /// Adds `cells` cells of one packet, from `cell` on; `ends` if the packet ends with them.
    #[inline]
    pub fn push_part(&mut self, cell: Cell, cells: u64, ends: bool) {
        self.len += cells;
        if let Some(Entry::Part(part)) = self.entries.back_mut()
            && part.goes_on_with(cell)
        {
            (part.cells, part.ends) = (part.cells + cells, ends);
            return;
        }
        self.entries.push_back(Entry::Part(Part { cell, cells, ends }));
    }

    /// Adds rounds, from that slot on, of these cells and those that follow them in their packets.
    pub fn push_rounds(&mut self, slot: u64, rounds: u64, cells: &[Cell]) {
        self.members.extend(cells.iter().copied());
        let members = cells.len();
        self.entries.push_back(Entry::Rounds(Rounds { slot, rounds, members, sent: 0 }));
        self.len += rounds * members as u64;
    }

    /// Sends the `cells` cells that have waited longest, which are taken off later.
    #[inline]
    pub fn send(&mut self, cells: u64) {
        self.len -= cells;
        self.sent += cells;
    }

    /// Whether no round is taken off in part: all cells that were taken off were reported.
    pub fn is_settled(&self) -> bool {
        !matches!(self.entries.front(), Some(Entry::Rounds(rounds)) if rounds.sent > 0)
    }

    /// Cells that have been sent and are not taken off.
    #[must_use]
    #[inline]
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Takes off the cells that were sent, and updates the `occupancy` of their circuits, for a round when all of it is sent. Calls `show` with
    /// their circuits; those of a round that is sent in part are known to [`settle_shown`](Self::settle_shown), the next call then.
    pub fn take_off(&mut self, occupancy: &mut Occupancy, slots: &Slots, mut show: impl FnMut(u64, Leaving<'_>)) {
        let mut left = std::mem::take(&mut self.sent);
        if left > 0 && !self.begun.is_empty() {
            left -= self.take_off_begun(left, occupancy, &mut show);
        }
        while left > 0
            && let Some(entry) = self.entries.front_mut()
        {
            match entry {
                Entry::Part(part) => {
                    let circuit = part.cell.circuit();
                    let cells = part.cells.min(left);
                    left -= cells;
                    if part.cells > cells {
                        self.latest = Some(part.cell);
                        part.skip(cells);
                    } else {
                        self.latest = Some(part.last().unwrap_or(part.cell));
                        self.entries.take(1);
                    }
                    show(cells, Leaving::Circuit(circuit));
                    occupancy.forget(circuit, cells);
                }
                Entry::Rounds(rounds) => {
                    let not_sent = rounds.rounds * rounds.members as u64 - rounds.sent;
                    let cells = not_sent.min(left);
                    left -= cells;
                    rounds.show_leaving(cells, self.members.as_slice(), slots, &mut show);
                    rounds.sent += cells;
                    self.latest = None;
                    if cells == not_sent {
                        self.forget_rounds(occupancy);
                    }
                }
            }
        }
        debug_assert_eq!(left, 0, "no more is sent than waits");
    }

    /// Takes off at most `most` cells of the round in drawn order; returns their number.
    fn take_off_begun(&mut self, most: u64, occupancy: &mut Occupancy, show: &mut impl FnMut(u64, Leaving<'_>)) -> u64 {
        let number = usize::try_from(most).map_or(self.begun.len(), |most| most.min(self.begun.len()));
        let cells = &self.begun.as_slice()[..number];
        show(number as u64, Leaving::Cells(cells));
        cells.iter().for_each(|cell| occupancy.forget(cell.circuit(), 1));
        self.latest = cells.last().copied();
        self.begun.take(number);
        number as u64
    }

    /// The rounds at the head have been sent.
    fn forget_rounds(&mut self, occupancy: &mut Occupancy) {
        let Some(Entry::Rounds(Rounds { slot, rounds, members, .. })) = self.entries.pop_front() else { return };
        let (latest_slot, latest) = &mut self.latest_round;
        *latest_slot = slot + rounds - 1;
        latest.clear();
        latest.extend_from_slice(&self.members.as_slice()[..members]);
        self.members.take(members);
        for cell in latest {
            occupancy.forget(cell.circuit(), rounds);
        }
    }

    /// The cell that was sent last, if all that were sent are taken off; `slots` draws the order of its round.
    pub fn latest_in_order(&self, slots: &Slots) -> Option<Cell> {
        if self.latest.is_some() {
            return self.latest;
        }
        match self.entries.front() {
            Some(Entry::Rounds(rounds)) if rounds.sent > 0 => {
                let (round, place) = rounds.position(rounds.sent - 1);
                let mut cells: Vec<Cell> = self.members.iter().take(rounds.members).copied().collect();
                slots.order(rounds.slot + round, &mut cells);
                cells.get(place).copied()
            }
            _ => {
                let (slot, mut cells) = self.latest_round.clone();
                slots.order(slot, &mut cells);
                cells.last().copied()
            }
        }
    }

    /// Calls `visit` for the cells that wait, if all that were sent are taken off: those of each circuit in order, cells of one packet in a
    /// row, by the first of them, with their number and whether the packet ends with them.
    pub fn visit_in_order(&self, slots: &Slots, visit: &mut dyn FnMut(Cell, u64, bool)) {
        self.begun.iter().for_each(|&cell| visit(cell, 1, false));
        let mut members = self.members.iter().copied();
        for entry in self.entries.iter() {
            match entry {
                Entry::Part(part) => visit(part.cell, part.cells, part.ends),
                Entry::Rounds(rounds) => {
                    rounds.visit(members.by_ref().take(rounds.members).collect(), slots, visit);
                }
            }
        }
    }

    /// Brings the `occupancy` by circuit up to date. `slots` draws the order of a round that is sent in part; calls `see` with its cells that
    /// were sent.
    pub fn settle_shown(&mut self, occupancy: &mut Occupancy, slots: &Slots, see: impl FnOnce(&[Cell])) {
        if self.sent > 0 {
            self.take_off(occupancy, slots, |_, _| ());
        }
        let Some(Entry::Rounds(rounds)) = self.entries.front_mut() else { return };
        if rounds.sent == 0 {
            return;
        }
        let (whole, sent) = rounds.position(rounds.sent);
        let partial_slot = rounds.slot + whole;
        rounds.slot += whole;
        rounds.rounds -= whole;
        rounds.sent = 0;
        let after = |cell: &Cell| if whole > 0 { cell.following(false) } else { *cell };
        // The latest cell is known below, so the memory of the latest round is free for use.
        let cells = &mut self.latest_round.1;
        cells.clear();
        cells.extend(self.members.iter().take(rounds.members).map(after));
        cells.iter().for_each(|cell| occupancy.forget(cell.circuit(), whole));
        self.members.as_mut_slice().iter_mut().take(rounds.members).for_each(|cell| *cell = cell.following(false));
        if sent == 0 {
            self.latest_round.0 = partial_slot - 1;
            return;
        }
        rounds.slot += 1;
        rounds.rounds -= 1;
        if rounds.rounds == 0 {
            self.entries.pop_front();
            self.members.take(cells.len());
        }
        slots.order(partial_slot, cells);
        cells[..sent].iter().for_each(|cell| occupancy.forget(cell.circuit(), 1));
        see(&cells[..sent]);
        self.latest = Some(cells[sent - 1]);
        self.begun.extend(cells[sent..].iter().copied());
    }
}
