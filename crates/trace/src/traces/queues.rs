//! Cells that wait at ports.

use longfat_engine::observer::Observer;
use longfat_engine::switch::Port;
use longfat_engine::switch::scheduler::Class;
use longfat_engine::units::Time;

use super::{FLOW, Kind, Network, PORT, Rows, Scale, TIME, Trace, integers, words};
use crate::deadband::Deadband;
use crate::table::{Table, Value};

/// The queue of each class.
pub const QUEUE: Kind = Kind {
    name: "queue",
    doc: "queue of each service class at each port when the slot is over and its cell sent; without classes all cells are of the class ubr",
    columns: &[
        TIME,
        PORT,
        words("class", "service class"),
        integers("cells", "cells that wait; packets where they travel whole"),
    ],
    rows: Rows::Changes(Scale::Buffer),
    watches_cells: true,
    needs_every_slot: false,
    start: |network, table| Box::new(Queues::new(network, table, of_classes, labels_of_classes(network))),
};

/// What each flow has in the queue.
pub const QUEUE_BY_FLOW: Kind = Kind {
    name: "queue-by-flow",
    doc: "what each flow has in the queue of each port: the buffer of its virtual circuit",
    columns: &[TIME, PORT, FLOW, integers("cells", "cells that wait; packets where they travel whole")],
    rows: Rows::Changes(Scale::Buffer),
    watches_cells: true,
    needs_every_slot: true,
    start: |network, table| {
        Box::new(Queues::new(network, table, of_flows, (0..network.connections).map(Value::flow).collect()))
    },
};

/// Writes the lengths of the queues at a port into places, one for each label.
type Measure = fn(&Port, &mut [u64]);

struct Queues {
    measure: Measure,
    /// What a row calls each queue of a port.
    labels: Vec<Value>,
    /// The bands of all queues of a port, port by port.
    bands: Vec<Vec<Deadband>>,
    /// Lengths of the port at hand, and the same when each port was last heard of.
    lengths: Vec<u64>,
    before: Vec<Vec<u64>>,
    table: Table,
}

fn of_classes(port: &Port, lengths: &mut [u64]) {
    lengths[0] = port.occupancy().total();
    if let (Some(vbr), [_, length]) = (port.vbr(), lengths) {
        *length = vbr.cells_held();
    }
}

fn labels_of_classes(network: &Network) -> Vec<Value> {
    let classes: &[Class] = if network.has_classes { &[Class::Ubr, Class::Vbr] } else { &[Class::Ubr] };
    classes.iter().map(|&class| network.class_word(class)).collect()
}

/// Of every two circuits the first leads to the destination; what comes back never waits at a managed port.
fn of_flows(port: &Port, lengths: &mut [u64]) {
    for (length, circuit) in lengths.iter_mut().zip(port.occupancy().of_circuits().iter().step_by(2)) {
        *length = *circuit;
    }
}

impl Queues {
    fn new(network: &Network, table: Table, measure: Measure, labels: Vec<Value>) -> Self {
        let band = Deadband::new(network.bound(Scale::Buffer));
        Self {
            measure,
            bands: vec![vec![band; labels.len()]; network.ports.len()],
            lengths: vec![0; labels.len()],
            before: vec![vec![u64::MAX; labels.len()]; network.ports.len()],
            labels,
            table,
        }
    }
}

impl Observer for Queues {
    fn queue_changed(&mut self, now: Time, port: usize, state: &Port) {
        (self.measure)(state, &mut self.lengths);
        self.note(now, port);
    }

    fn queue_moved(&mut self, now: Time, port: usize, cells: u64) {
        self.lengths[0] = cells;
        self.note(now, port);
    }
}

#[expect(clippy::cast_precision_loss, reason = "queues are far below 2^53 cells")]
impl Queues {
    /// Adds rows for those of the port's queues whose lengths have changed enough.
    #[inline]
    fn note(&mut self, now: Time, port: usize) {
        let bands = self.bands[port].iter_mut().zip(&self.labels);
        for ((before, &length), (band, &label)) in self.before[port].iter_mut().zip(&self.lengths).zip(bands) {
            if *before == length {
                continue; // as nearly all are from one slot to the next
            }
            *before = length;
            if band.moves_to(length as f64) {
                self.table.add([now.into(), Network::port_word(port), label, length.into()]);
            }
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "queues are far below 2^53 cells")]
impl Trace for Queues {
    fn end(&mut self, now: Time) {
        for (port, bands) in self.bands.iter().enumerate() {
            for (band, &label) in bands.iter().zip(&self.labels) {
                if let Some(length) = band.last() {
                    let length = Value::Integer(length as i64);
                    self.table.add([now.into(), Network::port_word(port), label, length]);
                }
            }
        }
    }

    fn changes(&self) -> u64 {
        self.bands.iter().flatten().map(|band| band.changes).sum()
    }

    fn into_table(self: Box<Self>) -> Table {
        self.table
    }
}
