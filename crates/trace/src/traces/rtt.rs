//! Round trips measured by senders.

use longfat_engine::end_system::Vitals;
use longfat_engine::observer::Observer;
use longfat_engine::transport::{Sender, SenderStatistics};
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
    fn answer_received(
        &mut self,
        now: Time,
        connection: usize,
        _sequence: u64,
        _length: u64,
        round_trip: Option<Span>,
    ) {
        if round_trip.is_some() {
            self.note(now, connection, self.seen[connection] + 1, round_trip);
        }
    }

    fn sender_acted(&mut self, now: Time, flow: usize, sender: &Sender) {
        self.note(now, flow, sender.statistics().round_trips.count, sender.round_trip());
    }

    fn stack_acted(&mut self, now: Time, connection: usize, vitals: &Vitals, counted: &SenderStatistics) {
        self.note(now, connection, counted.round_trips.count, vitals.round_trip);
    }
}

impl RoundTrips {
    /// Notes the latest of `measured` round trips, if it is new.
    fn note(&mut self, now: Time, flow: usize, measured: u64, latest: Option<Span>) {
        if measured > self.seen[flow] {
            self.seen[flow] = measured;
            if let Some(round_trip) = latest {
                self.table.add([now.into(), Value::flow(flow), Value::number(round_trip.as_seconds())]);
            }
        }
    }
}

impl Trace for RoundTrips {
    const KIND: Kind = Kind {
        name: "rtt",
        doc: "every round trip that a flow's timeout is computed from, before it is counted in ticks; of UDP, every answered datagram's; of quinn, its smoothed round trip",
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
