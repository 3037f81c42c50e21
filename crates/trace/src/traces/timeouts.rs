//! Expiries of retransmission timers, with data in flight or during a handshake.

use longfat_engine::observer::Observer;
use longfat_engine::transport::Window;
use longfat_engine::units::Time;

use super::{FLOW, Kind, Network, Rows, TIME, Trace};
use crate::table::{Table, Value};

/// Trace of all expiries.
pub struct Timeouts(Table);

impl Observer for Timeouts {
    fn timed_out(&mut self, now: Time, flow: usize, _window: &Window) {
        self.0.add([now.into(), Value::flow(flow)]);
    }
}

impl Trace for Timeouts {
    const KIND: Kind = Kind {
        name: "timeouts",
        doc: "every expiry of a flow's retransmission timer",
        columns: &[TIME, FLOW],
        rows: Rows::Events,
    };

    fn start(_network: &Network, table: Table) -> Self {
        Self(table)
    }

    super::rows_are_its_changes!(0);
}
