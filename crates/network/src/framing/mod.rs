//! How packets travel on a line: as trains of cells whose last one carries a mark, or whole.

mod aal5;
mod class;
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
use longfat_hosts::transport::Codepoint;

/// Every registered framing.
pub const FRAMINGS: &[Entry<dyn Framing>] = &[
    Entry::of::<aal5::Aal5>(),
    Entry::of::<packet::WholePacket>(),
    Entry::of::<ethernet::Ethernet>(),
    Entry::of::<dvb_s2_gse::DvbS2Gse>(),
];

/// What a line sends in one piece, and what buffers and results count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Cells, all of one size.
    Cell,
    /// Whole packets. To everything but a line a packet is then a cell, the first and the last of its packet at once.
    Packet,
}

impl Unit {
    /// The word for several of them.
    #[must_use]
    pub fn plural(self) -> &'static str {
        match self {
            Self::Cell => "cells",
            Self::Packet => "packets",
        }
    }
}

/// What a packet takes on a line and what a lost last cell does.
pub trait Framing: Send + Sync {
    /// What travels in one piece.
    fn unit(&self) -> Unit;
    /// Cells for a TCP packet with `payload_bytes` of data and `option_bytes` of TCP options; one if it travels whole.
    fn cells(&self, payload_bytes: u64, option_bytes: u64) -> u64;
    /// Bits on the line for the same packet, with all headers and padding.
    fn bits(&self, payload_bytes: u64, option_bytes: u64) -> u64;
    /// Cells and bits of a datagram of background traffic.
    fn datagram(&self, payload_bytes: u64) -> (u64, u64) {
        (self.cells(payload_bytes, 0), self.bits(payload_bytes, 0))
    }
    /// What a receiver does with the packet after a lost last cell.
    fn lost_last_cell(&self) -> LostLastCell {
        LostLastCell::CorruptsOwnPacket
    }
    /// The most data that a segment can have, if there is a limit.
    fn largest_segment(&self) -> Option<u64> {
        None
    }
}

/// 20 bytes of TCP header (RFC 9293 section 3.1) and 20 of IP (RFC 791 section 3.1), without options.
const TCP_AND_IP_HEADER_BYTES: u64 = 40;

impl Family for dyn Framing {
    const KIND: &'static str = "framing";
    type Context = ();
    fn models() -> &'static [Entry<Self>] {
        FRAMINGS
    }
}

/// A cell on its way: which packet it is part of, on which virtual circuit, and whether it begins or ends the packet.
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
/// Where the two bits of explicit congestion notification are.
const CODEPOINT_SHIFT: u32 = 3;
const FLAG_BITS: u32 = 5;

impl Cell {
    /// A cell of `packet` on `circuit`.
    #[must_use]
    pub fn new(packet: PacketId, circuit: u32, first: bool, last: bool) -> Self {
        let flags = if first { FIRST } else { 0 } | if last { LAST } else { 0 };
        Self { packet, tag: circuit << FLAG_BITS | flags }
    }

    /// The next cell of the same packet.
    #[must_use]
    #[inline]
    pub fn following(self, last: bool) -> Self {
        let flags = if last { LAST } else { 0 };
        Self { packet: self.packet, tag: self.tag & !(FIRST | LAST) | flags }
    }

    /// The same cell with CLP = 1: of a packet that exceeds what its circuit is promised.
    #[must_use]
    pub fn tagged(self) -> Self {
        Self { tag: self.tag | TAGGED, ..self }
    }

    /// Whether it has CLP = 1, as all other cells of its packet.
    #[must_use]
    #[inline]
    pub fn is_tagged(self) -> bool {
        self.tag & TAGGED != 0
    }

    /// The same cell with the codepoint of its packet.
    #[must_use]
    pub fn with_codepoint(self, codepoint: Codepoint) -> Self {
        let cleared = self.tag & !(0b11 << CODEPOINT_SHIFT);
        Self { tag: cleared | codepoint.bits() << CODEPOINT_SHIFT, ..self }
    }

    /// What its packet says about explicit congestion notification.
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

    /// Whether the packet begins here.
    #[must_use]
    #[inline]
    pub fn is_first(self) -> bool {
        self.tag & FIRST != 0
    }

    /// Whether the packet ends here (the AAL5 mark in the cell's header).
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
