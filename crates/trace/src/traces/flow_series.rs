//! Time series of a sender's state: windows, flight, timeout.

use std::marker::PhantomData;

use longfat_engine::end_system::Vitals;
use longfat_engine::observer::Observer;
use longfat_engine::transport::{Sender, SenderStatistics};
use longfat_engine::units::{Span, Time};

use super::{FLOW, Kind, Network, Rows, Scale, TIME, Trace, numbers};
use crate::deadband::Deadband;
use crate::table::{Table, Value};

/// A state variable of senders.
pub trait Held: Send {
    /// Its trace.
    const KIND: Kind;
    /// Scale of its error bound.
    const SCALE: Scale;

    /// Current value of a TCP.
    fn read(sender: &Sender) -> Option<f64>;
    /// Current value of a stack, if it tells it.
    fn told(vitals: &Vitals) -> Option<f64>;
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

    fn read(sender: &Sender) -> Option<f64> {
        Some(sender.window().cwnd + sender.window().inflation)
    }

    fn told(vitals: &Vitals) -> Option<f64> {
        vitals.window
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

    fn read(sender: &Sender) -> Option<f64> {
        Some(sender.window().ssthresh)
    }

    fn told(vitals: &Vitals) -> Option<f64> {
        vitals.threshold
    }
}

/// Data in flight.
pub struct Flight;

impl Held for Flight {
    const KIND: Kind = Kind {
        name: "flight",
        doc: "bytes in flight of each flow: sent and not acknowledged; of QUIC, whole packets",
        columns: &[
            TIME,
            FLOW,
            numbers(
                "flight_bytes",
                "highest byte sent less first byte not acknowledged; of QUIC, bytes of packets in flight",
            ),
        ],
        rows: Rows::Changes(Self::SCALE),
    };
    const SCALE: Scale = Scale::Window;

    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53")]
    fn read(sender: &Sender) -> Option<f64> {
        Some(sender.flight() as f64)
    }

    fn told(vitals: &Vitals) -> Option<f64> {
        vitals.flight
    }
}

/// The retransmission timeout.
pub struct Timeout;

impl Held for Timeout {
    const KIND: Kind = Kind {
        name: "rto",
        doc: "retransmission timeout of each flow, with its backoff; of QUIC, the probe timeout of data",
        columns: &[
            TIME,
            FLOW,
            numbers("rto_s", "duration of a timer that is started now, in whole ticks of the clock"),
        ],
        rows: Rows::Changes(Self::SCALE),
    };
    const SCALE: Scale = Scale::Nothing;

    fn read(sender: &Sender) -> Option<f64> {
        Some(sender.timeout().as_seconds())
    }

    fn told(vitals: &Vitals) -> Option<f64> {
        vitals.timeout.map(Span::as_seconds)
    }
}

/// The smoothed round trip.
pub struct SmoothedRoundTrip;

impl Held for SmoothedRoundTrip {
    const KIND: Kind = Kind {
        name: "srtt",
        doc: "smoothed round trip of each flow, from its first sample on",
        columns: &[TIME, FLOW, numbers("srtt_s", "smoothed round trip, with an eighth of each new sample")],
        rows: Rows::Changes(Self::SCALE),
    };
    const SCALE: Scale = Scale::Nothing;

    fn read(sender: &Sender) -> Option<f64> {
        sender.smoothed_round_trip().map(Span::as_seconds)
    }

    fn told(vitals: &Vitals) -> Option<f64> {
        vitals.smoothed_round_trip.map(Span::as_seconds)
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

    #[inline]
    fn note(&mut self, now: Time, flow: usize, value: Option<f64>) {
        if let Some(value) = value
            && self.bands[flow].moves_to(value)
        {
            self.write(now, flow, value);
        }
    }
}

impl<H: Held> Observer for FlowSeries<H> {
    fn sender_acted(&mut self, now: Time, flow: usize, sender: &Sender) {
        self.note(now, flow, H::read(sender));
    }

    fn stack_acted(&mut self, now: Time, connection: usize, vitals: &Vitals, _counted: &SenderStatistics) {
        self.note(now, connection, H::told(vitals));
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
