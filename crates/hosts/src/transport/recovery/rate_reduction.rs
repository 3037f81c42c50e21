//! Proportional rate reduction: how much leaves with each acknowledgment of a recovery.

use super::Connection;

/// The reduction of one recovery after another (RFC 9937, which takes the place of RFC 6937).
///
/// A window that is halved at once lets nothing go for half a round trip, and then a segment for each that arrives. Here data leaves in
/// proportion to what is delivered, so that as much is under way as the threshold says when the recovery ends, neither more nor
/// less, whatever else was lost meanwhile.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RateReduction {
    /// Bytes delivered before the latest acknowledgment, in order or not.
    delivered: u64,
    /// Bytes under way when the recovery began (`RecoverFS`).
    at_begin: u64,
    /// Bytes delivered and sent since (`prr_delivered`, `prr_out`).
    delivered_since: u64,
    sent_since: u64,
    /// Bytes below which all was known to be lost.
    lost_below: u64,
    /// Bytes that may be sent now (`SndCnt`).
    allowed: u64,
}

impl RateReduction {
    /// An acknowledgment has come, and nothing of it was taken in yet.
    pub fn look(&mut self, connection: &Connection) {
        self.delivered = Self::delivered_to(connection);
    }

    /// It has been taken in; gives the bytes that it tells to be delivered (`DeliveredData`).
    pub fn delivered_now(&self, connection: &Connection) -> u64 {
        Self::delivered_to(connection).saturating_sub(self.delivered)
    }

    fn delivered_to(connection: &Connection) -> u64 {
        connection.unacknowledged() + connection.scoreboard.arrived().bytes()
    }

    /// A recovery begins with an acknowledgment that has told of `delivered` bytes, `pipe` bytes being in the network. What this has told of
    /// counts as under way, in order or not; what had arrived before does not.
    pub fn begin(&mut self, connection: &Connection, delivered: u64, pipe: u64, lost_below: u64) {
        let not_arrived = connection.flight() - connection.scoreboard.arrived().bytes();
        self.at_begin = (not_arrived + delivered).max(1);
        (self.delivered_since, self.sent_since, self.lost_below) = (0, 0, lost_below);
        self.allow(connection, delivered, pipe, false);
    }

    /// An acknowledgment during a recovery has told of `delivered` bytes; with `all_well` it moves the left edge and shows no other loss.
    /// One that tells of nothing delivered changes nothing.
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
            // As many as are delivered, and one more if all is well: slow start up to the threshold.
            let conserved = self.delivered_since.saturating_sub(self.sent_since).max(delivered);
            let more = if all_well { connection.mss() } else { 0 };
            (conserved + more).min(threshold - pipe)
        };
    }

    /// Whether losses are known beyond those that were known before.
    pub fn shows_loss(&mut self, connection: &Connection, lost_below: u64) -> bool {
        let before = self.lost_below;
        self.lost_below = before.max(lost_below);
        connection.scoreboard.missing(before.max(connection.unacknowledged()), lost_below) > 0
    }

    /// Bytes are found to be lost between acknowledgments: so many more may be sent, for the window stays.
    pub fn note_lost(&mut self, bytes: u64) {
        self.allowed += bytes;
    }

    /// Bytes are sent.
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

    /// That has sent nothing, whose threshold is its receiver's window.
    fn connection() -> Connection {
        let config = TcpConfig::written("{ receiver_window = \"65535 B\" }");
        let mut chance = Chance { seed: 1, replication: 0 }.stream("clock");
        let clock = TickClock::new(config.timer_granularity.0, config.timer_phase, &mut chance);
        let law = config.flavor.build(&()).law();
        Connection::new(&config, clock, law)
    }

    /// Of 1500 bytes delivered 500 were told of last, and 1400 were sent: below the threshold so many may go as were told of.
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
