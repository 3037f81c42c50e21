//! RACK-TLP. Section numbers are those of RFC 8985.

pub(super) mod losses;
pub(super) mod probe;
pub(super) mod reordering;

use std::sync::LazyLock;

use longfat_foundation::config::{Parameter, PositiveSpan, Reader, parse_fragment};
use longfat_foundation::units::{Span, Time};
use losses::Losses;
use probe::TailLossProbe;
use reordering::ReorderingWindow;

use super::rate_reduction::RateReduction;
use super::{Acknowledgment, Connection, Piece, Recovery, Response, ResponseToDuplicates};
use crate::transport::{SmoothedRoundTrip, ThresholdRule};

longfat_foundation::model! {
    /// Losses are detected by time: a segment is lost when one sent later has arrived and a round trip has passed, with some allowance for
    /// reordering. So a retransmission that is lost again is retransmitted without a timeout. When nothing comes back for two round trips,
    /// a probe makes the receiver report what it has, so that the loss of the last segments needs no timeout either.
    #[name = "rack-tlp"]
    #[source = "RFC 8985; RFC 2883; RFC 9937"]
    pub struct RackTlp: dyn Recovery {
        /// Whether the amount in flight comes down to the reduced window in proportion to what is delivered, or at once.
        proportional_rate_reduction: bool = "true" or ["false"],
        /// Whether tail loss probes are sent (section 7).
        tail_loss_probe: bool = "true",
        /// How much longer the probe timer waits when a single segment is in flight, because its acknowledgment may be delayed
        /// (TLP.max_ack_delay; section 7.2 leaves it open. Linux: 200 ms).
        longest_acknowledgment_delay: PositiveSpan = "200 ms",
        /// Whether receivers report duplicates (D-SACK, RFC 2883), from which the sender learns to allow more reordering.
        duplicate_reports: bool = "true" or ["false"],
    }
    build(config, _context) {
        Box::new(LossRecovery {
            phase: Phase::Open,
            losses: Losses::default(),
            reordering: ReorderingWindow::new(),
            probe: TailLossProbe::new(config.tail_loss_probe.then_some(config.longest_acknowledgment_delay.0)),
            probe_has_repaired: false,
            smoothed_round_trip: SmoothedRoundTrip::default(),
            reduction: config.proportional_rate_reduction.then(RateReduction::default),
            is_forced: false,
            reports_duplicates: config.duplicate_reports,
        })
    }
}

impl RackTlp {
    /// RACK-TLP with defaults but without rate reduction, for laws with a pacing rate: only window and rate limit them.
    ///
    /// # Panics
    /// Never: every parameter has a default.
    #[must_use]
    pub fn without_reduction() -> &'static Self {
        static SETTINGS: LazyLock<RackTlp> = LazyLock::new(|| {
            let settings = parse_fragment("{ proportional_rate_reduction = false }");
            RackTlp::read(&settings, &mut Reader::default()).expect("all else has a default")
        });
        &SETTINGS
    }
}

/// State of loss recovery. `until` is the sequence number whose acknowledgment ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// No known loss.
    Open,
    /// Repairing losses detected by acknowledgments.
    FastRecovery { until: u64 },
    /// Repairing after a retransmission timeout.
    Timeout { until: u64 },
}

struct LossRecovery {
    phase: Phase,
    losses: Losses,
    reordering: ReorderingWindow,
    probe: TailLossProbe,
    probe_has_repaired: bool,
    smoothed_round_trip: SmoothedRoundTrip,
    /// Proportional rate reduction, if enabled.
    reduction: Option<RateReduction>,
    /// True if the first lost segment is sent regardless of the bytes in the network: at the start of a repair (RFC 6675 section 5, step
    /// 4.3; RFC 6298 section 5.4).
    is_forced: bool,
    reports_duplicates: bool,
}

impl LossRecovery {
    fn smoothed_round_trip(&self, connection: &Connection) -> Option<Span> {
        self.smoothed_round_trip.get().or(connection.round_trip())
    }

    fn reordering_window(&self, connection: &Connection) -> Span {
        self.reordering.span(
            self.phase != Phase::Open,
            self.losses.segments_arrived(),
            self.losses.shortest_round_trip(),
            self.smoothed_round_trip(connection),
        )
    }

    /// Detects losses after an acknowledgment that delivers `delivered` bytes (section 6.2, steps 4 and 5). Returns the bytes newly lost.
    fn look_for_losses(&mut self, now: Time, connection: &mut Connection, delivered: u64) -> u64 {
        let found = self.losses.detect(now, self.reordering_window(connection));
        if found > 0 && self.phase == Phase::Open {
            self.enter(now, connection, delivered);
        }
        found
    }

