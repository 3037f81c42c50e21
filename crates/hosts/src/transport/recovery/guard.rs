//! The guard against several fast retransmits for one window of data.

use super::Connection;

/// Remembers what was sent when a loss was last noticed: losses below belong to the same congestion.
#[derive(Clone, Copy, Debug)]
pub struct LossGuard {
    is_on: bool,
    recover: Option<u64>,
}

impl LossGuard {
    /// A guard that has seen no loss; one that is off never objects.
    #[must_use]
    pub fn new(is_on: bool) -> Self {
        Self { is_on, recover: None }
    }

    /// Whether duplicate acknowledgments may show a new loss: something sent since the last one is acknowledged
    /// (the careful variant of RFC 6582 section 3.2, step 1).
    #[must_use]
    pub fn allows(&self, connection: &Connection) -> bool {
        !self.is_on || self.recover.is_none_or(|recover| connection.unacknowledged() > recover)
    }

    /// A loss is noticed, by duplicate acknowledgments or a timeout.
    pub fn note_loss(&mut self, connection: &Connection) {
        self.recover = Some(connection.highest());
    }

    /// The last loss is repaired: nothing is held against the next.
    pub fn forget(&mut self) {
        self.recover = None;
    }
}
