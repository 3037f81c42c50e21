//! Packets and the datagrams that carry them (RFC 9000 sections 12 and 17).

use super::frame::{Form, Frame};
use super::number::{self, Unread};
use crate::transport::ranges::Range;

/// Authentication tag behind the frames of a packet (RFC 9001 section 5.3). Half of it is written: the whole packet number, by which the
/// receiver knows a packet whose number it has completed wrongly, as a real tag would tell it.
pub const TAG_BYTES: u64 = 16;
const WRITTEN_TAG_BYTES: u64 = 8;

/// Length of a connection ID.
const ID_BYTES: u64 = 8;

/// Kinds of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The first packets of the handshake.
    Initial,
    /// Early data of the client.
    ZeroRoundTrip,
    /// The other packets of the handshake.
    Handshake,
    /// All other packets.
    OneRoundTrip,
}

impl Kind {
    /// Bits of the type of a long header (RFC 9000 table 5).
    const LONG: [Self; 3] = [Self::Initial, Self::ZeroRoundTrip, Self::Handshake];

    /// Bytes before the frames.
    #[must_use]
    pub fn header_bytes(self, number_bytes: u64) -> u64 {
        match self {
            Self::OneRoundTrip => 1 + ID_BYTES + number_bytes,
            // Version, two connection IDs with their lengths, the length of the token if there may be one, and that of the packet.
            Self::Initial => 1 + 4 + 2 * (1 + ID_BYTES) + 1 + LENGTH_BYTES + number_bytes,
            _ => 1 + 4 + 2 * (1 + ID_BYTES) + LENGTH_BYTES + number_bytes,
        }
    }
}

/// Bytes of the length in a long header.
const LENGTH_BYTES: u64 = 2;

/// A packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Its kind.
    pub kind: Kind,
    /// Its number.
    pub number: u64,
    /// Bytes of the number in its header.
    pub number_bytes: u64,
    /// Its frames.
    pub frames: Vec<Frame>,
}