    fn enter(&mut self, now: Time, connection: &mut Connection, delivered: u64) {
        self.phase = Phase::FastRecovery { until: connection.highest() };
        self.probe.end();
        self.is_forced = true;
        connection.reduce(now);
        connection.delay_retransmission(now);
        if let Some(reduction) = &mut self.reduction {
            reduction.begin(connection, delivered, self.losses.in_network(), 0);
        }
    }

    /// Responds to an acknowledgment after it was processed; `is_new` if it has advanced the left edge.
    fn respond(&mut self, now: Time, connection: &mut Connection, is_new: bool) {
        let delivered = self.reduction.as_mut().map_or(0, |reduction| reduction.delivered_now(connection));
        let was_recovering = self.is_recovering();
        let found = self.look_for_losses(now, connection, delivered);
        if let Some(reduction) = self.reduction.as_mut().filter(|_| was_recovering) {
            if delivered == 0 {
                reduction.note_lost(found);
            }
            reduction.proceed(connection, delivered, self.losses.in_network(), is_new && found == 0);
        }
    }

    fn end_if_repaired(&mut self, connection: &Connection) {
        if let Phase::FastRecovery { until } | Phase::Timeout { until } = self.phase
            && connection.unacknowledged() >= until
        {
            self.phase = Phase::Open;
            self.reordering.note_recovery_end();
        }
    }

    /// Time of the next tail loss probe; `None` if anything indicates a loss (section 7.2).
    fn probe_time(&self, connection: &Connection) -> Option<Time> {
        let is_calm = self.phase == Phase::Open && self.losses.segments_arrived() == 0 && connection.flight() > 0;
        let is_calm = is_calm && self.probe.is_allowed(connection.statistics.round_trips.count);
        let one_segment = connection.flight() <= connection.mss();
        let time = || self.probe.time(self.smoothed_round_trip(connection), one_segment, connection.expires());
        is_calm.then(time).flatten()
    }

    /// Content of a probe: new data if there is any, even less than a segment, otherwise the last segment, regardless of the congestion
    /// window (section 7.3).
    fn probe_piece(&self, connection: &Connection) -> Option<Piece> {
        let new = connection.next_at_once(connection.window.receiver_window());
        new.or_else(|| self.losses.last())
    }

    /// Bytes that may be sent.
    fn room(&self, connection: &Connection) -> u64 {
        match &self.reduction {
            Some(reduction) if self.is_recovering() => reduction.allowed(),
            _ => connection.window.usable().saturating_sub(self.losses.in_network()),
        }
    }
}

impl Recovery for LossRecovery {
    fn response_to_duplicates(&self) -> ResponseToDuplicates {
        ResponseToDuplicates::FastRecovery
    }

    fn on_opened(&mut self, now: Time, round_trip: Span) {
        self.losses.note_round_trip(now, round_trip);
    }

    fn is_selective(&self) -> bool {
        true
    }

    fn reports_duplicates(&self) -> bool {
        self.reports_duplicates
    }

    fn is_told_of_everything(&self) -> bool {
        true
    }

    fn transmits_early(&self) -> bool {
        true
    }

    fn threshold_rule(&self) -> ThresholdRule {
        ThresholdRule::FlightSize
    }

    fn is_recovering(&self) -> bool {
        matches!(self.phase, Phase::FastRecovery { .. })
    }

    fn has_to_send_again(&self, _connection: &Connection) -> bool {
        self.losses.lost() > 0
    }

    fn measures_segments(&self) -> bool {
        true
    }

    fn newest_round_trip(&self) -> Option<Span> {
        self.losses.newest_round_trip()
    }

    fn in_flight(&self, _connection: &Connection) -> u64 {
        self.losses.in_network()
    }

    fn memory_bytes(&self) -> usize {
        self.losses.memory_bytes()
    }

    fn go_on(&mut self, now: Time, connection: &Connection, acknowledgment: &Acknowledgment) -> Option<Response> {
        if self.phase != Phase::Open || !self.probe.is_idle() {
            return None;
        }
        let news = self.losses.advance(now, acknowledgment.next)?;
        self.reordering.note_acknowledgment(acknowledgment.next, connection.highest(), false);
        self.probe.go_on(now);
        news.round_trip.iter().for_each(|round_trip| self.smoothed_round_trip.note(*round_trip));
        Some(Response::NORMAL)
    }

