//! Round trips as senders measure them.

use longfat_engine::observer::Observer;
use longfat_engine::transport::Sender;
use longfat_engine::units::Time;

use super::{FLOW, Hears, Kind, Rows, TIME, Trace, numbers};
use crate::table::{Table, Value};

/// Every round trip measured.
pub const RTT: Kind = Kind {
    name: "rtt",
    doc: "every round trip that a flow's timeout is computed from, before it is counted in ticks",
    columns: &[TIME, FLOW, numbers("rtt_s", "from the segment to its acknowledgment")],
    rows: Rows::Events,
    hears: Hears::Senders,
    start: |network, table| Box::new(RoundTrips { seen: vec![0; network.flows], table }),
};

struct RoundTrips {
    /// How many each flow has measured.
    seen: Vec<u64>,
    table: Table,
}

impl Observer for RoundTrips {
    fn sender_acted(&mut self, now: Time, flow: usize, sender: &Sender) {
        let measured = sender.statistics().round_trips;
        if measured > self.seen[flow] {
            self.seen[flow] = measured;
            if let Some(round_trip) = sender.round_trip() {
                self.table.add([now.into(), Value::flow(flow), Value::number(round_trip.as_seconds())]);
            }
        }
    }
}

impl Trace for RoundTrips {
    fn changes(&self) -> u64 {
        self.seen.iter().sum()
    }

    fn into_table(self: Box<Self>) -> Table {
        self.table
    }
}
