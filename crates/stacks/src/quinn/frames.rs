//! Stream frames of packets that are not encrypted, as their sender counts them.

use std::ops::Range;

/// Types of frames (RFC 9000 table 3).
const PADDING: u64 = 0x00;
const PING: u64 = 0x01;
const ACK: u64 = 0x02;
const ACK_WITH_MARKS: u64 = 0x03;
const STREAM: Range<u64> = 0x08..0x10;
const NUMBERS_IN: [(u64, usize); 9] =
    [(0x05, 2), (0x10, 1), (0x11, 2), (0x12, 1), (0x13, 1), (0x14, 1), (0x15, 2), (0x16, 1), (0x17, 1)];
const HANDSHAKE_DONE: u64 = 0x1e;
const ACK_FREQUENCY: u64 = 0xaf;
const IMMEDIATE_ACK: u64 = 0x1f;

/// Bits of the type of a stream frame: an offset and a length follow.
const HAS_OFFSET: u64 = 0x04;
const HAS_LENGTH: u64 = 0x02;

/// Bytes of a stream in a packet with a short header, the last of a datagram that has any, or none. Reading ends at a frame of a kind that
/// senders of data do not put before stream frames.
///
/// `destination_bytes` is the length of a connection ID, `seal_bytes` that of the tag behind the frames.
pub fn stream_bytes(datagram: &[u8], destination_bytes: usize, seal_bytes: usize) -> Option<Range<u64>> {
    let first = *datagram.first()?;
    if first & 0x80 != 0 {
        return None;
    }
    let number_bytes = usize::from(first & 0x03) + 1;
    let frames = datagram.get(1 + destination_bytes + number_bytes..datagram.len().checked_sub(seal_bytes)?)?;
    let mut rest = Bytes(frames);
    let mut found: Option<Range<u64>> = None;
    while let Some(kind) = rest.number() {
        match kind {
            PADDING | PING | HANDSHAKE_DONE | IMMEDIATE_ACK => {}
            ACK | ACK_WITH_MARKS => rest.skip_acknowledgment(kind == ACK_WITH_MARKS)?,
            ACK_FREQUENCY => (0..4).try_for_each(|_| rest.number().map(|_| ()))?,
            kind if STREAM.contains(&kind) => {
                rest.number()?;
                let offset = if kind & HAS_OFFSET == 0 { 0 } else { rest.number()? };
                let length = if kind & HAS_LENGTH == 0 { rest.0.len() as u64 } else { rest.number()? };
                rest.0 = rest.0.get(usize::try_from(length).ok()?..)?;
                let end = offset + length;
                found = Some(found.map_or(offset..end, |range| range.start.min(offset)..range.end.max(end)));
            }
            kind => match NUMBERS_IN.iter().find(|(known, _)| *known == kind) {
                Some((_, numbers)) => (0..*numbers).try_for_each(|_| rest.number().map(|_| ()))?,
                None => break,
            },
        }
    }
    found
}

/// Bytes that are still to be read.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    /// A number of variable length (RFC 9000 section 16).
    fn number(&mut self) -> Option<u64> {
        let first = *self.0.first()?;
        let length = 1 << (first >> 6);
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)) & (u64::MAX >> (64 - 8 * length + 2)))
    }

    fn skip_acknowledgment(&mut self, has_marks: bool) -> Option<()> {
        self.number()?;
        self.number()?;
        let ranges = self.number()?;
        let numbers = 1 + 2 * ranges + if has_marks { 3 } else { 0 };
        (0..numbers).try_for_each(|_| self.number().map(|_| ()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A short header with a destination of two bytes and a packet number of one, frames, and a seal of one byte.
    fn packet(frames: &[u8]) -> Vec<u8> {
        [&[0x40, 1, 2, 9], frames, &[0]].concat()
    }

    fn read(frames: &[u8]) -> Option<Range<u64>> {
        stream_bytes(&packet(frames), 2, 1)
    }

    /// RFC 9000 appendix A.1.
    #[test]
    fn numbers_of_variable_length_are_those_of_the_rfc() {
        let cases: [(&[u8], u64); 5] = [
            (&[0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c], 151_288_809_941_952_652),
            (&[0x9d, 0x7f, 0x3e, 0x7d], 494_878_333),
            (&[0x7b, 0xbd], 15_293),
            (&[0x25], 37),
            (&[0x40, 0x25], 37),
        ];
        for (bytes, number) in cases {
            assert_eq!(Bytes(bytes).number(), Some(number));
        }
        assert_eq!(Bytes(&[0x40]).number(), None);
    }

    #[test]
    fn a_stream_frame_is_found_behind_others() {
        // Stream 2, without an offset, to the end of the packet.
        assert_eq!(read(&[0x08, 2, 7, 7, 7]), Some(0..3));
        // An acknowledgment with one range behind the first, MAX_DATA, and a stream frame with offset 100 and length 2.
        assert_eq!(read(&[0x02, 9, 0, 1, 3, 0, 2, 0x10, 5, 0x0e, 2, 0x40, 100, 2, 7, 7]), Some(100..102));
        // Padding, and nothing else.
        assert_eq!(read(&[0, 0, 0]), None);
        // A frame that is cut off.
        assert_eq!(read(&[0x0e, 2, 0x40]), None);
        assert_eq!(stream_bytes(&[0xc0, 1, 2, 3], 2, 1), None, "a long header");
    }
}