impl Packet {
    /// Its size, with header and tag.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let frames: u64 = self.frames.iter().map(Frame::bytes).sum();
        self.kind.header_bytes(self.number_bytes) + frames + TAG_BYTES
    }

    /// True if it must be acknowledged.
    #[must_use]
    pub fn is_eliciting(&self) -> bool {
        self.frames.iter().any(Frame::is_eliciting)
    }

    /// Bytes of streams in it, frame by frame.
    pub fn stream_ranges(&self) -> impl Iterator<Item = Range> {
        self.frames.iter().filter_map(|frame| match frame {
            Frame::Stream { range, .. } => Some(*range),
            _ => None,
        })
    }

    /// Packet number as its header has it: the lowest bytes.
    #[must_use]
    pub fn shortened_number(&self) -> u64 {
        self.number & ((1 << (8 * self.number_bytes)) - 1)
    }

    /// Writes header, frames without their data, and the number in the tag.
    pub fn write(&self, buffer: &mut Vec<u8>) {
        let low = u8::try_from(self.number_bytes - 1).unwrap_or(0);
        if let Some(bits) = Kind::LONG.iter().position(|kind| *kind == self.kind) {
            buffer.push(0xc0 | u8::try_from(bits).unwrap_or(0) << 4 | low);
            number::write_last(buffer, 1, 4);
            for _ in 0..2 {
                number::write(buffer, ID_BYTES);
                number::write_last(buffer, 0, ID_BYTES);
            }
            if self.kind == Kind::Initial {
                number::write(buffer, 0);
            }
            let length = self.bytes() - self.kind.header_bytes(self.number_bytes) + self.number_bytes;
            number::write_last(buffer, 0x4000 | length, LENGTH_BYTES);
        } else {
            buffer.push(0x40 | low);
            number::write_last(buffer, 0, ID_BYTES);
        }
        number::write_last(buffer, self.number, self.number_bytes);
        self.frames.iter().for_each(|frame| frame.write(buffer));
        number::write_last(buffer, self.number, WRITTEN_TAG_BYTES);
    }

    /// Reads a packet of a datagram of which `left` bytes are left; returns it with its size. The number of a packet that is written whole is
    /// shortened.
    fn read(unread: &mut Unread<'_>, left: u64, form: Form) -> Option<(Self, u64)> {
        let first = unread.whole(1)?;
        let number_bytes = (first & 0x03) + 1;
        let kind = if first & 0x80 == 0 {
            unread.whole(ID_BYTES)?;
            Kind::OneRoundTrip
        } else {
            let kind = *Kind::LONG.get(usize::try_from(first >> 4 & 0x03).ok()?)?;
            unread.whole(4)?;
            for _ in 0..2 {
                unread.number()?;
                unread.whole(ID_BYTES)?;
            }
            if kind == Kind::Initial {
                unread.number()?;
            }
            kind
        };
        let header = kind.header_bytes(number_bytes);
        let size = if kind == Kind::OneRoundTrip { left } else { header - number_bytes + unread.number()? };
        let mut number = unread.whole(number_bytes)?;
        let mut of_frames = size.checked_sub(header + TAG_BYTES)?;
        let mut frames = Vec::new();
        while of_frames > 0 {
            let before = unread.0.len();
            let frame = Frame::read(unread, of_frames, form)?;
            let bytes = match form {
                Form::Shortened => frame.bytes(),
                Form::Whole => (before - unread.0.len()) as u64,
            };
            of_frames = of_frames.checked_sub(bytes)?;
            frames.push(frame);
        }
        match form {
            Form::Shortened => number = unread.whole(WRITTEN_TAG_BYTES)?,
            Form::Whole => unread.skip(TAG_BYTES)?,
        }
        Some((Self { kind, number, number_bytes, frames }, size))
    }

    /// The packets of a datagram of `length` bytes, with their sizes, as far as they can be read.
    #[must_use]
    pub fn of_datagram(contents: &[u8], length: u64, form: Form) -> Vec<(Self, u64)> {
        let (mut unread, mut left, mut packets) = (Unread(contents), length, Vec::new());
        while left > 0
            && let Some((packet, size)) = Self::read(&mut unread, left, form)
        {
            packets.push((packet, size));
            left = left.saturating_sub(size);
        }
        packets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_datagram_is_read_as_it_was_written() {
        let packets = [
            Packet {
                kind: Kind::Initial,
                number: 0,
                number_bytes: 1,
                frames: vec![Frame::Crypto((0, 90)), Frame::Padding(5)],
            },
            Packet { kind: Kind::Handshake, number: 7, number_bytes: 1, frames: vec![Frame::Crypto((0, 700))] },
            Packet {
                kind: Kind::OneRoundTrip,
                number: 0x1234,
                number_bytes: 2,
                frames: vec![Frame::Ping, Frame::Stream { id: 2, range: (10, 210), fills: true, is_last: false }],
            },
        ];
        let (mut contents, mut length) = (Vec::new(), 0);
        for packet in &packets {
            packet.write(&mut contents);
            length += packet.bytes();
        }
        let read = Packet::of_datagram(&contents, length, Form::Shortened);
        assert_eq!(read, packets.map(|packet| (packet.clone(), packet.bytes())));
    }

    /// A short header with an ID of 8 bytes and a packet number of one; an acknowledgment with a range behind the first, MAX_DATA and three
    /// bytes of a stream; the tag.
    #[test]
    fn a_packet_is_read_as_it_is_on_the_line() {
        let frames = [0x02, 9, 0, 1, 3, 0, 2, 0x10, 5, 0x0e, 2, 0x40, 100, 3, 7, 7, 7];
        let contents = [&[0x40, 1, 2, 3, 4, 5, 6, 7, 8, 11][..], &frames, &[0; 16]].concat();
        let length = contents.len() as u64;
        let read = Packet::of_datagram(&contents, length, Form::Whole);
        let [(packet, size)] = &read[..] else { panic!("{read:?}") };
        assert_eq!((packet.number, packet.frames.len(), *size), (11, 3, length));
        assert_eq!(packet.stream_ranges().collect::<Vec<_>>(), [(100, 103)]);
        assert!(Packet::of_datagram(&contents[..20], 20, Form::Whole).is_empty(), "cut off");
    }

    /// Flags, ID, number; PING; a stream frame of 3 bytes with 200 of data; the tag.
    #[test]
    fn sizes_are_those_on_the_line() {
        let stream = Frame::Stream { id: 2, range: (10, 210), fills: true, is_last: false };
        let short = Packet { kind: Kind::OneRoundTrip, number: 0, number_bytes: 2, frames: vec![Frame::Ping, stream] };
        assert_eq!(short.bytes(), 1 + 8 + 2 + 1 + 3 + 200 + 16);
        // Flags, version, two IDs, no token, length, number; type, offset and length of the handshake's data, and these.
        let crypto = Frame::Crypto((0, 300));
        let long = Packet { kind: Kind::Initial, number: 0, number_bytes: 1, frames: vec![crypto] };
        assert_eq!(long.bytes(), 1 + 4 + 18 + 1 + 2 + 1 + (1 + 1 + 2 + 300) + 16);
    }
}
