//! Queue lengths of ports, by service class.

use longfat_engine::observer::{Observer, SlotRun};
use longfat_engine::switch::PortState;
use longfat_engine::units::Time;

use super::{Kind, Network, PORT, Rows, Scale, TIME, Trace, integers, words};
use crate::level::Level;
use crate::table::{Table, Value};

/// Trace of the queues.
pub struct Queues {
    bound: i64,
    /// Label of each class in rows.
    labels: Vec<Value>,
    /// Queue length of each class at each port.
    levels: Vec<Vec<Level>>,
    changes: u64,
    table: Table,
}

impl Queues {
    fn new(network: &Network, mut table: Table) -> Self {
        let labels = network.labels_of_classes();
        for port in 0..network.ports.len() {
            labels.iter().for_each(|&label| add(&mut table, Time::ZERO, port, label, 0));
        }
        Self {
            bound: network.bound_in_cells(),
            levels: vec![vec![Level::EMPTY; labels.len()]; network.ports.len()],
            labels,
            changes: 0,
            table,
        }
    }

    #[inline]
    fn note(&mut self, now: Time, port: usize, class: usize, cells: u64) {
        let level = &mut self.levels[port][class];
        let cells = cells.cast_signed();
        if level.cells() == cells {
            return;
        }
        self.changes += 1;
        if level.moves_to(cells, self.bound) {
            add(&mut self.table, now, port, self.labels[class], cells);
        }
    }
}

/// Not inlined, to keep the code that examines every slot short.
#[inline(never)]
fn add(table: &mut Table, now: Time, port: usize, label: Value, cells: i64) {
    table.add([now.into(), Network::port_word(port), label, Value::integer(cells)]);
}

impl Observer for Queues {
    fn queue_changed(&mut self, now: Time, port: usize, state: &PortState) {
        self.note(now, port, 0, state.occupancy().total());
        if let Some(vbr) = state.vbr()
            && self.labels.len() > 1
        {
            self.note(now, port, 1, vbr.cells_held());
        }
    }

    fn queue_moved(&mut self, now: Time, port: usize, cells: u64) {
        self.note(now, port, 0, cells);
    }

    fn queue_moved_by_counts(&mut self, port: usize, run: &SlotRun, before: u64, counts: &[u32]) {
        // The queue length is the one last reported.
        let level = &mut self.levels[port][0];
        debug_assert_eq!(level.cells(), before.cast_signed());
        for (slot, &count) in (0..).zip(counts) {
            self.changes += u64::from(count != 1);
            if level.moves_to(level.cells() + i64::from(count) - 1, self.bound) {
                add(&mut self.table, run.end_of(slot), port, self.labels[0], level.cells());
            }
        }
    }

    fn queue_moved_by_rounds(&mut self, port: usize, run: &SlotRun, before: u64, members: u64) {
        // The queue length is the one last reported.
        let level = &mut self.levels[port][0];
        debug_assert_eq!(level.cells(), before.cast_signed());
        let added = members.cast_signed() - 1;
        self.changes += if added == 0 { 0 } else { run.number };
        level.moves_by(added, run.number.cast_signed(), self.bound, |slot, cells| {
            add(&mut self.table, run.end_of(slot.cast_unsigned()), port, self.labels[0], cells);
        });
    }
}

impl Trace for Queues {
    const KIND: Kind = Kind {
        name: "queue",
        doc: "queue of each service class at each port at the end of a slot, after its cell is sent; without classes all cells are of the class ubr",
        columns: &[
            TIME,
            PORT,
            words("class", "service class"),
            integers("cells", "cells that wait; packets where they travel whole"),
        ],
        rows: Rows::Changes(Scale::Buffer),
    };

    fn start(network: &Network, table: Table) -> Self {
        Self::new(network, table)
    }

    fn end(&mut self, now: Time) {
        for (port, levels) in self.levels.iter().enumerate() {
            for (level, &label) in levels.iter().zip(&self.labels) {
                add(&mut self.table, now, port, label, level.cells());
            }
        }
    }

    fn changes(&self) -> u64 {
        self.changes
    }

    fn table(&self) -> &Table {
        &self.table
    }

    fn into_table(self) -> Table {
        self.table
    }
}
