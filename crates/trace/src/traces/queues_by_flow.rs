//! What each flow has waiting at ports.
//!
//! Where the fast driver serves many slots at once, a circuit's share of the buffer rises or falls by one a slot, and is looked at slot
//! by slot only if it may come to be further from what is written than the bound.

use longfat_engine::framing::Cell;
use longfat_engine::observer::{Arriving, Observer, SlotRun};
use longfat_engine::switch::{Leaving, Port, WholeRounds};
use longfat_engine::units::Time;

use super::{FLOW, Hears, Kind, Network, PORT, Rows, Scale, TIME, Trace, integers};
use crate::level::Level;
use crate::table::{Table, Value};

/// What each flow has in the queue.
pub const QUEUE_BY_FLOW: Kind = Kind {
    name: "queue-by-flow",
    doc: "what each flow has in the queue of each port: the buffer of its virtual circuit",
    columns: &[TIME, PORT, FLOW, integers("cells", "cells that wait; packets where they travel whole")],
    rows: Rows::Changes(Scale::Buffer),
    hears: &[Hears::Shares],
    start: |network, table| Box::new(QueuesByFlow::new(network, table)),
};

struct QueuesByFlow {
    bound: i64,
    /// What each flow has at each port.
    shares: Vec<Shares>,
    table: Table,
    changes: u64,
    /// Rows of a run that are not in their order yet: the slot, the flow, the cells.
    rows: Vec<(i64, usize, i64)>,
    /// What a round adds to flows; kept for its memory.
    added: Vec<(usize, i64)>,
}

/// What the flows have at a port.
struct Shares {
    levels: Vec<Level>,
    /// The latest mark of each, and of all.
    marks: Vec<u64>,
    latest_mark: u64,
}

impl Shares {
    fn new(flows: usize) -> Self {
        Self { levels: vec![Level::EMPTY; flows], marks: vec![0; flows], latest_mark: 0 }
    }

    /// Gives the latest mark to those whose cells both arrive and are sent.
    fn mark(&mut self, arriving: &[Cell], sent: &[Cell]) {
        self.latest_mark += 2;
        let arrives = self.latest_mark - 1;
        flows(arriving).for_each(|flow| self.marks[flow] = arrives);
        for flow in flows(sent) {
            if self.marks[flow] == arrives {
                self.marks[flow] = self.latest_mark;
            }
        }
    }

    /// What each has more after a round has been sent in so many slots that let in a cell of each of those that arrive; they are
    /// marked.
    fn added_by_round(&self, arriving: &[Cell], sent: &[Cell], slots: i64) -> impl Iterator<Item = (usize, i64)> {
        let is_both = |flow: usize| self.marks[flow] == self.latest_mark;
        let grow = flows(arriving).map(move |flow| (flow, slots - i64::from(is_both(flow))));
        grow.chain(flows(sent).filter(move |&flow| !is_both(flow)).map(|flow| (flow, -1)))
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
            added: Vec::new(),
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
        self.rows.sort_unstable();
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
        for (slot, &count) in (0..).zip(counts) {
            let level = &mut self.shares[port].levels[flow];
            let cells = level.cells() + i64::from(count) - i64::from(leaves == Some(flow));
            if cells == level.cells() {
                continue;
            }
            self.changes += 1;
            if level.moves_to(cells, self.bound) {
                self.rows.push((slot, flow, cells));
            }
        }
        if let Some(leaves) = leaves.filter(|leaves| *leaves != flow) {
            self.move_by(port, leaves, -1, counts.len() as i64);
        }
    }

    /// Whole rounds are sent in a run: those within which nothing can have to be written at once, and others cell by cell.
    fn send_rounds(&mut self, port: usize, run: &SlotRun, arriving: Arriving<'_>, sent: &WholeRounds<'_>) {
        let members = sent.members().len() as u64;
        let (mut round, rounds) = (0, run.number / members);
        while round < rounds {
            let at_once = match arriving {
                Arriving::InEach(cells) => self.send_rounds_at_once(port, rounds - round, cells, sent.members()),
                Arriving::Counted(..) => 0,
            };
            round += at_once;
            if round < rounds {
                let skipped = run.skipped + round * members;
                let slots = SlotRun { skipped, number: members, ..*run };
                self.send_round(port, &slots, round * members, arriving, &sent.order(round));
                round += 1;
            }
        }
    }

    /// A round is sent in a run of slots that comes after so many others: cell by cell, in this order.
    fn send_round(&mut self, port: usize, run: &SlotRun, before: u64, arriving: Arriving<'_>, sent: &[Cell]) {
        #[expect(clippy::cast_possible_truncation, reason = "no more than there are counts of")]
        for ((slot, cell), place) in run.slots().zip(sent).zip(before as usize..) {
            let arriving = match arriving {
                Arriving::Counted(circuit, counts) => Arriving::Counted(circuit, &counts[place..=place]),
                each @ Arriving::InEach(_) => each,
            };
            self.shares_moved(port, &slot, arriving, Leaving::Circuit(cell.circuit()));
        }
    }

    /// Whole rounds are sent, and each slot lets in a cell of each of those that arrive: as many rounds as can be, and no more than
    /// `most`, without a share being further from what is written than the bound. Gives how many.
    fn send_rounds_at_once(&mut self, port: usize, most: u64, arriving: &[Cell], sent: &[Cell]) -> u64 {
        let slots = sent.len() as i64;
        let (bound, most) = (self.bound, most.cast_signed());
        let shares = &mut self.shares[port];
        shares.mark(arriving, sent);
        self.added.clear();
        self.added.extend(shares.added_by_round(arriving, sent, slots));
        // A share that grows never falls on the way: in a round its circuit sends in one slot, and lets in a cell in each.
        let rounds = self.added.iter().fold(most, |rounds, &(flow, added)| {
            let level = &shares.levels[flow];
            if level.stays_within(added * rounds, bound) { rounds } else { level.times_within(added, bound) }
        });
        if rounds > 0 {
            for &(flow, added) in &self.added {
                let level = &mut shares.levels[flow];
                level.moves_to(level.cells() + added * rounds, bound);
                self.changes += (added.abs() * rounds).cast_unsigned();
            }
        }
        rounds.cast_unsigned()
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
            (arriving, Leaving::Rounds(sent)) => self.send_rounds(port, run, arriving, &sent),
        }
        self.write_rows(port, |slot| run.end_of(slot));
    }
}

impl Trace for QueuesByFlow {
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

    fn into_table(self: Box<Self>) -> Table {
        self.table
    }
}
