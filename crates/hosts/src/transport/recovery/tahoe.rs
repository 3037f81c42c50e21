//! TCP Tahoe: fast retransmit, then slow start.

use longfat_foundation::units::Time;

use super::guard::LossGuard;
use super::{Connection, DUPLICATE_THRESHOLD, Recovery, ResponseToDuplicates};

longfat_foundation::model! {
    /// The third duplicate acknowledgment works like a timeout, without waiting for the timer: slow start from the lost segment on
    /// (go-back-N).
    #[name = "tahoe"]
    #[source = "Jacobson 1988; Fall and Floyd 1996 section 2"]
    pub struct Tahoe: dyn Recovery {
        /// Whether duplicate acknowledgments signal a loss only after something sent since the last loss has been acknowledged (T-21).
        multiple_loss_guard: bool = "false" or ["true"],
    }
    build(config, _context) { Box::new(FastRetransmit { guard: LossGuard::new(config.multiple_loss_guard) }) }
}

struct FastRetransmit {
    guard: LossGuard,
}

impl Recovery for FastRetransmit {
    fn response_to_duplicates(&self) -> ResponseToDuplicates {
        ResponseToDuplicates::SlowStart
    }

    fn on_duplicate(&mut self, now: Time, connection: &mut Connection) {
        if connection.duplicates == DUPLICATE_THRESHOLD && self.guard.allows(connection) {
            self.guard.note_loss(connection);
            connection.reduce(now);
            connection.window.collapse();
            connection.go_back();
            connection.fast_retransmit(now);
        }
    }

    fn on_timeout(&mut self, _now: Time, connection: &mut Connection) {
        self.guard.note_loss(connection);
    }
}
