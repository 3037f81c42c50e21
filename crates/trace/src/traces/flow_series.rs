//! What a sender holds, over time: its windows, what is under way, its timeout.

use longfat_engine::observer::Observer;
use longfat_engine::transport::Sender;
use longfat_engine::units::Time;

use super::{FLOW, Hears, Kind, Network, Rows, Scale, TIME, Trace, numbers};
use crate::deadband::Deadband;
use crate::table::{Table, Value};

/// The congestion window.
pub const CWND: Kind = Kind {
    name: "cwnd",
    doc: "congestion window of each flow, with what duplicate acknowledgments add to it during recovery",
    columns: &[TIME, FLOW, numbers("cwnd_bytes", "congestion window")],
    rows: Rows::Changes(Scale::Window),
    hears: Hears::Senders,
    start: |network, table| {
        series(network, table, Scale::Window, |sender| sender.window().cwnd + sender.window().inflation)
    },
};

/// The slow start threshold.
pub const SSTHRESH: Kind = Kind {
    name: "ssthresh",
    doc: "slow start threshold of each flow",
    columns: &[
        TIME,
        FLOW,
        numbers("ssthresh_bytes", "slow start threshold; infinite before the first loss if it has none"),
    ],
    rows: Rows::Changes(Scale::Window),
    hears: Hears::Senders,
    start: |network, table| series(network, table, Scale::Window, |sender| sender.window().ssthresh),
};

/// What is under way.
pub const FLIGHT: Kind = Kind {
    name: "flight",
    doc: "bytes of each flow that are sent and not acknowledged",
    columns: &[TIME, FLOW, numbers("flight_bytes", "highest byte sent less first byte not acknowledged")],
    rows: Rows::Changes(Scale::Window),
    hears: Hears::Senders,
    start: |network, table| series(network, table, Scale::Window, flight),
};

/// The timeout.
pub const RTO: Kind = Kind {
    name: "rto",
    doc: "retransmission timeout of each flow, with its backoff",
    columns: &[TIME, FLOW, numbers("rto_s", "what a timer that is started now runs for, in whole ticks of the clock")],
    rows: Rows::Changes(Scale::Nothing),
    hears: Hears::Senders,
    start: |network, table| series(network, table, Scale::Nothing, |sender| sender.timeout().as_seconds()),
};

#[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53")]
fn flight(sender: &Sender) -> f64 {
    sender.flight() as f64
}

struct FlowSeries {
    read: fn(&Sender) -> f64,
    bands: Vec<Deadband>,
    table: Table,
}

fn series(network: &Network, table: Table, scale: Scale, read: fn(&Sender) -> f64) -> Box<dyn Trace> {
    Box::new(FlowSeries { read, bands: vec![Deadband::new(network.bound(scale)); network.flows], table })
}

impl FlowSeries {
    // Apart: nearly every acknowledgment is looked at, and few are written.
    #[cold]
    #[inline(never)]
    fn write(&mut self, now: Time, flow: usize, value: f64) {
        self.table.add([now.into(), Value::flow(flow), Value::number(value)]);
    }
}

impl Observer for FlowSeries {
    fn sender_acted(&mut self, now: Time, flow: usize, sender: &Sender) {
        let value = (self.read)(sender);
        if self.bands[flow].moves_to(value) {
            self.write(now, flow, value);
        }
    }
}

impl Trace for FlowSeries {
    fn end(&mut self, now: Time) {
        for (flow, band) in self.bands.iter().enumerate() {
            if let Some(value) = band.last() {
                self.table.add([now.into(), Value::flow(flow), Value::number(value)]);
            }
        }
    }

    fn changes(&self) -> u64 {
        self.bands.iter().map(|band| band.changes).sum()
    }

    fn into_table(self: Box<Self>) -> Table {
        self.table
    }
}
