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
