//! Pieces of the data, and the segments that carry them.

/// A piece of the data: its first byte and how many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// First byte.
    pub sequence: u64,
    /// Number of bytes.
    pub length: u64,
}

impl Piece {
    /// The byte after its last.
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
    /// Whether it has been sent before.
    pub again: bool,
    /// Whether it opens the connection.
    pub synchronize: bool,
    /// Whether it announces that the window was reduced for a mark (CWR; RFC 3168 section 6.1.2).
    pub reduced: bool,
}
