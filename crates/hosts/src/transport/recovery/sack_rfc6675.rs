//! TCP SACK of RFC 6675.

use longfat_foundation::units::Time;

use super::rate_reduction::RateReduction;
use super::{Acknowledgment, Connection, DUPLICATE_THRESHOLD, Piece, Recovery, Response, ResponseToDuplicates};
use crate::transport::ThresholdRule;

longfat_foundation::choice! {
    /// How the amount in flight comes down to the reduced window in a recovery.
    pub enum Reduction {
        /// At once: nothing is sent until enough has left the network.
        AtOnce = "at-once",
        /// In proportion to the bytes delivered, until the amount in flight equals the threshold (proportional rate reduction; RFC 9937).
        Proportional = "proportional",
    }
    absent AtOnce
}

longfat_foundation::model! {
    /// Conservative loss recovery with selective acknowledgments, as standardized. At every acknowledgment the amount in the network is
    /// recomputed from the scoreboard. A segment counts as lost when enough data beyond it has arrived. One segment beyond the last
    /// block is sent to avoid a timeout. New data is sent from the first two duplicates on (limited transmit).
    #[name = "sack-rfc6675"]
    #[source = "RFC 6675 sections 4 and 5; RFC 2018; RFC 9937"]
    pub struct SackRfc6675: dyn Recovery {
        /// How the amount in flight comes down to the reduced window in a recovery.
        pub reduction: Reduction = "at-once",
    }
    build(config, _context) {
        Box::new(LossRecovery {
            recovery_point: None,
            barred_below: 0,
            is_rescued: false,
            rescue_limit: 0,
            in_proportion: (config.reduction == Reduction::Proportional).then(RateReduction::default),
        })
    }
}

struct LossRecovery {
    /// Sequence number that must be acknowledged to leave recovery (`RecoveryPoint`); `None` outside it.
    recovery_point: Option<u64>,
    /// Sequence number that must be acknowledged after a timeout before another recovery may begin (section 5.1).
    barred_below: u64,
    /// True if the rescue retransmission of this recovery was sent.
    is_rescued: bool,
    /// Sequence number that must be acknowledged before a rescue retransmission (`RescueRxt`).
    rescue_limit: u64,
    /// Proportional rate reduction, if enabled.
    in_proportion: Option<RateReduction>,
}

impl LossRecovery {
    /// Enters recovery at an acknowledgment that delivers `delivered` bytes (section 5, step (4)).
    fn enter(&mut self, now: Time, connection: &mut Connection, delivered: u64) {
        self.recovery_point = Some(connection.highest());
        connection.reduce(now);
        self.is_rescued = false;
        let first = connection.first_unacknowledged();
        self.rescue_limit = first.end();
        connection.scoreboard.begin_recovery(connection.unacknowledged());
        if let Some(reduction) = &mut self.in_proportion {
            reduction.begin(connection, delivered, Self::pipe(connection), Self::lost_below(connection));
        }
        connection.scoreboard.begin_recovery(first.end());
        if let (Some(sent), Some(reduction)) = (connection.fast_retransmit(now), &mut self.in_proportion) {
            reduction.note_sent(sent.length);
        }
    }

    /// Bytes delivered by an acknowledgment, with rate reduction; `is_new` if it has advanced the left edge.
    fn note_delivered(&mut self, connection: &Connection, is_new: bool) -> u64 {
        let Some(reduction) = &mut self.in_proportion else { return 0 };
        let delivered = reduction.delivered_now(connection);
        if self.recovery_point.is_some() {
            let all_well = is_new && !reduction.shows_loss(connection, Self::lost_below(connection));
            reduction.proceed(connection, delivered, Self::pipe(connection), all_well);
        }
        delivered
    }

    /// Bytes that may be sent: the window less PIPE, or the allowance of rate reduction (section 5, steps (C) and (3)).
    fn room(&self, connection: &Connection) -> u64 {
        match &self.in_proportion {
            Some(reduction) if self.is_recovering() => reduction.allowed(),
            _ => connection.window.usable().saturating_sub(Self::pipe(connection)),
        }
    }

    fn lost_below(connection: &Connection) -> u64 {
        connection.scoreboard.lost_below(DUPLICATE_THRESHOLD as usize, connection.mss())
    }

    /// Bytes in the network (`SetPipe` of section 4): neither arrived nor lost, plus those retransmitted.
    fn pipe(connection: &Connection) -> u64 {
        let (board, begin) = (&connection.scoreboard, connection.unacknowledged());
        let not_lost = board.missing(Self::lost_below(connection).max(begin), connection.highest());
        not_lost + board.missing(begin, board.retransmitted().min(connection.highest()))
    }

    /// Next segment to send (`NextSeg` of section 4).
    fn next_segment(&self, connection: &Connection) -> Option<Piece> {
        let hole = connection.scoreboard.next_hole(connection.unacknowledged());
        let piece = |(begin, end): (u64, u64)| Piece { sequence: begin, length: connection.mss().min(end - begin) };
        let lost = hole.filter(|hole| hole.0 < Self::lost_below(connection));
        let new = || connection.next_within(connection.window.receiver_window());
        lost.map(piece).or_else(new).or_else(|| hole.map(piece)).or_else(|| self.rescue(connection))
    }

