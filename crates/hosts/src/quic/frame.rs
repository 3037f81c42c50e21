//! Frames (RFC 9000 section 19). The model counts data of streams and of the handshake and does not carry them: what they are does not matter.

use super::number::{self, Unread};
use crate::transport::ranges::Range;

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// So many bytes of padding.
    Padding(u64),
    /// Asks for an acknowledgment.
    Ping,
    /// Reports packets that have arrived.
    Ack(Ack),
    /// Data of the handshake.
    Crypto(Range),
    /// Data of a stream, to the end of the packet if it `fills` it.
    Stream {
        /// Number of the stream.
        id: u64,
        /// Its bytes.
        range: Range,
        /// True if no length is written.
        fills: bool,
        /// True if the stream ends with it.
        is_last: bool,
    },
    /// Bytes that the peer may send on all streams together.
    MaxData(u64),
    /// Bytes that the peer may send on a stream.
    MaxStreamData(u64, u64),
    /// Bidirectional streams that the peer may open in all.
    MaxStreams(u64),
    /// The sender has more than `MaxData` lets it send.
    DataBlocked(u64),
    /// The sender has more than `MaxStreamData` lets it send on a stream.
    StreamDataBlocked(u64, u64),
    /// The sender has messages for more bidirectional streams than `MaxStreams` lets it open.
    StreamsBlocked(u64),
    /// The server has completed the handshake.
    HandshakeDone,
    /// Asks for other rules of acknowledgment.
    AckFrequency {
        /// Number of the wish; the largest holds.
        sequence: u64,
        /// Packets that must be acknowledged that may arrive without an acknowledgment.
        packets: u64,
        /// Longest delay in microseconds.
        delay_us: u64,
        /// Packets of reordering that are worth an acknowledgment at once; 0 for none.
        reordering: u64,
    },
    /// Asks for an acknowledgment at once.
    ImmediateAck,
    /// A datagram of so many bytes (RFC 9221), and what the other end gets for it.
    Datagram {
        /// Its size on the line.
        length: u64,
        /// Contents that are handed out; they take no room on the line.
        contents: Vec<u8>,
    },
    /// A frame of this type that the model does not send. It is passed over.
    Other(u64),
}

/// The bytes of a datagram that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Neither data nor the whole tag, as the model's packets travel.
    Shortened,
    /// All of it, as on the line.
    Whole,
}

/// An acknowledgment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ack {
    /// Ranges of packet numbers, the largest first; at least one.
    pub ranges: Vec<Range>,
    /// Time from the arrival of the largest to the acknowledgment, in units of [`DELAY_UNIT_US`].
    pub delay: u64,
    /// Packets received with ECT(0), ECT(1) and CE so far.
    pub marks: Option<[u64; 3]>,
}

/// Unit of the delay of acknowledgments in microseconds: 2 to the default of `ack_delay_exponent` (RFC 9000 section 18.2).
pub const DELAY_UNIT_US: u64 = 1 << 3;

const PADDING: u64 = 0x00;
const PING: u64 = 0x01;
const ACK: u64 = 0x02;
const ACK_WITH_MARKS: u64 = 0x03;
const CRYPTO: u64 = 0x06;
const STREAM: u64 = 0x08;
const STREAM_LAST: u64 = 0x0f;
const HAS_OFFSET: u64 = 0x04;
const HAS_LENGTH: u64 = 0x02;
const IS_LAST: u64 = 0x01;
const MAX_DATA: u64 = 0x10;
const MAX_STREAM_DATA: u64 = 0x11;
const MAX_STREAMS: u64 = 0x12;
const DATA_BLOCKED: u64 = 0x14;
const STREAM_DATA_BLOCKED: u64 = 0x15;
const STREAMS_BLOCKED: u64 = 0x16;
const HANDSHAKE_DONE: u64 = 0x1e;
/// With a length (RFC 9221 section 4).
const DATAGRAM: u64 = 0x31;
/// draft-ietf-quic-ack-frequency-10 sections 4 and 5.
const IMMEDIATE_ACK: u64 = 0x1f;
const ACK_FREQUENCY: u64 = 0xaf;
const CONNECTION_CLOSE: [u64; 2] = [0x1c, 0x1d];

/// Other types: how many numbers they have, whether the last counts bytes that follow, and how many bytes end them.
const OTHERS: [(u64, u64, bool, u64); 11] = [
    (0x04, 3, false, 0),
    (0x05, 2, false, 0),
    (0x07, 1, true, 0),
    (0x13, 1, false, 0),
    (0x17, 1, false, 0),
    (0x18, 3, true, 16),
    (0x19, 1, false, 0),
    (0x1a, 0, false, 8),
    (0x1b, 0, false, 8),
    (0x1c, 3, true, 0),
    (0x1d, 2, true, 0),
];

