//! Service classes of ATM.

/// A service class, with a queue of its own at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Unspecified bit rate: connections, and background without a class of its own.
    Ubr,
    /// Variable bit rate: background that takes precedence over UBR.
    Vbr,
}

impl Class {
    /// Name in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ubr => "ubr",
            Self::Vbr => "vbr",
        }
    }
}