    /// Rule (4): the last bytes in flight, once per recovery, when the first retransmissions have been acknowledged. Taken literally, the
    /// rule would retransmit the last hole twice if bytes beyond it have arrived; this applies it only to data beyond every block.
    fn rescue(&self, connection: &Connection) -> Option<Piece> {
        let is_due = !self.is_rescued
            && connection.unacknowledged() > self.rescue_limit
            && connection.next() == connection.highest();
        let arrived = connection.scoreboard.arrived().end().unwrap_or(0);
        let end = connection.highest();
        let begin = end.saturating_sub(connection.mss()).max(connection.unacknowledged()).max(arrived);
        (is_due && begin < end).then_some(Piece { sequence: begin, length: end - begin })
    }

    /// Go-back-N after a timeout; skips data reported as arrived since (section 5.1).
    fn next_after_timeout(connection: &Connection) -> Option<Piece> {
        let (board, next) = (&connection.scoreboard, connection.next());
        let begin = board.arrived().containing(next).map_or(next, |(_, end)| end);
        let piece = connection.piece_within(begin, connection.window.usable())?;
        let end = board.next_gap(begin).map_or(u64::MAX, |(_, end)| end);
        Some(Piece { length: piece.length.min(end - begin), ..piece })
    }
}

impl Recovery for LossRecovery {
    fn response_to_duplicates(&self) -> ResponseToDuplicates {
        ResponseToDuplicates::FastRecovery
    }

    fn is_selective(&self) -> bool {
        true
    }

    fn transmits_early(&self) -> bool {
        true
    }

    fn threshold_rule(&self) -> ThresholdRule {
        ThresholdRule::FlightSize
    }

    fn is_recovering(&self) -> bool {
        self.recovery_point.is_some()
    }

    fn has_to_send_again(&self, connection: &Connection) -> bool {
        let hole = connection.scoreboard.next_hole(connection.unacknowledged());
        self.is_recovering() && hole.is_some_and(|hole| hole.0 < Self::lost_below(connection))
    }

    fn in_flight(&self, connection: &Connection) -> u64 {
        if connection.next() < connection.highest() {
            connection.scoreboard.missing(connection.unacknowledged(), connection.next())
        } else {
            Self::pipe(connection)
        }
    }

    fn take_in(&mut self, _now: Time, connection: &mut Connection, acknowledgment: &Acknowledgment) -> bool {
        let highest = connection.highest();
        self.in_proportion.iter_mut().for_each(|reduction| reduction.look(connection));
        connection.scoreboard.update(acknowledgment.next, highest, &acknowledgment.blocks) > 0
    }

    fn on_duplicate(&mut self, now: Time, connection: &mut Connection) {
        let shows_loss =
            connection.duplicates >= DUPLICATE_THRESHOLD || Self::lost_below(connection) > connection.unacknowledged();
        let delivered = self.note_delivered(connection, false);
        if !self.is_recovering() && shows_loss && connection.unacknowledged() >= self.barred_below {
            self.enter(now, connection, delivered);
        }
    }

    fn on_acknowledgment(&mut self, _now: Time, connection: &mut Connection, _bytes: u64) -> Response {
        self.note_delivered(connection, true);
        let Some(recovery_point) = self.recovery_point else { return Response::NORMAL };
        if connection.unacknowledged() >= recovery_point {
            self.recovery_point = None;
        }
        Response::RECOVERING
    }

    fn on_timeout(&mut self, _now: Time, connection: &mut Connection) {
        self.recovery_point = None;
        self.barred_below = connection.highest();
        connection.scoreboard.clear();
    }

    fn next(&self, connection: &Connection) -> Option<Piece> {
        let is_early = (1..DUPLICATE_THRESHOLD).contains(&connection.duplicates);
        let piece = if self.is_recovering() {
            self.next_segment(connection)
        } else if is_early && connection.next() == connection.highest() {
            connection.next_within(connection.window.receiver_window())
        } else {
            return Self::next_after_timeout(connection);
        };
        piece.filter(|_| self.room(connection) >= connection.mss())
    }

    fn on_send(&mut self, _now: Time, connection: &mut Connection, piece: Piece) {
        if let Some(reduction) = self.in_proportion.as_mut().filter(|_| self.recovery_point.is_some()) {
            reduction.note_sent(piece.length);
        }
        if piece.sequence >= connection.highest() {
            if !self.is_recovering() && connection.duplicates > 0 {
                connection.sent_early += piece.length;
            }
            return;
        }
        let has_hole = connection.scoreboard.next_hole(connection.unacknowledged()).is_some();
        let is_rescue = self.is_recovering() && !has_hole && self.rescue(connection) == Some(piece);
        if is_rescue {
            self.is_rescued = true;
        } else {
            connection.scoreboard.note_retransmission(piece.end());
        }
    }
}
