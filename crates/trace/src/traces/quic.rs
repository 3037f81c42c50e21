//! Packets and frames of QUIC at the sending end, and packets that it takes for lost.

use longfat_engine::end_system::Direction;
use longfat_engine::observer::Observer;
use longfat_engine::quic::{DELAY_UNIT_US, Frame, Kind as PacketKind, Packet};
use longfat_engine::units::Time;

use super::{FLOW, Kind, Network, Rows, TIME, Trace, flags, integers, words};
use crate::table::{Column, Table, Value};

/// Kinds of packets and of frames, as qlog names them.
pub const WORDS: [&str; 15] = [
    "initial",
    "0RTT",
    "handshake",
    "1RTT",
    "padding",
    "ping",
    "ack",
    "crypto",
    "stream",
    "max_data",
    "max_stream_data",
    "data_blocked",
    "stream_data_blocked",
    "handshake_done",
    "unknown",
];

fn name_of(kind: PacketKind) -> &'static str {
    match kind {
        PacketKind::Initial => "initial",
        PacketKind::ZeroRoundTrip => "0RTT",
        PacketKind::Handshake => "handshake",
        PacketKind::OneRoundTrip => "1RTT",
    }
}

/// Place of the first of [`WORDS`] in the vocabulary.
#[derive(Clone, Copy)]
struct Words(usize);

impl Words {
    fn of(network: &Network) -> Self {
        Self(network.words_before_quic())
    }

    fn word(self, name: &str) -> Value {
        Value::word(self.0 + WORDS.iter().position(|word| *word == name).unwrap_or(WORDS.len() - 1))
    }
}

const IS_RECEIVED: Column = flags("is_received", "whether it arrives at the sending end; otherwise it leaves");
const PACKET_KIND: Column = words("kind", "kind of the packet: initial, 0RTT, handshake or 1RTT");
const NUMBER: Column = integers("number", "packet number, in the packet number space of its kind");

/// Trace of all QUIC packets.
pub struct Packets {
    words: Words,
    table: Table,
}

impl Observer for Packets {
    fn quic_packet(&mut self, now: Time, connection: usize, direction: Direction, packet: &Packet, size: u64) {
        self.table.add([
            now.into(),
            Value::flow(connection),
            Value::flag(direction == Direction::Received),
            self.words.word(name_of(packet.kind)),
            packet.number.into(),
            size.into(),
        ]);
    }
}

impl Trace for Packets {
    const KIND: Kind = Kind {
        name: "packets",
        doc: "every QUIC packet that leaves the sending end of a flow or arrives there",
        columns: &[TIME, FLOW, IS_RECEIVED, PACKET_KIND, NUMBER, integers("size_bytes", "bytes in its datagram")],
        rows: Rows::Events,
    };

    fn start(network: &Network, table: Table) -> Self {
        Self { words: Words::of(network), table }
    }

    super::rows_are_its_changes!(table);
}

/// Trace of the frames in these packets.
pub struct Frames {
    words: Words,
    /// Packets so far.
    packets: u64,
    table: Table,
}

impl Observer for Frames {
    fn quic_packet(&mut self, now: Time, connection: usize, _direction: Direction, packet: &Packet, _size: u64) {
        for frame in &packet.frames {
            let (name, id, ranges): (_, _, &[(u64, u64)]) = match frame {
                Frame::Padding(bytes) => ("padding", 0, &[(0, *bytes)]),
                Frame::Ping => ("ping", 0, &[(0, 0)]),
                Frame::Ack(ack) => ("ack", ack.delay * DELAY_UNIT_US, &ack.ranges),
                Frame::Crypto(range) => ("crypto", 0, &[*range]),
                Frame::Stream { id, range, .. } => ("stream", *id, &[*range]),
                Frame::MaxData(limit) => ("max_data", 0, &[(0, *limit)]),
                Frame::MaxStreamData(id, limit) => ("max_stream_data", *id, &[(0, *limit)]),
                Frame::MaxStreams(limit) => ("max_streams", 0, &[(0, *limit)]),
                Frame::DataBlocked(limit) => ("data_blocked", 0, &[(0, *limit)]),
                Frame::StreamDataBlocked(id, limit) => ("stream_data_blocked", *id, &[(0, *limit)]),
                Frame::StreamsBlocked(limit) => ("streams_blocked", 0, &[(0, *limit)]),
                Frame::HandshakeDone => ("handshake_done", 0, &[(0, 0)]),
                other => ("unknown", other.type_code(), &[(0, 0)]),
            };
            for (from, to) in ranges {
                self.table.add([
                    now.into(),
                    Value::flow(connection),
                    self.packets.into(),
                    self.words.word(name),
                    id.into(),
                    (*from).into(),
                    (*to).into(),
                ]);
            }
        }
        self.packets += 1;
    }
}

impl Trace for Frames {
    const KIND: Kind = Kind {
        name: "frames",
        doc: "every frame of these packets; a row for each range of an acknowledgment",
        columns: &[
            TIME,
            FLOW,
            integers("packet", "row of its packet in the trace `packets`, from 0"),
            words("frame", "type of the frame, as qlog names it"),
            integers("id", "stream; delay of an acknowledgment in microseconds; type of an unknown frame"),
            integers("from", "first byte of data, or packet number acknowledged"),
            integers(
                "to",
                "byte behind the last, or packet number behind the last acknowledged; limit of flow control",
            ),
        ],
        rows: Rows::Events,
    };

    fn start(network: &Network, table: Table) -> Self {
        Self { words: Words::of(network), packets: 0, table }
    }

    super::rows_are_its_changes!(table);
}

/// Trace of packets taken for lost.
pub struct Lost {
    words: Words,
    table: Table,
}

impl Observer for Lost {
    fn quic_packet_lost(&mut self, now: Time, connection: usize, kind: PacketKind, number: u64) {
        self.table.add([now.into(), Value::flow(connection), self.words.word(name_of(kind)), number.into()]);
    }
}

impl Trace for Lost {
    const KIND: Kind = Kind {
        name: "packets-lost",
        doc: "every QUIC packet that the sending end takes for lost; quinn does not tell",
        columns: &[TIME, FLOW, PACKET_KIND, NUMBER],
        rows: Rows::Events,
    };

    fn start(network: &Network, table: Table) -> Self {
        Self { words: Words::of(network), table }
    }

    super::rows_are_its_changes!(table);
}
