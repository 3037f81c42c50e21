//! Pieces of the data stream, and the segments that carry them.

/// A piece of the data stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// First byte.
    pub sequence: u64,
    /// Number of bytes.
    pub length: u64,
}

impl Piece {
    /// The byte after the last.
    #[must_use]
    pub fn end(self) -> u64 {
        self.sequence + self.length
    }
}

/// A segment to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// First byte.
    pub sequence: u64,
    /// Number of bytes.
    pub length: u64,
    /// True for a retransmission.
    pub again: bool,
    /// True for a SYN.
    pub synchronize: bool,
    /// True if it announces a reduction of the window for a mark (CWR; RFC 3168 section 6.1.2).
    pub reduced: bool,
}
