//! Packets that lose a cell, with the reason.

use longfat_engine::framing::{Cell, Content};
use longfat_engine::observer::Observer;
use longfat_engine::switch::drop_policy::Verdict;
use longfat_engine::units::Time;

use super::{Kind, Network, Rows, TIME, Trace, flags, integers, words};
use crate::table::{Table, Value};

/// Trace of all losses.
pub struct Drops {
    /// Words for overflow, refusal by a policy, and loss by a loss model.
    reasons: [Value; 3],
    /// Word for the port of packets lost by a loss model.
    lost: Value,
    table: Table,
}

impl Drops {
    fn note(&mut self, now: Time, flow: usize, content: &Content, reason: usize, is_tagged: bool, port: Value) {
        let (flow, is_data, sequence, length) = match content {
            Content::Data { sequence, length, .. } => (Value::flow(flow), true, *sequence, *length),
            Content::Acknowledgment(acknowledgment) => (Value::flow(flow), false, acknowledgment.next, 0),
            Content::Synchronize { .. } | Content::Synchronized { .. } => (Value::flow(flow), false, 0, 0),
            Content::Datagram { sequence, length, is_answer, .. } => {
                (Value::flow(flow), !is_answer, *sequence, *length)
            }
            Content::Background => (Value::integer(0), false, 0, 0),
        };
        self.table.add([
            now.into(),
            flow,
            self.reasons[reason],
            Value::flag(is_data),
            Value::flag(is_tagged),
            sequence.into(),
            length.into(),
            port,
        ]);
    }
}

impl Observer for Drops {
    fn packet_dropped(&mut self, now: Time, port: usize, flow: usize, cell: Cell, content: &Content, reason: Verdict) {
        let reason = usize::from(reason != Verdict::Overflow);
        self.note(now, flow, content, reason, cell.is_tagged(), Network::port_word(port));
    }

    fn packet_lost(&mut self, now: Time, flow: usize, content: &Content) {
        self.note(now, flow, content, 2, false, self.lost);
    }
}

impl Trace for Drops {
    const KIND: Kind = Kind {
        name: "drops",
        doc: "every packet that loses a cell, when it loses the first: to a port or to a loss model",
        columns: &[
            TIME,
            integers("flow", "number of the flow, from 1 on; 0 for background traffic"),
            words(
                "reason",
                "overflow: the buffer is full; refused: the policy drops the packet from its first cell on; loss-model",
            ),
            flags("is_data", "whether it carries data; false for acknowledgments, answers to datagrams and background"),
            flags("is_tagged", "whether it exceeds the rate promised to its connection (CLP 1)"),
            integers(
                "sequence",
                "first byte of data; of an acknowledgment, the next byte expected; of a datagram, its number",
            ),
            integers("length_bytes", "bytes of data"),
            words("port", "name of the port; loss-model where one lost it"),
        ],
        rows: Rows::Events,
    };

    fn start(network: &Network, table: Table) -> Self {
        Self {
            lost: network.reason_word(None),
            reasons: [Some(Verdict::Overflow), Some(Verdict::Refused), None].map(|reason| network.reason_word(reason)),
            table,
        }
    }

    super::rows_are_its_changes!(table);
}
