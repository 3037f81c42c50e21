//! Expiries of retransmission timers, with data in flight or during a handshake.

use longfat_engine::end_system::Vitals;
use longfat_engine::observer::Observer;
use longfat_engine::transport::{SenderStatistics, Window};
use longfat_engine::units::Time;

use super::{FLOW, Kind, Network, Rows, TIME, Trace};
use crate::table::{Table, Value};

/// Trace of all expiries.
pub struct Timeouts {
    /// Number of expiries that each stack has counted.
    seen: Vec<u64>,
    table: Table,
}

impl Observer for Timeouts {
    fn timed_out(&mut self, now: Time, flow: usize, _window: &Window) {
        self.table.add([now.into(), Value::flow(flow)]);
    }

    fn stack_acted(&mut self, now: Time, connection: usize, _vitals: &Vitals, counted: &SenderStatistics) {
        for _ in self.seen[connection]..counted.timeouts {
            self.table.add([now.into(), Value::flow(connection)]);
        }
        self.seen[connection] = counted.timeouts;
    }
}

impl Trace for Timeouts {
    const KIND: Kind = Kind {
        name: "timeouts",
        doc: "every expiry of a flow's retransmission timer; of QUIC, every probe timeout",
        columns: &[TIME, FLOW],
        rows: Rows::Events,
    };

    fn start(network: &Network, table: Table) -> Self {
        Self { seen: vec![0; network.connections], table }
    }

    super::rows_are_its_changes!(table);
}
