//! IP over DVB-S2 by generic stream encapsulation.

use longfat_foundation::config::Bytes;

use super::{Framing, IP_HEADER_BYTES, Unit};

longfat_foundation::choice! {
    /// Code rate, which determines the length of a base-band frame.
    pub enum CodeRate {
        /// 16008 bits.
        Quarter = "1/4",
        /// 21408 bits.
        Third = "1/3",
        /// 25728 bits.
        TwoFifths = "2/5",
        /// 32208 bits.
        Half = "1/2",
        /// 38688 bits.
        ThreeFifths = "3/5",
        /// 43040 bits.
        TwoThirds = "2/3",
        /// 48408 bits.
        ThreeQuarters = "3/4",
        /// 51648 bits.
        FourFifths = "4/5",
        /// 53840 bits.
        FiveSixths = "5/6",
        /// 57472 bits.
        EightNinths = "8/9",
        /// 58192 bits.
        NineTenths = "9/10",
    }
}

impl CodeRate {
    /// Bits of a base-band frame with its header (`Kbch` of ETSI EN 302 307-1 table 5a: normal frames).
    fn frame_bits(self) -> u64 {
        match self {
            Self::Quarter => 16_008,
            Self::Third => 21_408,
            Self::TwoFifths => 25_728,
            Self::Half => 32_208,
            Self::ThreeFifths => 38_688,
            Self::TwoThirds => 43_040,
            Self::ThreeQuarters => 48_408,
            Self::FourFifths => 51_648,
            Self::FiveSixths => 53_840,
            Self::EightNinths => 57_472,
            Self::NineTenths => 58_192,
        }
    }
}

longfat_foundation::model! {
    /// IP packets over a satellite, which travel whole: each has a header of generic stream encapsulation, and packets follow one another
    /// in base-band frames. The headers of these frames, and the fragments of packets that a frame's end cuts, are spread evenly over
    /// everything sent. A line's rate is that of base-band frames, before coding. Buffers and results count packets.
    #[name = "dvb-s2-gse"]
    #[source = "ETSI EN 302 307-1 clause 5.1; ETSI TS 102 606-1 clause 4.2"]
    pub struct DvbS2Gse: dyn Framing {
        /// Code rate.
        code_rate: CodeRate = "3/4",
        /// Length of the label that addresses the receiving terminal: 6 bytes, 3, or none.
        label: Bytes = "6 B",
    }
    build(config, _context) { Box::new(config.clone()) }
    objections(config, _context) {
        let label = config.label.0;
        let message = || format!("{label} B is no label of generic stream encapsulation; 0 B, 3 B or 6 B");
        (![0, 3, 6].contains(&label)).then(|| ("label", message())).into_iter().collect()
    }
}

/// Start, end and label type with the length, and the protocol type.
const LENGTH_BYTES: u64 = 2;
const PROTOCOL_BYTES: u64 = 2;

/// Upper bound of the length field of 12 bits, which counts the bytes after it.
const LARGEST_LENGTH_BYTES: u64 = 4095;

/// Header of a base-band frame, in bits.
const FRAME_HEADER_BITS: u64 = 80;

/// Overhead of fragmenting a packet: number and total length in the first fragment; length, number and checksum in the last.
const CUT_BITS: u64 = 8 * ((1 + 2) + (2 + 1 + 4));

impl Framing for DvbS2Gse {
    fn unit(&self) -> Unit {
        Unit::Packet
    }

    fn cells_with(&self, _header_bytes: u64, _payload_bytes: u64) -> u64 {
        1
    }

    fn bits_with(&self, header_bytes: u64, payload_bytes: u64) -> u64 {
        let packet = payload_bytes + header_bytes + IP_HEADER_BYTES;
        let encapsulated = packet + LENGTH_BYTES + PROTOCOL_BYTES + self.label.0;
        let frame = self.code_rate.frame_bits();
        8 * (encapsulated * frame).div_ceil(frame - FRAME_HEADER_BITS - CUT_BITS)
    }

    fn largest_packet(&self) -> Option<u64> {
        Some(LARGEST_LENGTH_BYTES - PROTOCOL_BYTES - self.label.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_take_the_bytes_that_the_standards_count() {
        let framing = |code_rate, label| DvbS2Gse { code_rate, label: Bytes(label) };
        // 1500 bytes and 10 of header, in frames of 48408 bits of which 160 are overhead: 12080 / 48248 of a frame, 1515.01 bytes.
        assert_eq!(framing(CodeRate::ThreeQuarters, 6).bits(1460, 0), 8 * 1516);
        assert_eq!(framing(CodeRate::ThreeQuarters, 0).bits(1460, 0), 8 * 1509);
        // 40 bytes and 10, in the shortest frames: 400 / 15848 of one, 50.5 bytes.
        assert_eq!(framing(CodeRate::Quarter, 6).bits(0, 0), 8 * 51);
        assert_eq!(framing(CodeRate::Quarter, 6).largest_segment(), Some(4047));
    }

    #[test]
    fn a_frame_carries_what_its_headers_leave() {
        let framing = DvbS2Gse { code_rate: CodeRate::NineTenths, label: Bytes(3) };
        let packets = 1000;
        let frames = (packets * framing.bits(1448, 12)) as f64 / 58_192.0;
        let carried = (packets * 8 * 1507) as f64;
        // The overhead is a header and a cut per frame, up to the rounding to a byte for each packet.
        assert!((frames * 58_192.0 - carried - frames * 160.0).abs() < (8 * packets) as f64);
    }
}
