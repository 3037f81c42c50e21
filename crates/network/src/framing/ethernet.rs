//! IP over Ethernet.

use longfat_foundation::config::Bytes;

use super::{Framing, IP_HEADER_BYTES, TCP_AND_IP_HEADER_BYTES, Unit};

longfat_foundation::model! {
    /// IP packets in Ethernet frames, which travel whole: 14 bytes of header and 4 of checksum, padded to 64 bytes, plus 20 byte times of
    /// preamble and gap on the line. Buffers and results count packets.
    #[name = "ethernet"]
    #[source = "IEEE 802.3 clauses 3.1 and 4.4.2; RFC 894"]
    pub struct Ethernet: dyn Framing {
        /// The largest IP packet that a frame carries.
        mtu: Bytes = "1500 B",
    }
    build(config, _context) { Box::new(config.clone()) }
    objections(config, _context) {
        let mtu = config.mtu.0;
        let limits = TCP_AND_IP_HEADER_BYTES + 1..=LARGEST_IP_PACKET_BYTES;
        let message = || format!("{mtu} B is no size of an IP packet with data; from {} to {} B", limits.start(), limits.end());
        (!limits.contains(&mtu)).then(|| ("mtu", message())).into_iter().collect()
    }
}

/// Two addresses and a type (IEEE 802.3 clause 3.1.1), and the frame check sequence.
const HEADER_AND_CHECKSUM_BYTES: u64 = 14 + 4;

/// minFrameSize (IEEE 802.3 clause 4.4.2).
const SMALLEST_FRAME_BYTES: u64 = 64;

/// Preamble with start delimiter, and the gap between frames (IEEE 802.3 clauses 3.1.1 and 4.4.2).
const PREAMBLE_AND_GAP_BYTES: u64 = 8 + 12;

/// Upper bound of the 16-bit total length of an IP packet (RFC 791 section 3.1).
const LARGEST_IP_PACKET_BYTES: u64 = 65_535;

impl Framing for Ethernet {
    fn unit(&self) -> Unit {
        Unit::Packet
    }

    fn cells_with(&self, _header_bytes: u64, _payload_bytes: u64) -> u64 {
        1
    }

    fn bits_with(&self, header_bytes: u64, payload_bytes: u64) -> u64 {
        let frame = payload_bytes + header_bytes + IP_HEADER_BYTES + HEADER_AND_CHECKSUM_BYTES;
        8 * (frame.max(SMALLEST_FRAME_BYTES) + PREAMBLE_AND_GAP_BYTES)
    }

    fn largest_packet(&self) -> Option<u64> {
        Some(self.mtu.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_take_the_bytes_that_the_standard_counts() {
        let ethernet = Ethernet { mtu: Bytes(1500) };
        assert_eq!(ethernet.bits(1460, 0), 8 * 1538, "a full frame takes 1538 bytes of the line");
        assert_eq!(ethernet.bits(0, 0), 8 * 84, "an acknowledgment is padded to 64 bytes");
        assert_eq!(ethernet.bits(6, 0), 8 * 84);
        assert_eq!(ethernet.bits(7, 0), 8 * 85);
        assert_eq!(ethernet.largest_segment(), Some(1460));
        assert_eq!(ethernet.largest_datagram(), Some(1472), "1500 bytes less 20 of IP and 8 of UDP");
        assert_eq!([18, 19].map(|payload| ethernet.datagram(payload)), [(1, 8 * 84), (1, 8 * 85)]);
    }
}
