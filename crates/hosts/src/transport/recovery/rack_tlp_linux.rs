//! Loss recovery as the Linux kernel has it. Names in code font are those of net/ipv4/tcp_input.c and tcp_recovery.c, Linux 6.12.

mod alert;
mod rate_reduction;
mod undo;

use std::sync::LazyLock;

use longfat_foundation::config::{Parameter, PositiveSpan, Reader, parse_fragment};
use longfat_foundation::units::{Span, Time};
use rate_reduction::RateReduction;
use undo::Undo;

use super::rack_tlp::losses::Losses;
use super::rack_tlp::probe::TailLossProbe;
use super::rack_tlp::reordering::ReorderingWindow;
use super::{Acknowledgment, Connection, Piece, Recovery, Response, ResponseToDuplicates};
use crate::transport::{SmoothedRoundTrip, ThresholdRule, TimeoutKind};

/// Added to the timers of reordering and of the tail loss probe (`TCP_TIMEOUT_MIN_US`).
const TIMER_MARGIN: Span = Span::from_microseconds(2000);

longfat_foundation::model! {
    /// RACK-TLP as the Linux kernel has it (6.12). Besides the RFCs: while segments that were lost have not arrived when a recovery ends, the
    /// next begins at once and reduces the window again; the proportional rate reduction starts from the window, not from the flight;
    /// growth counts segments delivered, in order or not, and begins with the acknowledgment that ends a recovery; a reduction that
    /// timestamps, duplicates or F-RTO show to be needless is undone; marks reduce the window over a round trip.
    #[name = "rack-tlp-linux"]
    #[source = "Linux 6.12, net/ipv4/tcp_input.c: tcp_fastretrans_alert, tcp_cong_control; tcp_recovery.c; RFC 8985; RFC 6937; RFC 5682; RFC 3522"]
    pub struct RackTlpLinux: dyn Recovery {
        /// Whether the amount in flight comes down to the threshold in proportion to what is delivered. Not with controls that have a window
        /// of their own (`cong_control`: BBR).
        proportional_rate_reduction: bool = "true" or ["false"],
        /// Whether a new recovery begins where the last one ends while lost segments have not arrived (`tcp_time_to_recover`).
        reenters: bool = "true" or ["false"],
        /// Whether a needless reduction is undone: the echoed timestamp precedes the first retransmission (Eifel), or all retransmissions were
        /// reported as duplicates (`tcp_may_undo`).
        undoes: bool = "true" or ["false"],
        /// Whether the first timeout sends new data to find out whether it was spurious (`tcp_frto`, RFC 5682).
        frto: bool = "true" or ["false"],
        /// Whether tail loss probes are sent.
        tail_loss_probe: bool = "true",
        /// How much longer the probe timer waits when a single segment is in flight (`tcp_rto_min`).
        longest_acknowledgment_delay: PositiveSpan = "200 ms",
    }
    build(config, _context) {
        Box::new(LossRecovery {
            settings: config.clone(),
            state: State::Open,
            losses: Losses::default(),
            reordering: ReorderingWindow::new(),
            probe: TailLossProbe::new(config.tail_loss_probe.then_some(config.longest_acknowledgment_delay.0)),
            probe_has_repaired: false,
            smoothed_round_trip: SmoothedRoundTrip::default(),
            reduction: RateReduction::default(),
            undo: Undo::default(),
            frto: false,
            tries_new: false,
            news: Delivered::default(),
        })
    }
}

impl RackTlpLinux {
    /// The settings for laws with a window of their own.
    ///
    /// # Panics
    /// Never: every parameter has a default.
    #[must_use]
    pub fn without_reduction() -> &'static Self {
        static SETTINGS: LazyLock<RackTlpLinux> = LazyLock::new(|| {
            let settings = parse_fragment("{ proportional_rate_reduction = false }");
            RackTlpLinux::read(&settings, &mut Reader::default()).expect("all else has a default")
        });
        &SETTINGS
    }
}

/// State of the sender (`icsk_ca_state`). `until` is the sequence number whose acknowledgment ends it (`high_seq`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing is lost (`TCP_CA_Open`, `TCP_CA_Disorder`).
    Open,
    /// The window is being reduced for a mark (`TCP_CA_CWR`).
    Reducing { until: u64 },
    /// Losses are being repaired (`TCP_CA_Recovery`).
    Recovery { until: u64 },
    /// Repair after a timeout (`TCP_CA_Loss`).
    Loss { until: u64 },
}

