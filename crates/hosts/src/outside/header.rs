//! Fields of the headers of an IP packet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::transport::Codepoint;

const IP_HEADER_BYTES: usize = 20;
const IPV6_HEADER_BYTES: usize = 40;
const TCP_HEADER_BYTES: usize = 20;
const UDP_HEADER_BYTES: usize = 8;
const PROTOCOL_TCP: u8 = 6;
const PROTOCOL_UDP: u8 = 17;
const FIN: u8 = 1;
const SYN: u8 = 2;
const ACK: u8 = 16;

/// An address, and a port; 0 if the transport has none.
pub type Address = SocketAddr;

/// Fields of a TCP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Sequence number.
    pub sequence: u32,
    /// Number of the byte that is expected, if it acknowledges.
    pub acknowledgment: Option<u32>,
    /// It opens the connection.
    pub opens: bool,
    /// It ends the data of its direction.
    pub ends: bool,
}

/// Transport of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// TCP.
    Tcp(Segment),
    /// UDP.
    Udp,
    /// Another, or one behind headers that are not read.
    Other,
}

/// Fields of a packet's headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Sender.
    pub from: Address,
    /// Receiver.
    pub to: Address,
    /// ECN field.
    pub codepoint: Codepoint,
    /// Transport.
    pub transport: Transport,
    /// Bytes behind the header of the transport.
    pub payload: u64,
}

impl Header {
    /// The headers of a packet; `None` if it is no whole IP packet.
    #[must_use]
    pub fn read(packet: &[u8]) -> Option<Self> {
        match packet.first()? >> 4 {
            4 => Self::read_version_4(packet),
            6 => Self::read_version_6(packet),
            _ => None,
        }
    }

    fn read_version_4(packet: &[u8]) -> Option<Self> {
        let fixed = packet.get(..IP_HEADER_BYTES)?;
        let header = 4 * usize::from(fixed[0] & 15);
        let length = usize::from(u16::from_be_bytes([fixed[2], fixed[3]]));
        if header < IP_HEADER_BYTES || length < header {
            return None;
        }
        let behind = packet.get(header..length)?;
        let is_later_fragment = u16::from_be_bytes([fixed[6], fixed[7]]) & 0x1FFF != 0;
        let protocol = if is_later_fragment { 0 } else { fixed[9] };
        let codepoint = Codepoint::of_bits(u32::from(fixed[1]));
        let address = |at: usize| IpAddr::V4(Ipv4Addr::new(fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]));
        Some(Self::with(address(12), address(16), codepoint, protocol, behind))
    }

    fn read_version_6(packet: &[u8]) -> Option<Self> {
        let fixed = packet.get(..IPV6_HEADER_BYTES)?;
        let length = usize::from(u16::from_be_bytes([fixed[4], fixed[5]]));
        let behind = packet.get(IPV6_HEADER_BYTES..IPV6_HEADER_BYTES + length)?;
        let address = |range: std::ops::Range<usize>| {
            let mut address = [0_u8; 16];
            address.copy_from_slice(&fixed[range]);
            IpAddr::V6(Ipv6Addr::from(address))
        };
        let codepoint = Codepoint::of_bits(u32::from(fixed[1] >> 4));
        Some(Self::with(address(8..24), address(24..40), codepoint, fixed[6], behind))
    }

    fn with(from: IpAddr, to: IpAddr, codepoint: Codepoint, protocol: u8, behind: &[u8]) -> Self {
        let read = match protocol {
            PROTOCOL_TCP => read_tcp(behind),
            PROTOCOL_UDP => read_udp(behind),
            _ => None,
        };
        let (ports, transport, header) = read.unwrap_or(([0; 2], Transport::Other, 0));
        let payload = (behind.len() - header) as u64;
        let (from, to) = (SocketAddr::new(from, ports[0]), SocketAddr::new(to, ports[1]));
        Self { from, to, codepoint, transport, payload }
    }
}

/// Ports, transport and the length of the header.
type Read = ([u16; 2], Transport, usize);

fn ports(bytes: &[u8]) -> [u16; 2] {
    [u16::from_be_bytes([bytes[0], bytes[1]]), u16::from_be_bytes([bytes[2], bytes[3]])]
}

fn read_tcp(bytes: &[u8]) -> Option<Read> {
    let fixed = bytes.get(..TCP_HEADER_BYTES)?;
    let header = 4 * usize::from(fixed[12] >> 4);
    if header < TCP_HEADER_BYTES || header > bytes.len() {
        return None;
    }
    let number = |at: usize| u32::from_be_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]);
    let has = |flag| fixed[13] & flag != 0;
    let segment =
        Segment { sequence: number(4), acknowledgment: has(ACK).then(|| number(8)), opens: has(SYN), ends: has(FIN) };
    Some((ports(fixed), Transport::Tcp(segment), header))
}

fn read_udp(bytes: &[u8]) -> Option<Read> {
    let fixed = bytes.get(..UDP_HEADER_BYTES)?;
    Some((ports(fixed), Transport::Udp, UDP_HEADER_BYTES))
}

/// Writes CE into the ECN field of a packet, and mends the checksum of an IPv4 header (RFC 1624, equation 3).
pub fn mark(packet: &mut [u8]) {
    match packet.first().map(|byte| byte >> 4) {
        Some(4) if packet.len() >= IP_HEADER_BYTES => {
            let before = u16::from_be_bytes([packet[0], packet[1]]);
            packet[1] |= 0b11;
            let after = u16::from_be_bytes([packet[0], packet[1]]);
            let checksum = u16::from_be_bytes([packet[10], packet[11]]);
            packet[10..12].copy_from_slice(&mended(checksum, before, after).to_be_bytes());
        }
        Some(6) if packet.len() >= IPV6_HEADER_BYTES => packet[1] |= 0b11 << 4,
        _ => {}
    }
}

