//! Framing: packets travel as trains of cells, with a mark in the last, or whole.

mod aal5;
mod class;
mod dvb_mpe;
mod dvb_s2_gse;
mod ethernet;
mod packet;
mod packets;
mod reassembly;
mod sizes;

pub use class::Class;
pub use packets::{Content, Packet, PacketId, Packets};
pub use reassembly::{Continuity, LostLastCell, Reassembly};
pub use sizes::Sizes;

use longfat_foundation::registry::{Entry, Family};
use longfat_foundation::units::{Rate, Span, TransmissionTime};
use longfat_hosts::transport::Codepoint;

/// Every registered framing.
pub const FRAMINGS: &[Entry<dyn Framing>] = &[
    Entry::of::<aal5::Aal5>(),
    Entry::of::<packet::WholePacket>(),
    Entry::of::<ethernet::Ethernet>(),
    Entry::of::<dvb_s2_gse::DvbS2Gse>(),
    Entry::of::<dvb_mpe::DvbMpe>(),
];

/// Unit of transmission, in which buffers and results count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Cells, all of one size.
    Cell,
    /// Whole packets. Everything but a line then sees a packet as one cell, the first and last of its packet.
    Packet,
}

impl Unit {
    /// Plural noun, for messages.
    #[must_use]
    pub fn plural(self) -> &'static str {
        match self {
            Self::Cell => "cells",
            Self::Packet => "packets",
        }
    }
}

/// Framing: the size of packets on a line, and the effect of a lost last cell.
pub trait Framing: Send + Sync {
    /// Unit of transmission.
    fn unit(&self) -> Unit;
    /// Number of cells of an IP packet whose transport has `header_bytes` of header and `payload_bytes` of data; one if it travels whole.
    fn cells_with(&self, header_bytes: u64, payload_bytes: u64) -> u64;
    /// Size of that packet on the line in bits, including headers and padding.
    fn bits_with(&self, header_bytes: u64, payload_bytes: u64) -> u64;
    /// Number of cells of a TCP packet with `payload_bytes` of data and `option_bytes` of TCP options.
    fn cells(&self, payload_bytes: u64, option_bytes: u64) -> u64 {
        self.cells_with(TCP_HEADER_BYTES + option_bytes, payload_bytes)
    }
    /// Size of that packet on the line in bits.
    fn bits(&self, payload_bytes: u64, option_bytes: u64) -> u64 {
        self.bits_with(TCP_HEADER_BYTES + option_bytes, payload_bytes)
    }
    /// Number of cells, and bits on the line, of a UDP datagram with `payload_bytes` of data.
    fn datagram(&self, payload_bytes: u64) -> (u64, u64) {
        (self.cells_with(UDP_HEADER_BYTES, payload_bytes), self.bits_with(UDP_HEADER_BYTES, payload_bytes))
    }
    /// Number of cells, and bits on the line, of a datagram of background traffic, which has the headers of a TCP packet.
    fn background(&self, payload_bytes: u64) -> (u64, u64) {
        (self.cells(payload_bytes, 0), self.bits(payload_bytes, 0))
    }
    /// Length of a tick of the clock that cells are sent by, if it has ticks.
    fn tick(&self) -> Option<Span> {
        None
    }
    /// Transmission time of a cell at `rate`.
    fn cell_time(&self, rate: Rate) -> TransmissionTime {
        let exact = TransmissionTime::of_cell(rate);
        self.tick().map_or(exact, |tick| exact.in_ticks(tick))
    }
    /// Effect of a lost last cell on the next packet.
    fn lost_last_cell(&self) -> LostLastCell {
        LostLastCell::CorruptsOwnPacket
    }
    /// Largest IP packet in bytes, if limited.
    fn largest_packet(&self) -> Option<u64> {
        None
    }
    /// Largest amount of data in a segment, if limited.
    fn largest_segment(&self) -> Option<u64> {
        self.largest_packet().map(|packet| packet - TCP_AND_IP_HEADER_BYTES)
    }
    /// Largest amount of data in a UDP datagram, if limited.
    fn largest_datagram(&self) -> Option<u64> {
        self.largest_packet().map(|packet| packet - IP_HEADER_BYTES - UDP_HEADER_BYTES)
    }
}

