//! Capacity that is granted, frame by frame.

use longfat_engine::capacity::Award;
use longfat_engine::observer::Observer;
use longfat_engine::units::Time;

use super::{Kind, Network, PORT, Rows, TIME, Trace, integers};
use crate::table::Table;

/// Trace of the frames in which a port has capacity.
pub struct Granted(Table);

impl Observer for Granted {
    fn granted(&mut self, now: Time, port: usize, award: &Award) {
        let Award { constant_bps, rate_bps, volume_bps, free_bps } = *award;
        if award.total_bps() > 0 {
            let port = Network::port_word(port);
            self.0.add([now.into(), port, constant_bps.into(), rate_bps.into(), volume_bps.into(), free_bps.into()]);
        }
    }
}

impl Trace for Granted {
    const KIND: Kind = Kind {
        name: "grants",
        doc: "every frame in which a port that asks for capacity has some",
        columns: &[
            TIME,
            PORT,
            integers("constant_bps", "granted without a request (CRA), in bits per second over the frame that begins"),
            integers("rate_bps", "granted for a requested rate (RBDC)"),
            integers("volume_bps", "granted for requested volume (VBDC, A-VBDC)"),
            integers("free_bps", "given away (FCA)"),
        ],
        rows: Rows::Events,
    };

    fn start(_network: &Network, table: Table) -> Self {
        Self(table)
    }

    super::rows_are_its_changes!(0);
}
