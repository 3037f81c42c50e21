//! ECN codepoints: the two bits of the IP header by which a queue can mark a packet instead of dropping it.

/// The ECN field of the IP header (RFC 3168 section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Codepoint {
    /// Not-ECT: the end systems do not support ECN, so congestion must drop the packet.
    #[default]
    NotCapable,
    /// ECT(1): the sender responds to marks in proportion to their share (L4S; RFC 9331 section 2).
    Scalable,
    /// ECT(0): the sender responds to a mark as to a loss.
    Classic,
    /// CE: a queue on the path was congested.
    CongestionExperienced,
}

impl Codepoint {
    /// Bits of the header field: Not-ECT 00, ECT(1) 01, ECT(0) 10, CE 11.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Self::NotCapable => 0b00,
            Self::Scalable => 0b01,
            Self::Classic => 0b10,
            Self::CongestionExperienced => 0b11,
        }
    }

    /// Codepoint of the lowest two of `bits`.
    #[must_use]
    pub fn of_bits(bits: u32) -> Self {
        match bits & 0b11 {
            0b00 => Self::NotCapable,
            0b01 => Self::Scalable,
            0b10 => Self::Classic,
            _ => Self::CongestionExperienced,
        }
    }

    /// True if a queue may mark the packet instead of dropping it.
    #[must_use]
    pub fn is_capable(self) -> bool {
        self != Self::NotCapable
    }

    /// True if a queue has marked the packet.
    #[must_use]
    pub fn is_marked(self) -> bool {
        self == Self::CongestionExperienced
    }
}
