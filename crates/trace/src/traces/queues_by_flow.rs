//! What each flow has waiting at ports.
//!
//! Where the fast driver serves many slots at once, a circuit's share of the buffer rises or falls by one a slot, and is looked at slot
//! by slot only if it may come to be further from what is written than the bound.

use longfat_engine::framing::Cell;
use longfat_engine::observer::{Arriving, Observer, SlotRun};
use longfat_engine::switch::{Leaving, Port, WholeRounds};
use longfat_engine::units::Time;

use super::{FLOW, Kind, Network, PORT, Rows, Scale, TIME, Trace, integers};
use crate::level::Level;
use crate::table::{Table, Value};

/// What each flow has in the queue.
pub struct QueuesByFlow {
    bound: i64,
    /// What each flow has at each port.
    shares: Vec<Shares>,
    table: Table,
    changes: u64,
    /// Rows of a run that are not in their order yet: the slot, the flow, the cells.
    rows: Vec<(i64, usize, i64)>,
    orders: Orders,
}

/// What a round adds to what a flow has, in so many slots of one cell each: it never rises and falls in the same round.
#[derive(Clone, Copy)]
struct Added {
    flow: usize,
    cells: i64,
    /// Whether a cell of it arrives in each slot; whether one is sent.
    arrives: bool,
    is_sent: bool,
}

impl Added {
    /// Cells of a round are sent in this order: shows each slot of it at the end of which what the flow has is to be written, and that.
    fn move_in_round(self, level: &mut Level, bound: i64, order: &[Cell], mut write: impl FnMut(i64, i64)) {
        let last = order.len() as i64;
        let place = || order.iter().position(|cell| flow_of(cell.circuit()) == Some(self.flow));
        let sent = if self.is_sent { place().map_or(last, |place| place as i64) } else { last };
        if self.arrives {
            // One comes and one goes in the slot in between.
            level.moves_by(1, sent, bound, &mut write);
            level.moves_by(1, (last - sent - 1).max(0), bound, |slot, cells| write(sent + 1 + slot, cells));
        } else {
            level.moves_by(-1, 1, bound, |_, cells| write(sent, cells));
        }
    }
}

/// The orders in which the cells of rounds of a run are sent, of those that have been asked for; kept for its memory.
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

/// What the flows have at a port.
struct Shares {
    levels: Vec<Level>,
    marks: Marks,
}

impl Shares {
    fn new(flows: usize) -> Self {
        Self { levels: vec![Level::EMPTY; flows], marks: Marks { of_flows: vec![0; flows], latest: 0 } }
    }
}

/// Which flows' cells both arrive and are sent in a round: those that have the latest mark.
struct Marks {
    of_flows: Vec<u64>,
    latest: u64,
}

