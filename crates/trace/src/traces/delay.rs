//! One-way delays of datagrams.

use longfat_engine::observer::Observer;
use longfat_engine::units::{Span, Time};

use super::{FLOW, Kind, Network, Rows, TIME, Trace, integers, numbers};
use crate::table::{Table, Value};

/// Trace of the delays of all datagrams.
pub struct Delays(Table);

impl Observer for Delays {
    fn datagram_received(&mut self, now: Time, connection: usize, sequence: u64, length: u64, delay: Span) {
        let delay = Value::number(delay.as_seconds());
        self.0.add([now.into(), Value::flow(connection), sequence.into(), length.into(), delay]);
    }
}

impl Trace for Delays {
    const KIND: Kind = Kind {
        name: "delay",
        doc: "every datagram of a connection over UDP as it arrives at the far end; answers are in the trace rtt",
        columns: &[
            TIME,
            FLOW,
            integers("sequence", "number of the datagram, from 0 on"),
            integers("length_bytes", "bytes of data"),
            numbers("delay_s", "from its transmission to the arrival of its last bit"),
        ],
        rows: Rows::Events,
    };

    fn start(_network: &Network, table: Table) -> Self {
        Self(table)
    }

    super::rows_are_its_changes!(0);
}
