//! IP over an MPEG transport stream by multiprotocol encapsulation.

use super::{Framing, IP_HEADER_BYTES, Unit};

longfat_foundation::model! {
    /// IP packets over a satellite, which travel whole: multiprotocol encapsulation puts each into a section, and sections into packets of an
    /// MPEG transport stream. With `packing` the headers of these are spread evenly over everything sent. A line's rate is that of transport
    /// packets, before coding. Buffers and results count packets.
    #[name = "dvb-mpe"]
    #[source = "ETSI EN 301 192 clause 7; ISO/IEC 13818-1 clauses 2.4.3 and 2.4.4"]
    pub struct DvbMpe: dyn Framing {
        /// A section begins where the one before has ended. Without it each begins a transport packet, whose predecessor is filled up.
        packing: bool = "true" or ["false"],
        /// Each IP packet has a header of LLC and SNAP, which bridges need.
        llc_snap: bool = "false" or ["true"],
    }
    build(config, _context) { Box::new(config.clone()) }
    objections(_config, _context) { Vec::new() }
}

/// Table, length, address of the receiving terminal, and numbers; the checksum at the end (EN 301 192 table 3).
const SECTION_BYTES: u64 = 12 + 4;
const LLC_SNAP_BYTES: u64 = 8;
const LARGEST_SECTION_BYTES: u64 = 4096;

/// A packet of a transport stream and its header.
const TRANSPORT_BYTES: u64 = 188;
const TRANSPORT_HEADER_BYTES: u64 = 4;
const TRANSPORT_PAYLOAD_BYTES: u64 = TRANSPORT_BYTES - TRANSPORT_HEADER_BYTES;

/// Where the first section begins, in each transport packet in which one does.
const POINTER_BYTES: u64 = 1;

impl DvbMpe {
    /// Bytes that a section adds to an IP packet.
    fn overhead(&self) -> u64 {
        SECTION_BYTES + if self.llc_snap { LLC_SNAP_BYTES } else { 0 }
    }
}

impl Framing for DvbMpe {
    fn unit(&self) -> Unit {
        Unit::Packet
    }

    fn cells_with(&self, _header_bytes: u64, _payload_bytes: u64) -> u64 {
        1
    }

    fn bits_with(&self, header_bytes: u64, payload_bytes: u64) -> u64 {
        let section = payload_bytes + header_bytes + IP_HEADER_BYTES + self.overhead();
        let with_pointer = TRANSPORT_PAYLOAD_BYTES - POINTER_BYTES;
        let bytes = if !self.packing {
            TRANSPORT_BYTES * (section + POINTER_BYTES).div_ceil(TRANSPORT_PAYLOAD_BYTES)
        } else if section < with_pointer {
            // A section begins in every transport packet, and most have several.
            (TRANSPORT_BYTES * section).div_ceil(with_pointer)
        } else {
            (TRANSPORT_BYTES * (section + POINTER_BYTES)).div_ceil(TRANSPORT_PAYLOAD_BYTES)
        };
        8 * bytes
    }

    fn largest_packet(&self) -> Option<u64> {
        Some(LARGEST_SECTION_BYTES - self.overhead())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_take_the_bytes_that_the_standards_count() {
        let framing = |packing, llc_snap| DvbMpe { packing, llc_snap };
        // 1500 bytes, 16 of the section and a pointer are 1517: 8.24 payloads of 184 bytes.
        assert_eq!(framing(true, false).bits(1460, 0), 8 * 1550);
        assert_eq!(framing(false, false).bits(1460, 0), 8 * 9 * 188);
        assert_eq!(framing(true, true).bits(1460, 0), 8 * 1559);
        // 40 bytes and 16: three sections and a part of the next in each payload of 183 bytes.
        assert_eq!(framing(true, false).bits(0, 0), 8 * 58);
        assert_eq!(framing(false, false).bits(0, 0), 8 * 188, "a transport packet for an acknowledgment");
        assert_eq!(framing(true, false).largest_segment(), Some(4040));
    }

    #[test]
    fn packets_just_longer_take_no_less() {
        let framing = DvbMpe { packing: true, llc_snap: false };
        let sizes: Vec<_> = (0..400).map(|payload| framing.bits(payload, 0)).collect();
        assert!(sizes.is_sorted(), "{sizes:?}");
    }
}