/// Checksum after a word has changed.
#[expect(clippy::cast_possible_truncation, reason = "the carries are folded in")]
fn mended(checksum: u16, before: u16, after: u16) -> u16 {
    let mut sum = u32::from(!checksum) + u32::from(!before) + u32::from(after);
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    !(sum as u16)
}

/// Packets for tests.
#[cfg(test)]
pub mod specimens {
    use super::*;

    fn checksum(header: &[u8]) -> u16 {
        let mut sum: u32 = header.chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
        while sum > 0xFFFF {
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        !u16::try_from(sum).expect("folded")
    }

    fn packet(protocol: u8, codepoint: Codepoint, behind: &[u8]) -> Vec<u8> {
        let length = u16::try_from(IP_HEADER_BYTES + behind.len()).expect("short").to_be_bytes();
        let bits = u8::try_from(codepoint.bits()).expect("two bits");
        let mut packet =
            vec![0x45, bits, length[0], length[1], 0, 0, 0x40, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        let sum = checksum(&packet).to_be_bytes();
        packet[10..12].copy_from_slice(&sum);
        packet.extend(behind);
        packet
    }

    /// A segment from port 1 to port 2 with `length` bytes of data.
    pub fn tcp(sequence: u32, length: usize, codepoint: Codepoint) -> Vec<u8> {
        let mut behind = vec![0, 1, 0, 2];
        behind.extend(sequence.to_be_bytes());
        behind.extend([0, 0, 0, 0, 0x50, ACK, 0, 0, 0, 0, 0, 0]);
        behind.resize(TCP_HEADER_BYTES + length, 0);
        packet(PROTOCOL_TCP, codepoint, &behind)
    }

    /// A datagram from port 1 to port 2 with `length` bytes of data.
    pub fn udp(length: usize) -> Vec<u8> {
        let mut behind = vec![0, 1, 0, 2, 0, 0, 0, 0];
        behind.resize(UDP_HEADER_BYTES + length, 0);
        packet(PROTOCOL_UDP, Codepoint::NotCapable, &behind)
    }

    /// A packet with the transport of this one behind an IPv6 header.
    pub fn as_version_6(packet: &[u8]) -> Vec<u8> {
        let behind = &packet[IP_HEADER_BYTES..];
        let length = u16::try_from(behind.len()).expect("short").to_be_bytes();
        let mut header = vec![0x60, packet[1] << 4, 0, 0, length[0], length[1], packet[9], 64];
        header.extend([[0xFD; 16], [0xFC; 16]].concat());
        header.extend(behind);
        header
    }
}

#[cfg(test)]
mod tests {
    use longfat_foundation::random::Chance;

    use super::specimens::{as_version_6, tcp, udp};
    use super::*;

    #[test]
    fn the_fields_of_both_versions_are_read() {
        for codepoint in [Codepoint::NotCapable, Codepoint::Classic, Codepoint::Scalable] {
            let packet = tcp(7, 100, codepoint);
            for packet in [packet.clone(), as_version_6(&packet)] {
                let header = Header::read(&packet).expect("whole");
                assert_eq!((header.codepoint, header.payload), (codepoint, 100));
                assert_eq!((header.from.port(), header.to.port()), (1, 2));
                let segment = Segment { sequence: 7, acknowledgment: Some(0), opens: false, ends: false };
                assert_eq!(header.transport, Transport::Tcp(segment));
            }
        }
        let header = Header::read(&udp(30)).expect("whole");
        assert_eq!((header.transport, header.payload), (Transport::Udp, 30));
        assert_eq!(header.from.to_string(), "10.0.0.1:1");
    }

    #[test]
    fn a_packet_cut_short_is_none() {
        for packet in [tcp(7, 100, Codepoint::Classic), as_version_6(&udp(9))] {
            for length in 0..packet.len() {
                assert_eq!(Header::read(&packet[..length]), None, "{length}");
            }
        }
    }

    /// Bytes that a program may send on purpose: every length field is anything.
    #[test]
    fn no_bytes_are_too_strange() {
        let stream = Chance { seed: 1, replication: 0 }.stream("strange packets");
        for number in 0..200_000 {
            let words = (0..3).flat_map(|part| stream.block(3 * number + part));
            let mut packet: Vec<u8> = words.flat_map(u64::to_be_bytes).collect();
            packet[0] = if number % 2 == 0 { 0x45 } else { 0x60 };
            packet[2..6].fill(0);
            packet[3] = packet[7] % 97;
            packet[5] = packet[8] % 57;
            let header = Header::read(&packet);
            mark(&mut packet);
            let marked = Header::read(&packet);
            let of = |header: Option<Header>| header.map(|header| (header.from, header.to, header.payload));
            assert_eq!(of(header), of(marked));
            assert!(marked.is_none_or(|header| header.codepoint == Codepoint::CongestionExperienced));
        }
    }

    #[test]
    fn a_mark_leaves_a_checksum_that_adds_up() {
        for codepoint in [Codepoint::Classic, Codepoint::Scalable] {
            let mut packet = tcp(7, 10, codepoint);
            mark(&mut packet);
            assert_eq!(packet, tcp(7, 10, Codepoint::CongestionExperienced));
            let mut packet = as_version_6(&tcp(7, 10, codepoint));
            mark(&mut packet);
            assert_eq!(packet, as_version_6(&tcp(7, 10, Codepoint::CongestionExperienced)));
        }
    }

    #[test]
    fn checksums_are_mended_as_in_the_example_of_rfc_1624() {
        assert_eq!(mended(0xDD2F, 0x5555, 0x3285), 0x0000);
    }
}
