//! Queue lengths of ports, by flow.
//!
//! When a port serves many slots as a batch, the occupancy of a circuit changes by at most one cell per slot. It is evaluated slot by
//! slot only if it may leave the error bound.

use longfat_engine::framing::Cell;
use longfat_engine::observer::{Arriving, Observer, SlotRun};
use longfat_engine::switch::{Leaving, PortState, WholeRounds};
use longfat_engine::units::Time;

use super::{FLOW, Kind, Network, PORT, Rows, Scale, TIME, Trace, integers};
use crate::level::Level;
use crate::table::{Table, Value};

/// Trace of each flow's queue.
pub struct QueuesByFlow {
    /// State of each port.
    shares: Vec<Shares>,
    table: Table,
}

/// Change of a flow's occupancy in a round of `slots` slots of one cell each; within a round it never both rises and falls.
#[derive(Clone, Copy)]
struct Added {
    flow: usize,
    cells: i64,
    /// Whether a cell of the flow arrives in each slot, and whether one departs in the round.
    arrives: bool,
    is_sent: bool,
}

impl Added {
    /// Visits the slots of a round at the end of which the flow's occupancy must be recorded. Computes the order of departures only if it
    /// matters.
    fn move_in_round<'o>(
        self,
        level: &mut Level,
        bound: i64,
        slots: i64,
        order: impl FnOnce() -> &'o [Cell],
        mut write: impl FnMut(i64, i64),
    ) {
        let place = || order().iter().position(|cell| flow_of(cell.circuit()) == Some(self.flow));
        let sent = if self.is_sent { place().map_or(slots, |place| place as i64) } else { slots };
        if self.arrives {
            // In the slot between, one cell arrives and one departs.
            level.moves_by(1, sent, bound, &mut write);
            level.moves_by(1, (slots - sent - 1).max(0), bound, |slot, cells| write(sent + 1 + slot, cells));
        } else {
            level.moves_by(-1, 1, bound, |_, cells| write(sent, cells));
        }
    }
}

/// Departure orders of the rounds of a run, computed on demand; kept to reuse memory.
#[derive(Default)]
struct Orders {
    rounds: Vec<u64>,
    cells: Vec<Cell>,
}

impl Orders {
    fn clear(&mut self) {
        self.rounds.clear();
        self.cells.clear();
    }

    fn of(&mut self, round: u64, sent: &WholeRounds<'_>) -> &[Cell] {
        let known = self.rounds.iter().position(|known| *known == round);
        let place = known.unwrap_or_else(|| {
            self.rounds.push(round);
            sent.add_order(round, &mut self.cells);
            self.rounds.len() - 1
        });
        &self.cells[place * sent.members().len()..][..sent.members().len()]
    }
}

/// Flows whose cells both arrive and depart in a round: those with the latest mark.
struct Marks {
    of_flows: Vec<u64>,
    latest: u64,
}

impl Marks {
    /// Change of each flow's occupancy after a round of departures, with one cell of each arriving circuit per slot.
    fn added_by_round(&mut self, arriving: &[Cell], sent: &[Cell]) -> impl Iterator<Item = Added> {
        let slots = sent.len() as i64;
        self.latest += 2;
        let arrives = self.latest - 1;
        flows(arriving).for_each(|flow| self.of_flows[flow] = arrives);
        for flow in flows(sent) {
            if self.of_flows[flow] == arrives {
                self.of_flows[flow] = self.latest;
            }
        }
        let is_both = |flow: usize| self.of_flows[flow] == self.latest;
        let grow = flows(arriving).map(move |flow| {
            let is_sent = is_both(flow);
            Added { flow, cells: slots - i64::from(is_sent), arrives: true, is_sent }
        });
        let fall = flows(sent).filter(move |&flow| !is_both(flow));
        grow.chain(fall.map(|flow| Added { flow, cells: -1, arrives: false, is_sent: true }))
    }
}

/// Flow of a circuit. Even circuits lead to the destination; the others never queue at a managed port.
fn flow_of(circuit: usize) -> Option<usize> {
    circuit.is_multiple_of(2).then_some(circuit / 2)
}

fn flows(cells: &[Cell]) -> impl Iterator<Item = usize> {
    cells.iter().filter_map(|cell| flow_of(cell.circuit()))
}

/// Occupancies of the flows at a port.
struct Shares {
    bound: i64,
    levels: Vec<Level>,
    changes: u64,
    /// Unwritten rows of a run, unordered: slot, flow, cells.
    rows: Vec<(i64, usize, i64)>,
    marks: Marks,
    orders: Orders,
}