    fn take_in(&mut self, now: Time, connection: &mut Connection, acknowledgment: &Acknowledgment) -> bool {
        let highest = connection.highest();
        self.reduction.iter_mut().for_each(|reduction| reduction.look(connection));
        let duplicate = acknowledgment.duplicate();
        self.reordering.note_acknowledgment(acknowledgment.next, highest, duplicate.is_some());
        let duplicate_end = duplicate.map(|(_, end)| end);
        self.probe_has_repaired |= self.probe.take_in(now, acknowledgment, connection.unacknowledged(), duplicate_end);
        let news = self.losses.take_in(now, acknowledgment, highest);
        if news.shows_reordering {
            self.reordering.note_reordering();
        }
        if let Some(round_trip) = news.round_trip {
            self.smoothed_round_trip.note(round_trip);
        }
        connection.scoreboard.update(acknowledgment.next, highest, &acknowledgment.blocks) > 0
    }

    fn on_duplicate(&mut self, now: Time, connection: &mut Connection) {
        self.respond(now, connection, false);
    }

    fn on_acknowledgment(&mut self, now: Time, connection: &mut Connection, _bytes: u64) -> Response {
        let was_recovering = self.is_recovering();
        self.end_if_repaired(connection);
        self.probe.start_anew(now);
        self.respond(now, connection, true);
        let has_repaired = std::mem::take(&mut self.probe_has_repaired) && self.phase == Phase::Open && !was_recovering;
        if has_repaired {
            connection.answer_loss(now);
        }
        if was_recovering || self.is_recovering() || has_repaired { Response::RECOVERING } else { Response::NORMAL }
    }

    /// Section 6.3. Keeps the SACK information: nothing here requires discarding it.
    fn on_timeout(&mut self, now: Time, connection: &mut Connection) {
        let window = self.reordering_window(connection);
        self.losses.time_out(now, window);
        self.phase = Phase::Timeout { until: connection.highest() };
        self.probe.end();
        self.is_forced = true;
        connection.go_on();
    }

    fn wakes(&self, connection: &Connection) -> Option<Time> {
        match self.losses.deadline() {
            // At the same time, the retransmission timeout takes precedence.
            Some(deadline) => {
                Some(deadline).filter(|deadline| connection.expires().is_none_or(|timer| *deadline < timer))
            }
            None => self.probe_time(connection),
        }
    }

    fn on_wake(&mut self, now: Time, connection: &mut Connection) {
        if self.losses.deadline().is_some() {
            let was_recovering = self.is_recovering();
            let found = self.look_for_losses(now, connection, 0);
            if let Some(reduction) = self.reduction.as_mut().filter(|_| was_recovering) {
                reduction.note_lost(found);
            }
        } else {
            self.probe.fall_due();
            connection.restart_timer(now);
        }
    }

    fn tell_lost(&mut self, tell: &mut dyn FnMut(Piece)) {
        self.losses.tell_unreported(tell);
    }

    fn next(&self, connection: &Connection) -> Option<Piece> {
        if self.probe.is_due() {
            return self.probe_piece(connection);
        }
        let room = self.room(connection);
        if let Some(lost) = self.losses.first_lost() {
            return (self.is_forced || room >= lost.length).then_some(lost);
        }
        connection.next_within((connection.flight() + room).min(connection.window.receiver_window()))
    }

    fn on_send(&mut self, now: Time, connection: &mut Connection, piece: Piece) {
        let is_new = piece.sequence >= connection.highest();
        if self.probe.is_due() {
            let measured = connection.statistics.round_trips.count;
            self.probe.note_sent(connection.highest().max(piece.end()), !is_new, measured);
        } else if is_new {
            self.probe.start_anew(now);
        }
        if is_new && !self.is_recovering() && self.losses.segments_arrived() > 0 {
            connection.sent_early += piece.length;
        }
        self.is_forced = false;
        self.losses.note_sent(now, piece);
        if let Some(reduction) = self.reduction.as_mut().filter(|_| matches!(self.phase, Phase::FastRecovery { .. })) {
            reduction.note_sent(piece.length);
        }
    }
}

#[cfg(test)]
mod tests {
    use longfat_foundation::registry::Model;

    use super::*;

    #[test]
    fn without_its_reduction_it_is_as_declared_in_all_else() {
        let declared = RackTlp::read(&parse_fragment("{}"), &mut Reader::default()).expect("defaults");
        let (mut expected, found) = (declared.resolved(), RackTlp::without_reduction());
        expected["proportional_rate_reduction"] = false.into();
        assert_eq!(found.resolved(), expected);
        assert!(Model::<dyn Recovery>::build(found, &()).reports_duplicates());
    }
}
