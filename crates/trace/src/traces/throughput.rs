//! Bytes delivered to the applications.
//!
//! Of many flows, most deliver nothing in most intervals, so only those that deliver something have a row.

use longfat_engine::observer::Observer;
use longfat_engine::units::{Span, Time};

use super::{FLOW, Kind, Network, Rows, TIME, Trace, integers};
use crate::table::{Table, Value};

/// Trace of the bytes delivered.
pub struct Delivered {
    /// Next byte expected by each receiver, now and at the start of the current interval.
    next: Vec<u64>,
    before: Vec<u64>,
    /// Flows that have delivered anything in the current interval.
    delivering: Vec<usize>,
    from: Time,
    interval: Span,
    seen: u64,
    table: Table,
}

impl Delivered {
    fn close(&mut self, until: Time) {
        self.delivering.sort_unstable();
        for flow in self.delivering.drain(..) {
            let bytes = self.next[flow] - self.before[flow];
            self.table.add([self.from.into(), (until - self.from).0.into(), Value::flow(flow), bytes.into()]);
            self.before[flow] = self.next[flow];
        }
        self.from = until;
    }
}

impl Observer for Delivered {
    fn datagram_received(&mut self, now: Time, connection: usize, sequence: u64, length: u64, _delay: Span) {
        let next = self.next[connection] + length;
        self.segment_received(now, connection, sequence, length, next);
    }

    fn segment_received(&mut self, now: Time, flow: usize, _sequence: u64, _length: u64, next: u64) {
        while now >= self.from + self.interval {
            self.close(self.from + self.interval);
        }
        if next > self.next[flow] {
            self.seen += 1;
            if self.next[flow] == self.before[flow] {
                self.delivering.push(flow);
            }
            self.next[flow] = next;
        }
    }
}

impl Trace for Delivered {
    const KIND: Kind = Kind {
        name: "throughput",
        doc: "bytes of each flow that are delivered, by TCP in order, interval by interval; none in an interval without a row",
        columns: &[
            TIME,
            integers("interval_ps", "length of the interval that begins then; the last may be shorter"),
            FLOW,
            integers("bytes", "bytes delivered in it"),
        ],
        rows: Rows::Intervals,
    };

    fn start(network: &Network, table: Table) -> Self {
        Self {
            next: vec![0; network.flows],
            before: vec![0; network.flows],
            delivering: Vec::new(),
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
