//! Conditions of the bottleneck's path over time, independent of the traffic.

use longfat_engine::observer::Observer;
use longfat_engine::path::Step;
use longfat_engine::units::Rate;

use super::{Kind, Network, Rows, TIME, Trace, integers};
use crate::table::{Column, Holds, Table, Value};

/// Trace of the path's conditions.
pub struct States(Table);

impl Observer for States {}

impl Trace for States {
    const KIND: Kind = Kind {
        name: "path",
        doc: "state of the bottleneck's path, which holds until the next",
        columns: &[
            TIME,
            integers("rate_bps", "bits per second of data; 0 while the path is interrupted, in both directions"),
            integers("delay_ps", "one-way propagation delay, in both directions"),
            integers("jitter_ps", "largest extra delay of a packet, in both directions"),
            Column {
                name: "loss",
                holds: Holds::Numbers,
                doc: "probability that a packet is lost, in both directions",
            },
        ],
        rows: Rows::Events,
    };

    fn start(network: &Network, mut table: Table) -> Self {
        for Step { time, rate, delay, jitter, loss } in &network.path {
            let rate = rate.map_or(0, |Rate(bits)| bits);
            table.add([(*time).into(), rate.into(), delay.0.into(), jitter.0.into(), Value::number(*loss)]);
        }
        Self(table)
    }

    super::rows_are_its_changes!(0);
}