impl Frame {
    /// True if its packet must be acknowledged (RFC 9000 section 13.2).
    #[must_use]
    pub fn is_eliciting(&self) -> bool {
        match self {
            Self::Ack(_) | Self::Padding(_) => false,
            Self::Other(kind) => !CONNECTION_CLOSE.contains(kind),
            _ => true,
        }
    }

    /// Its type, without the bits of a stream frame (RFC 9000 table 3).
    #[must_use]
    pub fn type_code(&self) -> u64 {
        let mut written = Vec::new();
        self.write(&mut written);
        Unread(&written).number().unwrap_or_default()
    }

    /// Bytes that it takes beside its data.
    #[must_use]
    pub fn header_bytes(&self) -> u64 {
        if let Self::Datagram { length, .. } = self {
            return number::size(DATAGRAM) + number::size(*length);
        }
        let mut written = Vec::new();
        self.write(&mut written);
        written.len() as u64
    }

    /// Bytes of data.
    #[must_use]
    pub fn data_bytes(&self) -> u64 {
        match self {
            Self::Crypto(range) | Self::Stream { range, .. } => range.1 - range.0,
            Self::Datagram { length, .. } => *length,
            _ => 0,
        }
    }

    /// Bytes that it takes in a packet.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.header_bytes() + self.data_bytes()
    }

    /// Adds it to the frames of a packet if there is room for it. Tells whether there was.
    pub fn add_to(self, frames: &mut Vec<Self>, left: &mut u64) -> bool {
        let fits = self.bytes() <= *left;
        if fits {
            *left -= self.bytes();
            frames.push(self);
        }
        fits
    }

    /// Largest number of bytes of data, of `available`, that fit into `room` bytes beside the header; `None` if none do.
    #[must_use]
    pub fn fitting(header_bytes: u64, available: u64, room: u64) -> Option<u64> {
        // The header is that without a length.
        let most = room.checked_sub(header_bytes + 1)?;
        let length = available.min(most);
        let length = length.min(room.saturating_sub(header_bytes + number::size(length)));
        Some(length).filter(|length| *length > 0)
    }

    /// Writes it without its data.
    pub fn write(&self, buffer: &mut Vec<u8>) {
        let numbers = |buffer: &mut Vec<u8>, numbers: &[u64]| numbers.iter().for_each(|it| number::write(buffer, *it));
        match self {
            Self::Padding(bytes) => buffer.resize(buffer.len() + usize::try_from(*bytes).unwrap_or(0), 0),
            Self::Ping => numbers(buffer, &[PING]),
            Self::Ack(ack) => ack.write(buffer),
            Self::Crypto((begin, end)) => numbers(buffer, &[CRYPTO, *begin, end - begin]),
            Self::Stream { id, range: (begin, end), fills, is_last } => {
                let has_offset = if *begin > 0 { HAS_OFFSET } else { 0 };
                let has_length = if *fills { 0 } else { HAS_LENGTH };
                let last = if *is_last { IS_LAST } else { 0 };
                numbers(buffer, &[STREAM | has_offset | has_length | last, *id]);
                if *begin > 0 {
                    numbers(buffer, &[*begin]);
                }
                if !fills {
                    numbers(buffer, &[end - begin]);
                }
            }
            Self::MaxData(limit) => numbers(buffer, &[MAX_DATA, *limit]),
            Self::MaxStreamData(id, limit) => numbers(buffer, &[MAX_STREAM_DATA, *id, *limit]),
            Self::MaxStreams(limit) => numbers(buffer, &[MAX_STREAMS, *limit]),
            Self::DataBlocked(limit) => numbers(buffer, &[DATA_BLOCKED, *limit]),
            Self::StreamDataBlocked(id, limit) => numbers(buffer, &[STREAM_DATA_BLOCKED, *id, *limit]),
            Self::StreamsBlocked(limit) => numbers(buffer, &[STREAMS_BLOCKED, *limit]),
            Self::HandshakeDone => numbers(buffer, &[HANDSHAKE_DONE]),
            Self::AckFrequency { sequence, packets, delay_us, reordering } => {
                numbers(buffer, &[ACK_FREQUENCY, *sequence, *packets, *delay_us, *reordering]);
            }
            Self::ImmediateAck => numbers(buffer, &[IMMEDIATE_ACK]),
            Self::Datagram { length, contents } => {
                numbers(buffer, &[DATAGRAM, *length, contents.len() as u64]);
                buffer.extend(contents);
            }
            Self::Other(kind) => numbers(buffer, &[*kind]),
        }
    }

    /// Reads the next frame of a packet of which `left` bytes are left, data included; `None` if its type is unknown.
    pub fn read(unread: &mut Unread<'_>, left: u64, form: Form) -> Option<Self> {
        let frame = Self::read_header(unread, left)?;
        if form == Form::Whole {
            unread.skip(frame.data_bytes())?;
        }
        Some(frame)
    }

    fn read_header(unread: &mut Unread<'_>, left: u64) -> Option<Self> {
        let before = unread.0.len() as u64;
        Some(match unread.number()? {
            PADDING => Self::Padding(1 + skip_zeros(unread, left - 1)),
            PING => Self::Ping,
            kind @ (ACK | ACK_WITH_MARKS) => Self::Ack(Ack::read(unread, kind == ACK_WITH_MARKS)?),
            CRYPTO => Self::Crypto(extent(unread.number()?, unread.number()?)?),
            kind @ STREAM..=STREAM_LAST => {
                let id = unread.number()?;
                let begin = if kind & HAS_OFFSET == 0 { 0 } else { unread.number()? };
                let fills = kind & HAS_LENGTH == 0;
                let length = if fills { left.checked_sub(before - unread.0.len() as u64)? } else { unread.number()? };
                Self::Stream { id, range: extent(begin, length)?, fills, is_last: kind & IS_LAST != 0 }
            }
            MAX_DATA => Self::MaxData(unread.number()?),
            MAX_STREAM_DATA => Self::MaxStreamData(unread.number()?, unread.number()?),
            MAX_STREAMS => Self::MaxStreams(unread.number()?),
            DATA_BLOCKED => Self::DataBlocked(unread.number()?),
            STREAM_DATA_BLOCKED => Self::StreamDataBlocked(unread.number()?, unread.number()?),
            STREAMS_BLOCKED => Self::StreamsBlocked(unread.number()?),
            HANDSHAKE_DONE => Self::HandshakeDone,
            ACK_FREQUENCY => Self::AckFrequency {
                sequence: unread.number()?,
                packets: unread.number()?,
                delay_us: unread.number()?,
                reordering: unread.number()?,
            },
            IMMEDIATE_ACK => Self::ImmediateAck,
            DATAGRAM => {
                let (length, kept) = (unread.number()?, unread.number()?);
                let (contents, rest) = unread.0.split_at_checked(usize::try_from(kept).ok()?)?;
                unread.0 = rest;
                Self::Datagram { length, contents: contents.to_vec() }
            }
            kind => {
                let (_, numbers, counts, bytes) = OTHERS.iter().find(|(known, ..)| *known == kind)?;
                let last = (0..*numbers).try_fold(0, |_, _| unread.number())?;
                unread.skip(bytes + if *counts { last } else { 0 })?;
                Self::Other(kind)
            }
        })
    }
}

