//! Service classes of ATM.

/// A service class: what has a queue of its own at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Unspecified bit rate: the connections, and background that has no class of its own.
    Ubr,
    /// Variable bit rate: background that is not to wait for UBR.
    Vbr,
}

impl Class {
    /// Its name in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ubr => "ubr",
            Self::Vbr => "vbr",
        }
    }
}