/// IP header without options (RFC 791 section 3.1).
const IP_HEADER_BYTES: u64 = 20;

/// TCP header without options (RFC 9293 section 3.1).
const TCP_HEADER_BYTES: u64 = 20;

/// UDP header (RFC 768).
const UDP_HEADER_BYTES: u64 = 8;

const TCP_AND_IP_HEADER_BYTES: u64 = TCP_HEADER_BYTES + IP_HEADER_BYTES;

impl Family for dyn Framing {
    const KIND: &'static str = "framing";
    type Context = ();
    fn models() -> &'static [Entry<Self>] {
        FRAMINGS
    }
}

/// A cell in transit: its packet, virtual circuit and position in the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The packet it is part of.
    pub packet: PacketId,
    tag: u32,
}

const FIRST: u32 = 1;
const LAST: u32 = 2;
/// Cell loss priority: CLP = 1 (ITU-T I.361).
const TAGGED: u32 = 4;
/// Position of the two ECN bits.
const CODEPOINT_SHIFT: u32 = 3;
const FLAG_BITS: u32 = 5;

impl Cell {
    /// A cell of `packet` on `circuit`.
    #[must_use]
    pub fn new(packet: PacketId, circuit: u32, first: bool, last: bool) -> Self {
        let flags = if first { FIRST } else { 0 } | if last { LAST } else { 0 };
        Self { packet, tag: circuit << FLAG_BITS | flags }
    }

    /// Next cell of the packet.
    #[must_use]
    #[inline]
    pub fn following(self, last: bool) -> Self {
        let flags = if last { LAST } else { 0 };
        Self { packet: self.packet, tag: self.tag & !(FIRST | LAST) | flags }
    }

    /// The cell with CLP = 1: its packet exceeds the rate promised to its circuit.
    #[must_use]
    pub fn tagged(self) -> Self {
        Self { tag: self.tag | TAGGED, ..self }
    }

    /// True if the cell, like all others of its packet, has CLP = 1.
    #[must_use]
    #[inline]
    pub fn is_tagged(self) -> bool {
        self.tag & TAGGED != 0
    }

    /// The cell with the ECN codepoint of its packet.
    #[must_use]
    pub fn with_codepoint(self, codepoint: Codepoint) -> Self {
        let cleared = self.tag & !(0b11 << CODEPOINT_SHIFT);
        Self { tag: cleared | codepoint.bits() << CODEPOINT_SHIFT, ..self }
    }

    /// ECN codepoint of its packet.
    #[must_use]
    #[inline]
    pub fn codepoint(self) -> Codepoint {
        Codepoint::of_bits(self.tag >> CODEPOINT_SHIFT)
    }

    /// The virtual circuit.
    #[must_use]
    #[inline]
    pub fn circuit(self) -> usize {
        (self.tag >> FLAG_BITS) as usize
    }

    /// True for the first cell of a packet.
    #[must_use]
    #[inline]
    pub fn is_first(self) -> bool {
        self.tag & FIRST != 0
    }

    /// True for the last cell of a packet (the AAL5 mark in the cell header).
    #[must_use]
    #[inline]
    pub fn is_last(self) -> bool {
        self.tag & LAST != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_codepoint_travels_in_a_cell_beside_all_its_other_marks() {
        let codepoints =
            [Codepoint::NotCapable, Codepoint::Scalable, Codepoint::Classic, Codepoint::CongestionExperienced];
        for codepoint in codepoints {
            let cell = Cell::new(PacketId(7), 1_000_001, true, false).tagged().with_codepoint(codepoint);
            assert_eq!((cell.codepoint(), cell.circuit(), cell.is_first()), (codepoint, 1_000_001, true));
            assert!(cell.is_tagged() && !cell.is_last());
            assert_eq!(cell.following(true).codepoint(), codepoint, "all cells of a packet say the same");
        }
    }
}