fn extent(begin: u64, length: u64) -> Option<Range> {
    Some((begin, begin.checked_add(length)?))
}

/// Skips at most `most` bytes of padding, and returns their number.
fn skip_zeros(unread: &mut Unread<'_>, most: u64) -> u64 {
    let zeros = unread.0.iter().take_while(|byte| **byte == 0).count().min(usize::try_from(most).unwrap_or(0));
    unread.0 = &unread.0[zeros..];
    zeros as u64
}

impl Ack {
    /// Largest packet number.
    #[must_use]
    pub fn largest(&self) -> u64 {
        self.ranges.first().map_or(0, |range| range.1 - 1)
    }

    fn write(&self, buffer: &mut Vec<u8>) {
        let Some((first, others)) = self.ranges.split_first() else { return };
        let kind = if self.marks.is_some() { ACK_WITH_MARKS } else { ACK };
        for it in [kind, first.1 - 1, self.delay, others.len() as u64, first.1 - 1 - first.0] {
            number::write(buffer, it);
        }
        for pair in self.ranges.windows(2) {
            number::write(buffer, pair[0].0 - pair[1].1 - 1);
            number::write(buffer, pair[1].1 - 1 - pair[1].0);
        }
        self.marks.iter().flatten().for_each(|count| number::write(buffer, *count));
    }

