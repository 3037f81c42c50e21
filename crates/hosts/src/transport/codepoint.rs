//! Explicit congestion notification: the two bits of a packet that a queue may mark instead of dropping it.

/// The ECN field of the IP header (RFC 3168 section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Codepoint {
    /// Its ends do not understand marks (Not-ECT): congestion must drop it.
    #[default]
    NotCapable,
    /// ECT(1): its ends answer marks in proportion to them (L4S; RFC 9331 section 2).
    Scalable,
    /// ECT(0): its ends answer a mark as they would a loss.
    Classic,
    /// CE: a queue on the way was congested.
    CongestionExperienced,
}

impl Codepoint {
    /// The bits of the header: Not-ECT 00, ECT(1) 01, ECT(0) 10, CE 11.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Self::NotCapable => 0b00,
            Self::Scalable => 0b01,
            Self::Classic => 0b10,
            Self::CongestionExperienced => 0b11,
        }
    }

    /// From the lowest two of some bits.
    #[must_use]
    pub fn of_bits(bits: u32) -> Self {
        match bits & 0b11 {
            0b00 => Self::NotCapable,
            0b01 => Self::Scalable,
            0b10 => Self::Classic,
            _ => Self::CongestionExperienced,
        }
    }

    /// Whether a queue may mark instead of drop.
    #[must_use]
    pub fn is_capable(self) -> bool {
        self != Self::NotCapable
    }

    /// Whether a queue has marked.
    #[must_use]
    pub fn is_marked(self) -> bool {
        self == Self::CongestionExperienced
    }
}