/// News of the acknowledgment at hand.
#[derive(Clone, Copy, Debug, Default)]
struct Delivered {
    /// Bytes that it delivers, in order or not.
    bytes: u64,
    /// Bytes delivered before it.
    before: u64,
    /// The least end of a segment that was sent once and is newly delivered.
    original: Option<u64>,
    /// Whether it delivers beyond the left edge.
    beyond: bool,
    echoed: Option<Time>,
}

struct LossRecovery {
    settings: RackTlpLinux,
    state: State,
    losses: Losses,
    reordering: ReorderingWindow,
    probe: TailLossProbe,
    probe_has_repaired: bool,
    smoothed_round_trip: SmoothedRoundTrip,
    reduction: RateReduction,
    undo: Undo,
    /// Whether it is not known whether the latest timeout was spurious.
    frto: bool,
    /// Whether new data goes before what is lost, for F-RTO (`REXMIT_NEW`).
    tries_new: bool,
    news: Delivered,
}

impl LossRecovery {
    fn smoothed_round_trip(&self, connection: &Connection) -> Option<Span> {
        self.smoothed_round_trip.get().or(connection.round_trip())
    }

    fn is_repairing(&self) -> bool {
        matches!(self.state, State::Recovery { .. } | State::Loss { .. })
    }

    /// Whether the rate reduction sets the window (`tcp_in_cwnd_reduction`).
    fn is_reducing(&self) -> bool {
        matches!(self.state, State::Recovery { .. } | State::Reducing { .. })
    }

    /// Marks losses (`tcp_identify_packet_loss`); returns the bytes newly lost.
    fn look_for_losses(&mut self, now: Time, connection: &Connection) -> u64 {
        let window = self.reordering.span(
            self.is_repairing(),
            self.losses.segments_arrived(),
            self.losses.shortest_round_trip(),
            self.smoothed_round_trip(connection),
        );
        self.losses.detect(now, window)
    }

    /// Whether a segment that was lost has not arrived, be it retransmitted or not (`lost_out`).
    fn has_losses(&self) -> bool {
        self.losses.lost() > 0 || (self.settings.reenters && self.losses.repaired() > 0)
    }

    /// Time of the next tail loss probe; `None` if anything indicates a loss (`tcp_schedule_loss_probe`).
    fn probe_time(&self, connection: &Connection) -> Option<Time> {
        let is_calm = !self.is_repairing() && self.losses.segments_arrived() == 0 && connection.flight() > 0;
        let is_calm = is_calm && self.probe.is_allowed(connection.statistics.round_trips.count);
        let one_segment = connection.flight() <= connection.mss();
        let margin = if one_segment { Span::ZERO } else { TIMER_MARGIN };
        let time = || self.probe.time(self.smoothed_round_trip(connection), one_segment, connection.expires());
        let due = is_calm.then(time).flatten()?;
        Some(connection.expires().map_or(due + margin, |timer| timer.min(due + margin)))
    }

    fn room(&self, connection: &Connection) -> u64 {
        connection.window.usable().saturating_sub(self.losses.in_network())
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
        true
    }

    fn is_told_of_everything(&self) -> bool {
        true
    }

    fn transmits_early(&self) -> bool {
        true
    }

    fn threshold_rule(&self) -> ThresholdRule {
        ThresholdRule::CongestionWindow
    }

    fn is_recovering(&self) -> bool {
        matches!(self.state, State::Recovery { .. })
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
        if self.state != State::Open || !self.probe.is_idle() || self.undo.is_answered() {
            return None;
        }
        let next = acknowledgment.next;
        let news = self.losses.advance(now, next)?;
        let before = connection.unacknowledged();
        let (bytes, echoed) = (next - before, acknowledgment.echoed());
        self.news = Delivered { bytes, before, original: news.original, beyond: false, echoed };
        self.reordering.note_acknowledgment(next, connection.highest(), false);
        self.probe.go_on(now);
        news.round_trip.iter().for_each(|round_trip| self.smoothed_round_trip.note(*round_trip));
        self.undo.forget_retransmissions();
        Some(Response { counted: Some(bytes), ..Response::NORMAL })
    }

    fn take_in(&mut self, now: Time, connection: &mut Connection, acknowledgment: &Acknowledgment) -> bool {
        let highest = connection.highest();
        self.news =
            Delivered { before: delivered_to(connection), echoed: acknowledgment.echoed(), ..Delivered::default() };
        let duplicate = acknowledgment.duplicate();
        if duplicate.is_some() {
            self.undo.note_duplicate();
        }
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
        self.news.original = news.original;
        self.news.beyond = connection.scoreboard.update(acknowledgment.next, highest, &acknowledgment.blocks) > 0;
        self.news.beyond
    }

