//! Acknowledgments that reach senders.

use longfat_engine::observer::Observer;
use longfat_engine::transport::{Acknowledgment, Window};
use longfat_engine::units::Time;

use super::{FLOW, Kind, Network, Rows, TIME, Trace, integers};
use crate::table::{Table, Value};

/// Trace of all acknowledgments.
pub struct Acknowledgments {
    /// Of each connection, in bytes.
    windows: Vec<u64>,
    table: Table,
}

impl Observer for Acknowledgments {
    fn acknowledgment_received(&mut self, now: Time, flow: usize, acknowledgment: &Acknowledgment, _window: &Window) {
        let next = acknowledgment.next;
        self.table.add([
            now.into(),
            Value::flow(flow),
            next.into(),
            (next + self.windows[flow % self.windows.len()]).into(),
        ]);
    }
}

impl Trace for Acknowledgments {
    const KIND: Kind = Kind {
        name: "acknowledgments",
        doc: "every acknowledgment as it reaches its sender",
        columns: &[
            TIME,
            FLOW,
            integers("next", "the next byte that the receiver expects"),
            integers("window_end", "the byte before which the receiver allows to send"),
        ],
        rows: Rows::Events,
    };

    fn start(network: &Network, table: Table) -> Self {
        Self { windows: network.receiver_windows.clone(), table }
    }

    super::rows_are_its_changes!(table);
}

/// Trace of all SACK blocks.
pub struct Blocks(Table);

impl Observer for Blocks {
    fn acknowledgment_received(&mut self, now: Time, flow: usize, acknowledgment: &Acknowledgment, _window: &Window) {
        for &(from, to) in acknowledgment.blocks.as_slice() {
            self.0.add([now.into(), Value::flow(flow), from.into(), to.into()]);
        }
    }
}

impl Trace for Blocks {
    const KIND: Kind = Kind {
        name: "selective-acknowledgments",
        doc: "every block of the selective acknowledgments that reach a sender",
        columns: &[
            TIME,
            FLOW,
            integers("from", "first byte that has arrived"),
            integers("to", "the byte after the last of them"),
        ],
        rows: Rows::Events,
    };

    fn start(_network: &Network, table: Table) -> Self {
        Self(table)
    }

    super::rows_are_its_changes!(0);
}
