//! IP over ATM with AAL5.

use longfat_foundation::units::{CELL_BITS, CELL_PAYLOAD_BYTES, Span};

use super::{Framing, IP_HEADER_BYTES, LostLastCell, Unit};

longfat_foundation::choice! {
    /// Encapsulation of the IP packet before the AAL5 trailer.
    pub enum Encapsulation {
        /// 8 bytes of LLC and SNAP header (RFC 1483 section 4), as in UBR+ section 3.2.
        LlcSnap = "llc-snap",
        /// None (RFC 1483 section 5).
        VcMultiplexed = "vc-multiplexed",
    }
}

longfat_foundation::choice! {
    /// Clock of an ATM network, in whose ticks the transmission times of cells are counted.
    pub enum CellClock {
        /// Without ticks: a line of any rate is exact.
        Exact = "exact",
        /// Ticks of a picosecond: nearly exact, and a cell takes as many picoseconds as any other.
        Picosecond = "1 ps",
        /// Ticks of 10 ns, 2^32 of which are 43 s.
        TenNanoseconds = "10 ns",
    }
    absent Exact
}

longfat_foundation::model! {
    /// Packets with 20 bytes of TCP and 20 of IP header, LLC/SNAP and the 8-byte AAL5 trailer, padded to whole cells
    /// of 48 bytes: 512 bytes of data become 12 cells. The last cell of a packet carries a mark in its header.
    #[name = "aal5"]
    #[source = "UBR+ section 3.2; RFC 1483; ITU-T I.363.5"]
    pub struct Aal5: dyn Framing {
        /// Encapsulation of each IP packet.
        encapsulation: Encapsulation = "llc-snap",
        /// Effect of a lost last cell on the next packet of the circuit (D-02).
        lost_last_cell: LostLastCell = "corrupts-next-packet" or ["corrupts-own-packet"],
        /// Clock of all lines and ports. A cell takes whole ticks, begun ones included, so that no line carries more than its rate.
        clock: CellClock = "exact",
    }
    build(config, _context) { Box::new(config.clone()) }
}

const LLC_SNAP_BYTES: u64 = 8;
const TRAILER_BYTES: u64 = 8;

impl Framing for Aal5 {
    fn unit(&self) -> Unit {
        Unit::Cell
    }

    fn cells_with(&self, header_bytes: u64, payload_bytes: u64) -> u64 {
        let encapsulation = if self.encapsulation == Encapsulation::LlcSnap { LLC_SNAP_BYTES } else { 0 };
        let bytes = payload_bytes + header_bytes + IP_HEADER_BYTES + encapsulation + TRAILER_BYTES;
        bytes.div_ceil(CELL_PAYLOAD_BYTES)
    }

    fn bits_with(&self, header_bytes: u64, payload_bytes: u64) -> u64 {
        self.cells_with(header_bytes, payload_bytes) * CELL_BITS
    }

    /// Background cells are bare: no headers, no trailer.
    fn background(&self, payload_bytes: u64) -> (u64, u64) {
        let cells = payload_bytes.div_ceil(CELL_PAYLOAD_BYTES);
        (cells, cells * CELL_BITS)
    }

    fn tick(&self) -> Option<Span> {
        match self.clock {
            CellClock::Exact => None,
            CellClock::Picosecond => Some(Span(1)),
            CellClock::TenNanoseconds => Some(Span(10_000)),
        }
    }

    fn lost_last_cell(&self) -> LostLastCell {
        self.lost_last_cell
    }
}

#[cfg(test)]
mod tests {
    use longfat_foundation::units::{Rate, TransmissionTime};

    use super::*;

    fn plain() -> Aal5 {
        Aal5 {
            encapsulation: Encapsulation::LlcSnap,
            lost_last_cell: LostLastCell::CorruptsNextPacket,
            clock: CellClock::Exact,
        }
    }

    #[test]
    fn a_cell_takes_whole_ticks() {
        // 424 bits at 155.52 Mbit/s take 2.72633... us; at 155.882353 Mbit/s 4 fs less than 2.72 us.
        let time = |clock, rate| Aal5 { clock, ..plain() }.cell_time(Rate(rate));
        assert_eq!(time(CellClock::Exact, 155_520_000), TransmissionTime::of_cell(Rate(155_520_000)));
        assert_eq!(time(CellClock::Picosecond, 155_520_000), TransmissionTime::whole(Span(2_726_338)));
        assert_eq!(time(CellClock::TenNanoseconds, 155_520_000), TransmissionTime::whole(Span(2_730_000)));
        assert_eq!(time(CellClock::TenNanoseconds, 155_882_353), TransmissionTime::whole(Span(2_720_000)));
    }

    #[test]
    fn segments_take_the_cells_that_the_papers_count() {
        let aal5 = plain();
        for (payload, options, cells) in
            [(512, 0, 12), (1024, 0, 23), (9180, 0, 193), (128, 0, 4), (0, 0, 2), (0, 36, 2)]
        {
            assert_eq!(aal5.cells(payload, options), cells, "{payload} bytes");
            assert_eq!(aal5.bits(payload, options), 424 * cells, "{payload} bytes");
        }
        let bare = Aal5 { encapsulation: Encapsulation::VcMultiplexed, ..aal5 };
        assert_eq!(bare.cells(0, 0), 1);
        // RFC 768: 28 bytes of headers, where TCP has 40. 20 bytes of a G.729 call, 12 of RTP, and 16 of LLC/SNAP and trailer: 76 bytes.
        let call = bare.cells_with(8, 32);
        assert_eq!((aal5.datagram(32), call), ((2, 848), 2));
        assert_eq!((aal5.datagram(4).0, aal5.datagram(5).0), (1, 2), "48 bytes fill a cell");
    }
}
