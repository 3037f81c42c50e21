//! Capacity of ports by service class.

use longfat_engine::framing::Class;
use longfat_engine::observer::{Observer, SlotRun};
use longfat_engine::units::{CELL_BITS, Span, Time};

use super::{Kind, Network, PORT, Rows, TIME, Trace, integers, words};
use crate::table::{Table, Value};

/// Cells, or whole packets, and their bits.
#[derive(Clone, Copy, Default)]
struct Served {
    cells: u64,
    bits: u64,
}

impl Served {
    fn add_cells(&mut self, cells: u64) {
        self.cells += cells;
        self.bits += cells * CELL_BITS;
    }
}

/// Trace of the cells served.
pub struct Capacity {
    /// Label of each class in rows.
    labels: Vec<Value>,
    /// Counts of the current interval, by port and class.
    counts: Vec<[Served; 2]>,
    from: Time,
    interval: Span,
    seen: u64,
    table: Table,
}

impl Capacity {
    fn close(&mut self, until: Time) {
        for (port, counts) in self.counts.iter_mut().enumerate() {
            for (&label, served) in self.labels.iter().zip(*counts) {
                let interval = (until - self.from).0.into();
                let (cells, bits) = (served.cells.into(), served.bits.into());
                self.table.add([self.from.into(), interval, Network::port_word(port), label, cells, bits]);
            }
            *counts = [Served::default(); 2];
        }
        self.from = until;
    }

    /// Counts slots of which the last may be in another interval.
    // Not inlined: few runs of slots are of this kind.
    #[cold]
    #[inline(never)]
    fn count_across(&mut self, port: usize, run: &SlotRun) {
        let mut left = *run;
        while left.not_before_its_end() >= self.from + self.interval && left.number > 0 {
            let end = self.from + self.interval;
            let now = left.number_before(end);
            self.counts[port][0].add_cells(now);
            (left.skipped, left.number) = (left.skipped + now, left.number - now);
            if left.number > 0 {
                self.close(end);
            }
        }
        self.counts[port][0].add_cells(left.number);
    }
}

impl Observer for Capacity {
    fn cell_served(&mut self, now: Time, port: usize, class: Class, bits: u64) {
        while now >= self.from + self.interval {
            self.close(self.from + self.interval);
        }
        let served = &mut self.counts[port][usize::from(class == Class::Vbr)];
        served.cells += 1;
        served.bits += bits;
        self.seen += 1;
    }

    fn cells_served(&mut self, port: usize, run: &SlotRun) {
        self.seen += run.number;
        if run.not_before_its_end() < self.from + self.interval {
            self.counts[port][0].add_cells(run.number);
        } else {
            self.count_across(port, run);
        }
    }
}

impl Trace for Capacity {
    const KIND: Kind = Kind {
        name: "capacity",
        doc: "cells of each service class that a port has begun to send, interval by interval",
        columns: &[
            TIME,
            integers("interval_ps", "length of the interval that begins then; the last may be shorter"),
            PORT,
            words("class", "service class"),
            integers("cells", "cells served in it; packets where they travel whole"),
            integers("bits", "bits of these"),
        ],
        rows: Rows::Intervals,
    };

    fn start(network: &Network, table: Table) -> Self {
        Self {
            labels: network.labels_of_classes(),
            counts: vec![[Served::default(); 2]; network.ports.len()],
            from: Time::ZERO,
            interval: network.interval,
            seen: 0,
            table,
        }
    }

    fn end(&mut self, now: Time) {
        while now > self.from {
            self.close(now.min(self.from + self.interval));
        }
    }

    fn changes(&self) -> u64 {
        self.seen
    }

    fn table(&self) -> &Table {
        &self.table
    }

    fn into_table(self) -> Table {
        self.table
    }
}
