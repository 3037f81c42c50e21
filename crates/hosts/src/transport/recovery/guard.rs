//! Guard against several fast retransmits in one window of data.

use super::Connection;

/// Highest sequence number at the latest loss: losses below it belong to the same congestion event (`recover` of RFC 6582).
#[derive(Clone, Copy, Debug)]
pub struct LossGuard {
    is_on: bool,
    recover: Option<u64>,
}

impl LossGuard {
    /// Guard that has seen no loss. If not `is_on`, it allows everything.
    #[must_use]
    pub fn new(is_on: bool) -> Self {
        Self { is_on, recover: None }
    }

    /// True if duplicate acknowledgments may signal a new loss: data sent after the latest loss has been acknowledged (careful variant of
    /// RFC 6582 section 3.2, step 1).
    #[must_use]
    pub fn allows(&self, connection: &Connection) -> bool {
        !self.is_on || self.recover.is_none_or(|recover| connection.unacknowledged() > recover)
    }

    /// Records a loss detected by duplicate acknowledgments or a timeout.
    pub fn note_loss(&mut self, connection: &Connection) {
        self.recover = Some(connection.highest());
    }

    /// Forgets the latest loss, once it is repaired.
    pub fn forget(&mut self) {
        self.recover = None;
    }
}
