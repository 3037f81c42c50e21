//! Round trips measured by senders.

use longfat_engine::observer::Observer;
use longfat_engine::transport::Sender;
use longfat_engine::units::{Span, Time};

use super::{FLOW, Kind, Network, Rows, TIME, Trace, numbers};
use crate::table::{Table, Value};

/// Trace of all measured round trips.
pub struct RoundTrips {
    /// Number of round trips that each flow has measured.
    seen: Vec<u64>,
    table: Table,
}

impl Observer for RoundTrips {
    fn answer_received(&mut self, now: Time, connection: usize, _sequence: u64, _length: u64, round_trip: Span) {
        self.seen[connection] += 1;
        self.table.add([now.into(), Value::flow(connection), Value::number(round_trip.as_seconds())]);
    }

    fn sender_acted(&mut self, now: Time, flow: usize, sender: &Sender) {
        let measured = sender.statistics().round_trips.count;
        if measured > self.seen[flow] {
            self.seen[flow] = measured;
            if let Some(round_trip) = sender.round_trip() {
                self.table.add([now.into(), Value::flow(flow), Value::number(round_trip.as_seconds())]);
            }
        }
    }
}

impl Trace for RoundTrips {
    const KIND: Kind = Kind {
        name: "rtt",
        doc: "every round trip that a flow's timeout is computed from, before it is counted in ticks; of UDP, every answered datagram's",
        columns: &[
            TIME,
            FLOW,
            numbers("rtt_s", "from the segment to its acknowledgment, or from the datagram to its answer"),
        ],
        rows: Rows::Events,
    };

    fn start(network: &Network, table: Table) -> Self {
        Self { seen: vec![0; network.flows], table }
    }

    fn changes(&self) -> u64 {
        self.seen.iter().sum()
    }

    fn table(&self) -> &Table {
        &self.table
    }

    fn into_table(self) -> Table {
        self.table
    }
}