impl Marks {
    /// What each has more after a round has been sent in so many slots that let in a cell of each of those that arrive.
    fn added_by_round(&mut self, arriving: &[Cell], sent: &[Cell], slots: i64) -> impl Iterator<Item = Added> {
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

/// Of every two circuits the first leads to the destination; what comes back never waits at a managed port.
fn flow_of(circuit: usize) -> Option<usize> {
    circuit.is_multiple_of(2).then_some(circuit / 2)
}

fn flows(cells: &[Cell]) -> impl Iterator<Item = usize> {
    cells.iter().filter_map(|cell| flow_of(cell.circuit()))
}

impl QueuesByFlow {
    fn new(network: &Network, table: Table) -> Self {
        let mut new = Self {
            bound: network.bound_in_cells(),
            shares: network.ports.iter().map(|_| Shares::new(network.connections)).collect(),
            table,
            changes: 0,
            rows: Vec::new(),
            orders: Orders::default(),
        };
        new.end(Time::ZERO);
        new
    }

    #[inline]
    fn add(&mut self, now: Time, port: usize, flow: usize, cells: i64) {
        self.table.add([now.into(), Network::port_word(port), Value::flow(flow), Value::integer(cells)]);
    }

    /// A flow's share is what it is in the state of a port.
    #[inline]
    fn note(&mut self, port: usize, state: &Port, flow: usize) {
        let cells = state.occupancy().of_circuit(2 * flow).cast_signed();
        let level = &mut self.shares[port].levels[flow];
        if level.cells() == cells {
            return;
        }
        self.changes += 1;
        if level.moves_to(cells, self.bound) {
            self.rows.push((0, flow, cells));
        }
    }

    /// A flow's share grows by so many in each of so many slots, or falls.
    #[inline]
    fn move_by(&mut self, port: usize, flow: usize, added: i64, slots: i64) {
        self.changes += if added == 0 { 0 } else { slots.cast_unsigned() };
        let Self { shares, rows, bound, .. } = self;
        shares[port].levels[flow].moves_by(added, slots, *bound, |slot, cells| rows.push((slot, flow, cells)));
    }

    /// Writes the rows of a run in the order of slots, and of flows in each slot.
    #[inline]
    fn write_rows(&mut self, port: usize, end_of: impl Fn(u64) -> Time) {
        if self.rows.is_empty() {
            return;
        }
        if self.rows.len() > 1 {
            self.rows.sort_unstable();
        }
        let mut rows = std::mem::take(&mut self.rows);
        for (slot, flow, cells) in rows.drain(..) {
            self.add(end_of(slot.cast_unsigned()), port, flow, cells);
        }
        self.rows = rows;
    }

    /// Each slot lets in a cell of each of those that arrive, and all send cells of one circuit.
    #[inline]
    fn send_circuit(&mut self, port: usize, slots: i64, arriving: &[Cell], circuit: usize) {
        let mut leaves = flow_of(circuit);
        for flow in flows(arriving) {
            if leaves == Some(flow) {
                leaves = None; // one comes and one goes
            } else {
                self.move_by(port, flow, 1, slots);
            }
        }
        if let Some(flow) = leaves {
            self.move_by(port, flow, -1, slots);
        }
    }

    /// Each slot lets in cells of one circuit, as many as are counted, and all send cells of one circuit.
    fn send_circuit_while(&mut self, port: usize, flow: usize, counts: &[u32], circuit: usize) {
        let leaves = flow_of(circuit);
        let sent = i64::from(leaves == Some(flow));
        let Self { shares, rows, bound, changes, .. } = self;
        let level = &mut shares[port].levels[flow];
        for (slot, &count) in (0..).zip(counts) {
            let added = i64::from(count) - sent;
            *changes += u64::from(added != 0);
            if level.moves_to(level.cells() + added, *bound) {
                rows.push((slot, flow, level.cells()));
            }
        }
        if let Some(leaves) = leaves.filter(|leaves| *leaves != flow) {
            self.move_by(port, leaves, -1, counts.len() as i64);
        }
    }

    /// A slot lets in so many cells of a flow, and sends one of what leaves.
    #[inline]
    fn send_cell_while(&mut self, port: usize, slot: i64, flow: Option<usize>, count: u32, leaves: Option<usize>) {
        if let Some(flow) = flow {
            self.add_in_slot(port, slot, flow, i64::from(count) - i64::from(leaves == Some(flow)));
        }
        if let Some(leaves) = leaves.filter(|_| leaves != flow) {
            self.add_in_slot(port, slot, leaves, -1);
        }
    }

    /// A flow has so many more after a slot.
    #[inline]
    fn add_in_slot(&mut self, port: usize, slot: i64, flow: usize, added: i64) {
        let level = &mut self.shares[port].levels[flow];
        let cells = level.cells() + added;
        self.changes += u64::from(added != 0);
        if level.moves_to(cells, self.bound) {
            self.rows.push((slot, flow, cells));
        }
    }

    /// Whole rounds are sent in a run, and each slot lets in a cell of each of those that arrive: rounds within which nothing of a flow
    /// is written are taken at once, and of others the order in which cells are sent is looked at.
    fn send_rounds(&mut self, port: usize, rounds: u64, arriving: &[Cell], sent: &WholeRounds<'_>) {
        let slots = sent.members().len() as i64;
        self.orders.clear();
        let Self { shares, rows, orders, bound, changes, .. } = self;
        let Shares { levels, marks } = &mut shares[port];
        for added in marks.added_by_round(arriving, sent.members(), slots) {
            let level = &mut levels[added.flow];
            *changes += added.cells.unsigned_abs() * rounds;
            let mut round = 0;
            while round < rounds {
                round += level.moves_within(added.cells, rounds - round, *bound);
                if round < rounds {
                    let order = orders.of(round, sent);
                    let from = round.cast_signed() * slots;
                    added
                        .move_in_round(level, *bound, order, |slot, cells| rows.push((from + slot, added.flow, cells)));
                    round += 1;
                }
            }
        }
    }

    /// Whole rounds are sent in a run while cells of one circuit arrive, as many in each slot as are counted.
    fn send_rounds_while(&mut self, port: usize, flow: Option<usize>, counts: &[u32], sent: &WholeRounds<'_>) {
        self.orders.clear();
        let mut orders = std::mem::take(&mut self.orders);
        for (round, counts) in counts.chunks_exact(sent.members().len()).enumerate() {
            let order = orders.of(round as u64, sent);
            for ((slot, count), cell) in (round * order.len()..).zip(counts).zip(order) {
                self.send_cell_while(port, slot as i64, flow, *count, flow_of(cell.circuit()));
            }
        }
        self.orders = orders;
    }
}

impl Observer for QueuesByFlow {
    fn shares_changed(&mut self, now: Time, port: usize, state: &Port, circuits: Option<&[usize]>) {
        match circuits {
            Some(circuits) => {
                circuits.iter().filter_map(|&circuit| flow_of(circuit)).for_each(|flow| self.note(port, state, flow));
            }
            None => (0..self.shares[port].levels.len()).for_each(|flow| self.note(port, state, flow)),
        }
        self.write_rows(port, |_| now);
    }

    fn shares_moved(&mut self, port: usize, run: &SlotRun, arriving: Arriving<'_>, leaving: Leaving<'_>) {
        let slots = run.number.cast_signed();
        match (arriving, leaving) {
            (Arriving::InEach(cells), Leaving::Circuit(circuit)) => self.send_circuit(port, slots, cells, circuit),
            (Arriving::Counted(from, counts), Leaving::Circuit(circuit)) => match flow_of(from) {
                Some(flow) => self.send_circuit_while(port, flow, counts, circuit),
                None => self.send_circuit(port, slots, &[], circuit),
            },
            (Arriving::InEach(cells), Leaving::Rounds(sent)) => {
                self.send_rounds(port, run.number / sent.members().len() as u64, cells, &sent);
            }
            (Arriving::Counted(from, counts), Leaving::Rounds(sent)) => {
                self.send_rounds_while(port, flow_of(from), counts, &sent);
            }
        }
        self.write_rows(port, |slot| run.end_of(slot));
    }
}

impl Trace for QueuesByFlow {
    const KIND: Kind = Kind {
        name: "queue-by-flow",
        doc: "what each flow has in the queue of each port: the buffer of its virtual circuit",
        columns: &[TIME, PORT, FLOW, integers("cells", "cells that wait; packets where they travel whole")],
        rows: Rows::Changes(Scale::Buffer),
    };

    fn start(network: &Network, table: Table) -> Self {
        Self::new(network, table)
    }

    fn end(&mut self, now: Time) {
        for port in 0..self.shares.len() {
            for flow in 0..self.shares[port].levels.len() {
                self.add(now, port, flow, self.shares[port].levels[flow].cells());
            }
        }
    }

    fn changes(&self) -> u64 {
        self.changes
    }

    fn into_table(self) -> Table {
        self.table
    }
}
