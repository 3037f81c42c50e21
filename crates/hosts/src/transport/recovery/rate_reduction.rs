//! Proportional rate reduction (PRR): the data that each acknowledgment of a recovery lets the sender send.

use super::Connection;

/// PRR state, reused by one recovery after another (RFC 9937, which obsoletes RFC 6937).
///
/// If the window is halved at once, nothing leaves for half a round trip. PRR instead sends in proportion to the data delivered, so that at
/// the end of the recovery ssthresh bytes are in flight, whatever else was lost meanwhile.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RateReduction {
    /// Bytes delivered, in order or not, before the latest acknowledgment.
    delivered: u64,
    /// Bytes in flight at the start of the recovery (`RecoverFS`).
    at_begin: u64,
    /// Bytes delivered (`prr_delivered`) and sent (`prr_out`) since then.
    delivered_since: u64,
    sent_since: u64,
    /// Sequence number below which all missing data was known to be lost.
    lost_below: u64,
    /// Bytes that may be sent now (`SndCnt`).
    allowed: u64,
}

impl RateReduction {
    /// Records the state before an acknowledgment is processed.
    pub fn look(&mut self, connection: &Connection) {
        self.delivered = Self::delivered_to(connection);
    }

    /// Bytes delivered by the acknowledgment, after it was processed (`DeliveredData`).
    pub fn delivered_now(&self, connection: &Connection) -> u64 {
        Self::delivered_to(connection).saturating_sub(self.delivered)
    }

    fn delivered_to(connection: &Connection) -> u64 {
        connection.unacknowledged() + connection.scoreboard.arrived().bytes()
    }

    /// Starts a recovery at an acknowledgment that delivers `delivered` bytes; `pipe` bytes are in the network. `RecoverFS` includes the
    /// data delivered by this acknowledgment, in order or not, but not what had arrived before.
    pub fn begin(&mut self, connection: &Connection, delivered: u64, pipe: u64, lost_below: u64) {
        let not_arrived = connection.flight() - connection.scoreboard.arrived().bytes();
        self.at_begin = (not_arrived + delivered).max(1);
        (self.delivered_since, self.sent_since, self.lost_below) = (0, 0, lost_below);
        self.allow(connection, delivered, pipe, false);
    }

    /// Processes an acknowledgment during recovery that delivers `delivered` bytes; `all_well` if it advances the left edge and shows no
    /// further loss. Has no effect if nothing is delivered.
    pub fn proceed(&mut self, connection: &Connection, delivered: u64, pipe: u64, all_well: bool) {
        if delivered > 0 {
            self.allow(connection, delivered, pipe, all_well);
        }
    }

    fn allow(&mut self, connection: &Connection, delivered: u64, pipe: u64, all_well: bool) {
        self.delivered_since += delivered;
        let threshold = whole(connection.window.ssthresh);
        self.allowed = if pipe > threshold {
            let in_proportion = u128::from(self.delivered_since) * u128::from(threshold);
            let so_far = u64::try_from(in_proportion.div_ceil(u128::from(self.at_begin))).unwrap_or(u64::MAX);
            so_far.saturating_sub(self.sent_since)
        } else {
            // Packet conservation, plus one segment if all is well: slow start up to ssthresh (PRR-SSRB).
            let conserved = self.delivered_since.saturating_sub(self.sent_since).max(delivered);
            let more = if all_well { connection.mss() } else { 0 };
            (conserved + more).min(threshold - pipe)
        };
    }

    /// True if losses are known beyond those known before.
    pub fn shows_loss(&mut self, connection: &Connection, lost_below: u64) -> bool {
        let before = self.lost_below;
        self.lost_below = before.max(lost_below);
        connection.scoreboard.missing(before.max(connection.unacknowledged()), lost_below) > 0
    }

    /// Adds the `bytes` detected as lost between acknowledgments, which leave room in the unchanged window.
    pub fn note_lost(&mut self, bytes: u64) {
        self.allowed += bytes;
    }

    /// Records `bytes` bytes sent.
    pub fn note_sent(&mut self, bytes: u64) {
        self.sent_since += bytes;
        self.allowed = self.allowed.saturating_sub(bytes);
    }

    /// Bytes that may be sent now.
    pub fn allowed(&self) -> u64 {
        self.allowed
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "thresholds are within the range of windows"
)]
fn whole(bytes: f64) -> u64 {
    bytes.min(1e18) as u64
}

#[cfg(test)]
mod tests {
    use longfat_foundation::random::Chance;

    use super::*;
    use crate::transport::{TcpConfig, TickClock};

    /// A connection that has sent nothing, with ssthresh at the receiver window.
    fn connection() -> Connection {
        let config = TcpConfig::written("{ receiver_window = \"65535 B\" }");
        let mut chance = Chance { seed: 1, replication: 0 }.stream("clock");
        let clock = TickClock::new(config.timer_granularity.0, config.timer_phase, &mut chance);
        let law = config.flavor.build(&()).law();
        Connection::new(&config, clock, law)
    }

    /// 1500 bytes were delivered, 500 of them by the latest acknowledgment, and 1400 were sent: below ssthresh, 500 more may be sent.
    #[test]
    fn an_acknowledgment_that_delivers_nothing_changes_nothing() {
        let connection = connection();
        let mut reduction =
            RateReduction { at_begin: 10_000, delivered_since: 1000, sent_since: 1400, ..RateReduction::default() };
        reduction.proceed(&connection, 500, 0, false);
        assert_eq!(reduction.allowed(), 500);
        reduction.proceed(&connection, 0, 0, true);
        assert_eq!(reduction.allowed(), 500);
    }

    #[test]
    fn what_is_found_to_be_lost_between_acknowledgments_may_be_sent() {
        let mut reduction = RateReduction { allowed: 50, ..RateReduction::default() };
        reduction.note_lost(300);
        assert_eq!(reduction.allowed(), 350);
        reduction.note_sent(100);
        assert_eq!(reduction.allowed(), 250);
    }
}
