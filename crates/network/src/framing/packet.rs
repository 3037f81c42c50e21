//! Packets that travel whole.

use longfat_foundation::config::Bytes;

use super::{Framing, TCP_HEADER_BYTES, Unit};

longfat_foundation::model! {
    /// No cells: a packet travels whole. A switch receives its last bit before sending it on (store and forward), and a packet occupies one
    /// place in a buffer, whatever its size. Buffers and results count packets.
    #[name = "packet"]
    #[source = "RFC 791 section 3.1; RFC 9293 section 3.1"]
    pub struct WholePacket: dyn Framing {
        /// Size of all headers of a packet, including acknowledgments: 20 bytes of TCP and 20 of IP. TCP options are added to that;
        /// datagrams have 12 bytes less, as far as there are, because a UDP header has 8.
        header: Bytes = "40 B",
    }
    build(config, _context) { Box::new(config.clone()) }
    objections(config, _context) {
        let header = config.header.0;
        let message = || format!("{header} B is too large; at most {LARGEST_HEADER_BYTES} B");
        (header > LARGEST_HEADER_BYTES).then(|| ("header", message())).into_iter().collect()
    }
}

/// Largest header; keeps packets far below [`LARGEST_PACKET_BITS`](longfat_foundation::units::LARGEST_PACKET_BITS).
const LARGEST_HEADER_BYTES: u64 = 65_535;

impl Framing for WholePacket {
    fn unit(&self) -> Unit {
        Unit::Packet
    }

    fn cells_with(&self, _header_bytes: u64, _payload_bytes: u64) -> u64 {
        1
    }

    fn bits_with(&self, header_bytes: u64, payload_bytes: u64) -> u64 {
        8 * (payload_bytes + (self.header.0 + header_bytes).saturating_sub(TCP_HEADER_BYTES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_its_data_its_options_and_its_header() {
        let framing = WholePacket { header: Bytes(40) };
        assert_eq!(framing.bits(1000, 0), 8 * 1040);
        assert_eq!(framing.bits(0, 12), 8 * 52);
        assert_eq!(WholePacket { header: Bytes(1) }.bits(0, 0), 8);
        assert_eq!(framing.datagram(160), (1, 8 * 188));
        assert_eq!(WholePacket { header: Bytes(1) }.datagram(160), (1, 8 * 160));
    }
}