    fn read(unread: &mut Unread<'_>, has_marks: bool) -> Option<Self> {
        let (largest, delay, others) = (unread.number()?, unread.number()?, unread.number()?);
        let mut begin = largest.checked_sub(unread.number()?)?;
        let mut ranges = vec![(begin, largest + 1)];
        for _ in 0..others {
            let last = begin.checked_sub(unread.number()? + 2)?;
            begin = last.checked_sub(unread.number()?)?;
            ranges.push((begin, last + 1));
        }
        let marks = if has_marks { Some([unread.number()?, unread.number()?, unread.number()?]) } else { None };
        Some(Self { ranges, delay, marks })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(frame: &Frame) -> Vec<u8> {
        let mut buffer = Vec::new();
        frame.write(&mut buffer);
        buffer
    }

    /// Packets 4 to 6, 2 and 0, the largest 80 us ago: first range 2 below 6; packet 3 missing (a gap of 1 is written as 0), then 2 alone; 1
    /// missing, then 0 alone.
    #[test]
    fn an_acknowledgment_is_written_by_hand() {
        let ack = Ack { ranges: vec![(4, 7), (2, 3), (0, 1)], delay: 10, marks: None };
        assert_eq!(written(&Frame::Ack(ack.clone())), [0x02, 6, 10, 2, 2, 0, 0, 0, 0]);
        let marked = Frame::Ack(Ack { marks: Some([5, 0, 100]), ..ack });
        assert_eq!(written(&marked), [0x03, 6, 10, 2, 2, 0, 0, 0, 0, 5, 0, 0x40, 100]);
    }

    #[test]
    fn frames_are_read_as_they_were_written() {
        let frames = [
            Frame::Ping,
            Frame::Ack(Ack { ranges: vec![(1000, 1200), (70, 90), (3, 4)], delay: 300, marks: Some([1, 2, 3]) }),
            Frame::Crypto((100, 1100)),
            Frame::Stream { id: 2, range: (0, 30), fills: false, is_last: false },
            Frame::Stream { id: 3, range: (70_000, 71_000), fills: false, is_last: true },
            Frame::MaxData(1 << 40),
            Frame::MaxStreamData(2, 1 << 30),
            Frame::MaxStreams(101),
            Frame::DataBlocked(77),
            Frame::StreamDataBlocked(2, 78),
            Frame::StreamsBlocked(100),
            Frame::HandshakeDone,
            Frame::AckFrequency { sequence: 0, packets: 9, delay_us: 25_000, reordering: 3 },
            Frame::ImmediateAck,
            Frame::Datagram { length: 1200, contents: vec![7; 30] },
            Frame::Padding(9),
        ];
        for frame in frames {
            let buffer = written(&frame);
            let mut unread = Unread(&buffer);
            assert_eq!(Frame::read(&mut unread, frame.bytes(), Form::Shortened), Some(frame));
            assert!(unread.0.is_empty());
        }
        // A stream frame that fills the packet: 3 bytes of header, 1 of the offset, and what is left.
        let filling = Frame::Stream { id: 2, range: (50, 1000), fills: true, is_last: false };
        assert_eq!(Frame::read(&mut Unread(&written(&filling)), filling.bytes(), Form::Shortened), Some(filling));
    }

    /// NEW_CONNECTION_ID 1 with an ID of two bytes, MAX_STREAMS of the other kind, CONNECTION_CLOSE with a reason of one byte, then a PING.
    #[test]
    fn frames_that_the_model_does_not_send_are_passed_over() {
        let token = [9; 16];
        let bytes = [&[0x18, 1, 0, 2, 7, 7][..], &token, &[0x13, 5, 0x1c, 0, 0, 1, 8, 0x01]].concat();
        let mut unread = Unread(&bytes);
        let read = [(); 4].map(|()| Frame::read(&mut unread, 99, Form::Whole));
        assert_eq!(read, [Frame::Other(0x18), Frame::Other(0x13), Frame::Other(0x1c), Frame::Ping].map(Some));
        assert_eq!(Frame::read(&mut Unread(&[0x3f]), 1, Form::Whole), None, "no frame has this type");
    }

    #[test]
    fn as_much_data_as_fits_beside_the_length() {
        // 3 bytes of header and 1 of the length leave 16 of 20; 100 bytes leave 95, of which the length takes 2.
        assert_eq!(Frame::fitting(3, 1000, 20), Some(16));
        assert_eq!(Frame::fitting(3, 1000, 100), Some(95));
        assert_eq!(Frame::fitting(3, 10, 100), Some(10));
        assert_eq!(Frame::fitting(3, 10, 4), None);
    }
}
