//! Time series of a sender's state: windows, flight, timeout.

use std::marker::PhantomData;

use longfat_engine::observer::Observer;
use longfat_engine::transport::Sender;
use longfat_engine::units::Time;

use super::{FLOW, Kind, Network, Rows, Scale, TIME, Trace, numbers};
use crate::deadband::Deadband;
use crate::table::{Table, Value};

/// A state variable of senders.
pub trait Held: Send {
    /// Its trace.
    const KIND: Kind;
    /// Scale of its error bound.
    const SCALE: Scale;

    /// Current value.
    fn read(sender: &Sender) -> f64;
}

/// The congestion window.
pub struct CongestionWindow;

impl Held for CongestionWindow {
    const KIND: Kind = Kind {
        name: "cwnd",
        doc: "congestion window of each flow, including its inflation by duplicate acknowledgments during recovery",
        columns: &[TIME, FLOW, numbers("cwnd_bytes", "congestion window")],
        rows: Rows::Changes(Self::SCALE),
    };
    const SCALE: Scale = Scale::Window;

    fn read(sender: &Sender) -> f64 {
        sender.window().cwnd + sender.window().inflation
    }
}

/// The slow start threshold.
pub struct SlowStartThreshold;

impl Held for SlowStartThreshold {
    const KIND: Kind = Kind {
        name: "ssthresh",
        doc: "slow start threshold of each flow",
        columns: &[
            TIME,
            FLOW,
            numbers("ssthresh_bytes", "slow start threshold; infinite before the first loss if it has none"),
        ],
        rows: Rows::Changes(Self::SCALE),
    };
    const SCALE: Scale = Scale::Window;

    fn read(sender: &Sender) -> f64 {
        sender.window().ssthresh
    }
}

/// Data in flight.
pub struct Flight;

impl Held for Flight {
    const KIND: Kind = Kind {
        name: "flight",
        doc: "bytes in flight of each flow: sent and not acknowledged",
        columns: &[TIME, FLOW, numbers("flight_bytes", "highest byte sent less first byte not acknowledged")],
        rows: Rows::Changes(Self::SCALE),
    };
    const SCALE: Scale = Scale::Window;

    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53")]
    fn read(sender: &Sender) -> f64 {
        sender.flight() as f64
    }
}

/// The retransmission timeout.
pub struct Timeout;

impl Held for Timeout {
    const KIND: Kind = Kind {
        name: "rto",
        doc: "retransmission timeout of each flow, with its backoff",
        columns: &[
            TIME,
            FLOW,
            numbers("rto_s", "duration of a timer that is started now, in whole ticks of the clock"),
        ],
        rows: Rows::Changes(Self::SCALE),
    };
    const SCALE: Scale = Scale::Nothing;

    fn read(sender: &Sender) -> f64 {
        sender.timeout().as_seconds()
    }
}

/// Trace of a state variable, at its changes.
pub struct FlowSeries<H> {
    bands: Vec<Deadband>,
    table: Table,
    held: PhantomData<H>,
}

impl<H: Held> FlowSeries<H> {
    // Not inlined: nearly every acknowledgment is examined, and few are written.
    #[cold]
    #[inline(never)]
    fn write(&mut self, now: Time, flow: usize, value: f64) {
        self.table.add([now.into(), Value::flow(flow), Value::number(value)]);
    }
}

impl<H: Held> Observer for FlowSeries<H> {
    fn sender_acted(&mut self, now: Time, flow: usize, sender: &Sender) {
        let value = H::read(sender);
        if self.bands[flow].moves_to(value) {
            self.write(now, flow, value);
        }
    }
}

impl<H: Held> Trace for FlowSeries<H> {
    const KIND: Kind = H::KIND;

    fn start(network: &Network, table: Table) -> Self {
        let bands = vec![Deadband::new(network.bound(H::SCALE)); network.flows];
        Self { bands, table, held: PhantomData }
    }

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

    fn table(&self) -> &Table {
        &self.table
    }

    fn into_table(self) -> Table {
        self.table
    }
}
