//! TCP NewReno of RFC 6582.

use longfat_foundation::units::Time;

use super::guard::LossGuard;
use super::newreno::{ExitWindow, TimerRestart};
use super::{Connection, DUPLICATE_THRESHOLD, Recovery, Response};
use crate::transport::ThresholdRule;

longfat_foundation::model! {
    /// NewReno as standardized: at a partial acknowledgment the window shrinks by the bytes acknowledged less one segment, so that new data
    /// can follow. Losses among data sent before the last reduction cause no second reduction.
    #[name = "newreno-rfc6582"]
    #[source = "RFC 6582 section 3.2; RFC 5681 section 3.2"]
    pub struct NewRenoRfc6582: dyn Recovery {
        /// When the retransmission timer is restarted during recovery. The RFC recommends the first way ("impatient").
        timer_restart: TimerRestart = "first-partial-acknowledgment" or ["each-partial-acknowledgment"],
        /// The window at the end of recovery, when everything sent before the loss was noticed is acknowledged.
        exit_window: ExitWindow = "flight-limited" or ["threshold"],
    }
    build(config, _context) {
        Box::new(FastRecovery {
            config: config.clone(),
            guard: LossGuard::new(true),
            recover: None,
            partial_acknowledgments: 0,
        })
    }
}

struct FastRecovery {
    config: NewRenoRfc6582,
    guard: LossGuard,
    /// Sequence number that must be acknowledged to leave recovery; `None` outside it.
    recover: Option<u64>,
    partial_acknowledgments: u32,
}

impl FastRecovery {
    /// Step 3, full acknowledgment.
    fn leave(&mut self, connection: &mut Connection) -> Response {
        self.recover = None;
        self.config.exit_window.apply(connection);
        Response::RECOVERING
    }

    /// Step 3, partial acknowledgment.
    fn on_partial_acknowledgment(&mut self, now: Time, connection: &mut Connection, bytes: u64) -> Response {
        connection.window.deflate_by(bytes);
        self.partial_acknowledgments += 1;
        connection.retransmit_first(now);
        self.config.timer_restart.response(self.partial_acknowledgments)
    }
}

impl Recovery for FastRecovery {
    fn threshold_rule(&self) -> ThresholdRule {
        ThresholdRule::FlightSize
    }

    fn is_recovering(&self) -> bool {
        self.recover.is_some()
    }

    fn on_duplicate(&mut self, now: Time, connection: &mut Connection) {
        if self.is_recovering() {
            connection.window.inflate(1);
        } else if connection.duplicates == DUPLICATE_THRESHOLD && self.guard.allows(connection) {
            self.recover = Some(connection.highest());
            self.partial_acknowledgments = 0;
            self.guard.note_loss(connection);
            connection.reduce(now);
            connection.window.inflate(DUPLICATE_THRESHOLD);
            connection.fast_retransmit(now);
        }
    }

    fn on_acknowledgment(&mut self, now: Time, connection: &mut Connection, bytes: u64) -> Response {
        match self.recover {
            None => Response::NORMAL,
            Some(recover) if connection.unacknowledged() >= recover => self.leave(connection),
            Some(_) => self.on_partial_acknowledgment(now, connection, bytes),
        }
    }

    fn on_timeout(&mut self, _now: Time, connection: &mut Connection) {
        self.recover = None;
        self.guard.note_loss(connection);
    }
}
