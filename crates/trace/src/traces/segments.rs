//! Segments sent.

use longfat_engine::observer::Observer;
use longfat_engine::transport::{Segment, Window};
use longfat_engine::units::Time;

use super::{FLOW, Kind, Network, Rows, TIME, Trace, flags, integers};
use crate::table::{Table, Value};

/// Trace of all segments.
pub struct Segments(Table);

impl Observer for Segments {
    fn segment_sent(&mut self, now: Time, flow: usize, segment: Segment, _window: &Window) {
        if !segment.synchronize {
            let Segment { sequence, length, again, .. } = segment;
            self.0.add([now.into(), Value::flow(flow), sequence.into(), length.into(), Value::flag(again)]);
        }
    }
}

impl Trace for Segments {
    const KIND: Kind = Kind {
        name: "segments",
        doc: "every segment with data as its sender hands it to the network interface",
        columns: &[
            TIME,
            FLOW,
            integers("sequence", "first byte"),
            integers("length_bytes", "bytes of data"),
            flags("is_again", "whether its first byte has been sent before"),
        ],
        rows: Rows::Events,
    };

    fn start(_network: &Network, table: Table) -> Self {
        Self(table)
    }

    super::rows_are_its_changes!(0);
}
