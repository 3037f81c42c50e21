//! TCP Reno: fast retransmit and fast recovery.

use longfat_foundation::units::Time;

use super::guard::LossGuard;
use super::{Connection, DUPLICATE_THRESHOLD, Recovery, Response, ResponseToDuplicates};

longfat_foundation::model! {
    /// At the third duplicate acknowledgment Reno retransmits the lost segment and halves the window. Each further duplicate shows that a
    /// segment has left the network, and lets another one be sent. The next acknowledgment of new data ends the recovery. If more than one
    /// segment of a window is lost, the window is halved again for each, or the timer expires.
    #[name = "reno"]
    #[source = "97-0424 section 2.1; 98-0876R1 section 3; RFC 2001 sections 3 and 4"]
    pub struct Reno: dyn Recovery {
        /// Whether duplicate acknowledgments signal a loss only after something sent since the last loss has been acknowledged (T-21). If
        /// not, as in BSD until 1997, several losses in one window halve it several times, and so do the duplicates that go-back-N causes.
        multiple_loss_guard: bool = "false" or ["true"],
        /// Whether the acknowledgment that ends the recovery also lets the window grow, as in ns-2.
        grows_at_exit: bool = "false" or ["true"],
    }
    build(config, _context) {
        Box::new(FastRecovery {
            guard: LossGuard::new(config.multiple_loss_guard),
            grows_at_exit: config.grows_at_exit,
            is_recovering: false,
        })
    }
}

struct FastRecovery {
    guard: LossGuard,
    grows_at_exit: bool,
    is_recovering: bool,
}

impl Recovery for FastRecovery {
    fn response_to_duplicates(&self) -> ResponseToDuplicates {
        ResponseToDuplicates::FastRecovery
    }

    fn is_recovering(&self) -> bool {
        self.is_recovering
    }

    fn on_duplicate(&mut self, now: Time, connection: &mut Connection) {
        if self.is_recovering {
            connection.window.inflate(1);
        } else if connection.duplicates == DUPLICATE_THRESHOLD && self.guard.allows(connection) {
            self.is_recovering = true;
            self.guard.note_loss(connection);
            connection.reduce(now);
            connection.window.inflate(DUPLICATE_THRESHOLD);
            connection.fast_retransmit(now);
        }
    }

    fn on_acknowledgment(&mut self, _now: Time, connection: &mut Connection, _bytes: u64) -> Response {
        if !self.is_recovering {
            return Response::NORMAL;
        }
        self.is_recovering = false;
        connection.window.deflate();
        Response { window_may_grow: self.grows_at_exit, timer_restarts: true, counted: None }
    }

    fn on_timeout(&mut self, _now: Time, connection: &mut Connection) {
        self.is_recovering = false;
        self.guard.note_loss(connection);
    }
}