impl Shares {
    fn new(network: &Network) -> Self {
        Self {
            bound: network.bound_in_cells(),
            levels: vec![Level::EMPTY; network.connections],
            changes: 0,
            rows: Vec::new(),
            marks: Marks { of_flows: vec![0; network.connections], latest: 0 },
            orders: Orders::default(),
        }
    }

    /// Sets a flow's occupancy from the state of a port.
    #[inline]
    fn note(&mut self, state: &PortState, flow: usize) {
        let cells = state.occupancy().of_circuit(2 * flow).cast_signed();
        let level = &mut self.levels[flow];
        if level.cells() == cells {
            return;
        }
        self.changes += 1;
        if level.moves_to(cells, self.bound) {
            self.rows.push((0, flow, cells));
        }
    }

    /// Adds `added` cells to a flow's occupancy in each of `slots` slots.
    #[inline]
    fn move_by(&mut self, flow: usize, added: i64, slots: i64) {
        let Self { levels, rows, bound, changes, .. } = self;
        *changes += if added == 0 { 0 } else { slots.cast_unsigned() };
        levels[flow].moves_by(added, slots, *bound, |slot, cells| rows.push((slot, flow, cells)));
    }

    /// Writes the rows of a run, ordered by slot and flow.
    #[inline]
    fn write_rows(&mut self, port: usize, table: &mut Table, end_of: impl Fn(u64) -> Time) {
        if self.rows.is_empty() {
            return;
        }
        if self.rows.len() > 1 {
            self.rows.sort_unstable();
        }
        for &(slot, flow, cells) in &self.rows {
            add(table, end_of(slot.cast_unsigned()), port, flow, cells);
        }
        self.rows.clear();
    }

    /// Handles slots in each of which one cell of every arriving circuit is admitted, and a cell of `circuit` departs.
    #[inline]
    fn send_circuit(&mut self, slots: i64, arriving: &[Cell], circuit: usize) {
        let mut leaves = flow_of(circuit);
        for flow in flows(arriving) {
            if leaves == Some(flow) {
                leaves = None; // one arrives, one departs
            } else {
                self.move_by(flow, 1, slots);
            }
        }
        if let Some(flow) = leaves {
            self.move_by(flow, -1, slots);
        }
    }

    /// Handles slots in which `counts` cells of one circuit are admitted, and a cell of `circuit` departs.
    fn send_circuit_while(&mut self, flow: usize, counts: &[u32], circuit: usize) {
        let leaves = flow_of(circuit);
        let sent = i64::from(leaves == Some(flow));
        for (slot, &count) in (0..).zip(counts) {
            self.add_in_slot(slot, flow, i64::from(count) - sent);
        }
        if let Some(leaves) = leaves.filter(|leaves| *leaves != flow) {
            self.move_by(leaves, -1, counts.len() as i64);
        }
    }

    /// Adds `added` cells to a flow's occupancy in one slot.
    #[inline]
    fn add_in_slot(&mut self, slot: i64, flow: usize, added: i64) {
        let level = &mut self.levels[flow];
        let cells = level.cells() + added;
        self.changes += u64::from(added != 0);
        if level.moves_to(cells, self.bound) {
            self.rows.push((slot, flow, cells));
        }
    }

    /// Handles slots in each of which one cell of every arriving circuit is admitted, and the next of `sent`, each of another circuit,
    /// departs.
    fn send_cells(&mut self, arriving: &[Cell], sent: &[Cell]) {
        let Self { levels, marks, rows, bound, changes, .. } = self;
        for added in marks.added_by_round(arriving, sent) {
            let level = &mut levels[added.flow];
            *changes += added.cells.unsigned_abs();
            if level.moves_within(added.cells, 1, *bound) == 0 {
                let write = |slot, cells| rows.push((slot, added.flow, cells));
                added.move_in_round(level, *bound, sent.len() as i64, || sent, write);
            }
        }
    }

    /// Handles whole rounds of departures, with one cell of every arriving circuit admitted per slot. Rounds in which nothing of a flow is
    /// recorded are skipped at once; in others, the departure order is computed if it matters.
    fn send_rounds(&mut self, rounds: u64, arriving: &[Cell], sent: &WholeRounds<'_>) {
        let slots = sent.members().len() as i64;
        self.orders.clear();
        let Self { levels, marks, rows, orders, bound, changes } = self;
        for added in marks.added_by_round(arriving, sent.members()) {
            let level = &mut levels[added.flow];
            *changes += added.cells.unsigned_abs() * rounds;
            let mut round = 0;
            while round < rounds {
                round += level.moves_within(added.cells, rounds - round, *bound);
                if round < rounds {
                    let from = round.cast_signed() * slots;
                    let write = |slot, cells| rows.push((from + slot, added.flow, cells));
                    added.move_in_round(level, *bound, slots, || orders.of(round, sent), write);
                    round += 1;
                }
            }
        }
    }

