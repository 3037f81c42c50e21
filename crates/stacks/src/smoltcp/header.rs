//! Fields of the headers of a segment.

use smoltcp::wire::{Ipv4Packet, TcpPacket};

/// Data of a segment: the sequence number of its first byte, and its length; whether it opens a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Sequence number.
    pub sequence: u32,
    /// Bytes of data.
    pub length: u64,
    /// A SYN.
    pub opens: bool,
}

/// The TCP segment in an IP packet.
#[expect(clippy::cast_sign_loss, reason = "a sequence number is 32 bits")]
pub fn segment(packet: &[u8]) -> Option<Segment> {
    let packet = Ipv4Packet::new_checked(packet).ok()?;
    let segment = TcpPacket::new_checked(packet.payload()).ok()?;
    let length = segment.payload().len() as u64;
    Some(Segment { sequence: segment.seq_number().0 as u32, length, opens: segment.syn() })
}

/// Position in a stream of data of which the first byte has the number behind `opening`, that of the SYN: the one nearest to `near`.
pub fn position(sequence: u32, opening: u32, near: u64) -> u64 {
    let low = u64::from(sequence.wrapping_sub(opening).wrapping_sub(1));
    let (wrap, half) = (1 << 32, 1 << 31);
    let candidate = near / wrap * wrap + low;
    if candidate > near + half && candidate >= wrap {
        candidate - wrap
    } else if candidate + half < near {
        candidate + wrap
    } else {
        candidate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_go_on_where_sequence_numbers_wrap() {
        assert_eq!(position(8, 7, 0), 0);
        assert_eq!(position(6, 7, 0), (1 << 32) - 2, "nothing is before the beginning");
        assert_eq!(position(7, 7, (1 << 32) - 10), (1 << 32) - 1);
        assert_eq!(position(9, 7, (1 << 32) - 10), (1 << 32) + 1);
        assert_eq!(position(5, 7, 3 << 32), (3 << 32) - 3);
    }
}