    fn on_duplicate(&mut self, now: Time, connection: &mut Connection) {
        self.news.bytes = delivered_to(connection).saturating_sub(self.news.before);
        self.respond(now, connection, false);
    }

    fn on_acknowledgment(&mut self, now: Time, connection: &mut Connection, _bytes: u64) -> Response {
        self.news.bytes = delivered_to(connection).saturating_sub(self.news.before);
        self.probe.start_anew(now);
        if std::mem::take(&mut self.probe_has_repaired) && !self.is_repairing() {
            connection.answer_loss(now);
        }
        let may_grow = self.respond(now, connection, true);
        Response { window_may_grow: may_grow, timer_restarts: true, counted: Some(self.news.bytes) }
    }

    /// `tcp_enter_cwr`.
    fn on_reduction_for_mark(&mut self, connection: &mut Connection, before: f64) {
        if self.state == State::Open {
            self.on_back_off(connection, before);
            self.reduce(connection, 0, true);
        }
    }

    /// `tcp_enter_cwr` out of a control, which the acknowledgment at hand has already passed.
    fn on_back_off(&mut self, connection: &mut Connection, before: f64) {
        if self.state == State::Open {
            self.undo = Undo::default();
            self.begin_reduction(before, connection, |_| {});
            self.state = State::Reducing { until: connection.highest() };
        }
    }

    /// `tcp_enter_loss`.
    fn on_timeout(&mut self, now: Time, connection: &mut Connection) {
        let is_first = !self.is_repairing();
        let is_again = connection.window.timeout() == TimeoutKind::Again;
        self.losses.time_out(now, Span::ZERO);
        if connection.window.timeout() == TimeoutKind::First {
            self.undo.begin(self.losses.repaired());
            self.undo.remember_timeout(connection);
        }
        let room = self.losses.in_network() + connection.mss();
        connection.window.end_growth();
        connection.window.set_bytes(room);
        self.frto = self.settings.frto && (is_first || is_again);
        self.tries_new = false;
        self.state = State::Loss { until: connection.highest() };
        self.probe.end();
        connection.go_on();
    }

    fn wakes(&self, connection: &Connection) -> Option<Time> {
        match self.losses.deadline() {
            Some(deadline) => {
                let deadline = deadline + TIMER_MARGIN;
                Some(deadline).filter(|deadline| connection.expires().is_none_or(|timer| *deadline < timer))
            }
            None => self.probe_time(connection),
        }
    }

    /// `tcp_rack_reo_timeout`, or a tail loss probe.
    fn on_wake(&mut self, now: Time, connection: &mut Connection) {
        if self.losses.deadline().is_none() {
            self.probe.fall_due();
            connection.restart_timer(now);
            return;
        }
        let lost = self.look_for_losses(now, connection);
        if lost > 0 && !self.is_recovering() {
            self.news = Delivered { bytes: connection.mss(), ..self.news };
            self.enter_recovery(now, connection);
            self.reduce(connection, lost, false);
        }
    }

    fn tell_lost(&mut self, tell: &mut dyn FnMut(Piece)) {
        self.losses.tell_unreported(tell);
    }

    fn next(&self, connection: &Connection) -> Option<Piece> {
        if self.probe.is_due() {
            let new = connection.next_at_once(connection.window.receiver_window());
            return new.or_else(|| self.losses.last());
        }
        let room = self.room(connection);
        let window = (connection.flight() + room).min(connection.window.receiver_window());
        if self.tries_new
            && let State::Loss { until } = self.state
        {
            let new = connection.next_at_once(window);
            if new.is_some() || connection.highest() > until {
                return new;
            }
        }
        if let Some(lost) = self.losses.first_lost() {
            return (room >= lost.length).then_some(lost);
        }
        connection.next_within(window)
    }

    fn on_send(&mut self, now: Time, connection: &mut Connection, piece: Piece) {
        let is_new = piece.sequence >= connection.highest();
        if self.probe.is_due() {
            let measured = connection.statistics.round_trips.count;
            self.probe.note_sent(connection.highest().max(piece.end()), !is_new, measured);
        } else if is_new {
            self.probe.start_anew(now);
        }
        if !is_new {
            self.undo.note_retransmission(now);
            if piece.sequence == connection.unacknowledged() {
                connection.restart_timer(now); // `tcp_xmit_retransmit_queue`
            }
            if self.tries_new {
                (self.tries_new, self.frto) = (false, false);
            }
        }
        self.losses.note_sent(now, piece);
        if self.is_reducing() {
            self.reduction.note_sent();
        }
    }
}

/// Bytes delivered so far, in order or not.
fn delivered_to(connection: &Connection) -> u64 {
    connection.unacknowledged() + connection.scoreboard.arrived().bytes()
}