    /// Handles departures of `sent`, from slot `from` on, while `counts` cells of one circuit are admitted per slot.
    fn send_cells_while(&mut self, from: usize, flow: Option<usize>, counts: &[u32], sent: &[Cell]) {
        for ((slot, &count), cell) in (from as i64..).zip(counts).zip(sent) {
            let leaves = flow_of(cell.circuit());
            if let Some(flow) = flow {
                self.add_in_slot(slot, flow, i64::from(count) - i64::from(leaves == Some(flow)));
            }
            if let Some(leaves) = leaves.filter(|_| leaves != flow) {
                self.add_in_slot(slot, leaves, -1);
            }
        }
    }

    /// Handles whole rounds of departures while `counts` cells of one circuit are admitted per slot.
    fn send_rounds_while(&mut self, flow: Option<usize>, counts: &[u32], sent: &WholeRounds<'_>) {
        self.orders.clear();
        let mut orders = std::mem::take(&mut self.orders);
        for (round, counts) in counts.chunks_exact(sent.members().len()).enumerate() {
            self.send_cells_while(round * counts.len(), flow, counts, orders.of(round as u64, sent));
        }
        self.orders = orders;
    }
}

#[inline]
fn add(table: &mut Table, now: Time, port: usize, flow: usize, cells: i64) {
    table.add([now.into(), Network::port_word(port), Value::flow(flow), Value::integer(cells)]);
}

impl Observer for QueuesByFlow {
    fn shares_changed(&mut self, now: Time, port: usize, state: &PortState, circuits: Option<&[usize]>) {
        let shares = &mut self.shares[port];
        match circuits {
            Some(circuits) => {
                circuits.iter().filter_map(|&circuit| flow_of(circuit)).for_each(|flow| shares.note(state, flow));
            }
            None => (0..shares.levels.len()).for_each(|flow| shares.note(state, flow)),
        }
        shares.write_rows(port, &mut self.table, |_| now);
    }

    fn shares_moved(&mut self, port: usize, run: &SlotRun, arriving: Arriving<'_>, leaving: Leaving<'_>) {
        let slots = run.number.cast_signed();
        let shares = &mut self.shares[port];
        match (arriving, leaving) {
            (Arriving::InEach(cells), Leaving::Circuit(circuit)) => shares.send_circuit(slots, cells, circuit),
            (Arriving::InEach(cells), Leaving::Cells(sent)) => shares.send_cells(cells, sent),
            (Arriving::InEach(cells), Leaving::Rounds(sent)) => {
                shares.send_rounds(run.number / sent.members().len() as u64, cells, &sent);
            }
            (Arriving::Counted(from, counts), Leaving::Circuit(circuit)) => match flow_of(from) {
                Some(flow) => shares.send_circuit_while(flow, counts, circuit),
                None => shares.send_circuit(slots, &[], circuit),
            },
            (Arriving::Counted(from, counts), Leaving::Cells(sent)) => {
                shares.send_cells_while(0, flow_of(from), counts, sent);
            }
            (Arriving::Counted(from, counts), Leaving::Rounds(sent)) => {
                shares.send_rounds_while(flow_of(from), counts, &sent);
            }
        }
        shares.write_rows(port, &mut self.table, |slot| run.end_of(slot));
    }
}

impl Trace for QueuesByFlow {
    const KIND: Kind = Kind {
        name: "queue-by-flow",
        doc: "queue of each flow at each port: the occupancy of the buffer by its virtual circuit",
        columns: &[TIME, PORT, FLOW, integers("cells", "cells that wait; packets where they travel whole")],
        rows: Rows::Changes(Scale::Buffer),
    };

    fn start(network: &Network, table: Table) -> Self {
        let shares = network.ports.iter().map(|_| Shares::new(network)).collect();
        let mut new = Self { shares, table };
        new.end(Time::ZERO);
        new
    }

    fn end(&mut self, now: Time) {
        for (port, shares) in self.shares.iter().enumerate() {
            for (flow, level) in shares.levels.iter().enumerate() {
                add(&mut self.table, now, port, flow, level.cells());
            }
        }
    }

    fn changes(&self) -> u64 {
        self.shares.iter().map(|shares| shares.changes).sum()
    }

    fn table(&self) -> &Table {
        &self.table
    }

    fn into_table(self) -> Table {
        self.table
    }
}
