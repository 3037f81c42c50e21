//! The sending end of a connection: its mechanism with the plugs of a flavor.

mod deliveries;
mod receiver_window;
mod waiting;

pub use waiting::Waiting;

use longfat_foundation::config::Parameter;
use longfat_foundation::random::Stream;
use longfat_foundation::units::{Span, Time};

use super::connection::{Connection, DUPLICATE_THRESHOLD};
use super::recovery::{Recovery, Response};
use super::segment::{Piece, Segment};
use super::{Acknowledgment, IdleRestart, Receiver, SenderStatistics, TcpConfig, TickClock, Window};

/// How far the opening of a connection has come (T-46).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opening {
    /// Nothing was sent yet.
    Closed,
    /// A synchronizing segment is under way since then; whether it was sent more than once.
    Synchronizing { sent: Time, again: bool },
    /// Data may be sent.
    Open,
}

/// One sending TCP.
pub struct Sender {
    connection: Connection,
    recovery: Box<dyn Recovery>,
    /// What the recovery says of itself, asked when it has acted.
    is_recovering: bool,
    /// Whether acknowledgments tell the recovery more than their numbers.
    is_selective: bool,
    /// Whether the recovery is told of everything.
    tells_everything: bool,
    opening: Opening,
    limited_transmit: bool,
    idle_restart: IdleRestart,
    /// Whether acknowledgments of new data tell of nothing but that, while no hole is known.
    is_plain: bool,
    /// Whether all goes well: the latest acknowledgment was one of new data, and a further one means only that more may be sent.
    goes_well: bool,
    /// When what the window allows, and pacing does not yet, may leave, or when the recovery wants to be woken.
    wakes: Option<Time>,
}

impl Sender {
    /// A sender that has sent nothing yet.
    #[must_use]
    pub fn new(config: &TcpConfig, clock: TickClock) -> Self {
        let flavor = config.flavor.build(&());
        let recovery = flavor.recovery();
        let connection = Connection::new(config, clock, flavor.law());
        Self {
            is_plain: !recovery.is_told_of_everything() && config.ecn.is_absent() && connection.observes_nothing(),
            goes_well: false,
            connection,
            is_selective: recovery.is_selective(),
            tells_everything: recovery.is_told_of_everything(),
            recovery,
            is_recovering: false,
            opening: if config.handshake { Opening::Closed } else { Opening::Open },
            limited_transmit: config.limited_transmit,
            idle_restart: config.idle_restart,
            wakes: None,
        }
    }

    /// The other end of the connection, with nothing yet.
    #[must_use]
    pub fn receiver(&self, config: &TcpConfig) -> Receiver {
        Receiver::for_recovery(config, &*self.recovery)
    }

    /// Gives the window law its chance, if it draws any.
    pub fn take_chance(&mut self, mut chance: impl FnMut() -> Stream) {
        self.connection.take_chance(&mut chance);
    }

    /// Whether its law goes by the share of what is marked: then what is sent again is capable of marks too, which RFC 3168 (section
    /// 6.1.5) keeps from other segments (Linux, `tcp_ecn_send`).
    #[must_use]
    pub fn learns_share_of_marks(&self) -> bool {
        self.connection.observes_marks()
    }

    /// The congestion window and threshold.
    #[must_use]
    pub fn window(&self) -> &Window {
        &self.connection.window
    }

    /// What it has done.
    #[must_use]
    pub fn statistics(&self) -> &SenderStatistics {
        &self.connection.statistics
    }

    /// From now on the largest window and the extremes of round trips are counted anew.
    pub fn count_anew(&mut self) {
        self.connection.statistics.count_anew(self.connection.window.cwnd);
    }

    /// First byte not acknowledged.
    #[must_use]
    pub fn unacknowledged(&self) -> u64 {
        self.connection.unacknowledged()
    }

    /// First byte never sent.
    #[must_use]
    pub fn highest(&self) -> u64 {
        self.connection.highest()
    }

    /// Bytes that the application has handed over so far; `u64::MAX` for data without end.
    #[must_use]
    pub fn offered(&self) -> u64 {
        self.connection.offered()
    }

    /// Bytes sent and not acknowledged.
    #[must_use]
    pub fn flight(&self) -> u64 {
        self.connection.flight()
    }

    /// The retransmission timeout, with its backoff: how long a timer runs that is started now, in whole ticks of the clock.
    #[must_use]
    pub fn timeout(&self) -> Span {
        self.connection.timeout()
    }

    /// Bytes that are allocated for what is known of losses and deliveries.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.connection.memory_bytes() + self.recovery.memory_bytes()
    }

    /// Whether a loss is being repaired.
    #[must_use]
    pub fn is_recovering(&self) -> bool {
        self.is_recovering
    }

    /// The latest round trip measured.
    #[must_use]
    pub fn round_trip(&self) -> Option<Span> {
        self.connection.round_trip()
    }

    /// The application hands over `bytes` more (`u64::MAX` for a source that never ends).
    pub fn offer(&mut self, now: Time, bytes: u64, segments: &mut Vec<Segment>) {
        self.connection.offer(bytes);
        if self.opening == Opening::Closed {
            self.opening = Opening::Synchronizing { sent: now, again: false };
            self.connection.synchronize(now, false);
        }
        if self.connection.highest() > 0 && self.connection.flight() == 0 {
            self.connection.restart_from_idle(now);
        }
        if self.connection.is_stale(now) {
            match self.idle_restart {
                IdleRestart::Keep => {}
                IdleRestart::InitialWindow => self.connection.window.restart(),
                IdleRestart::Decay => self.connection.decay(now),
            }
        }
        self.send_allowed(now, segments);
    }

    /// The answer to the synchronizing segment has arrived: data may be sent.
    pub fn synchronized(&mut self, now: Time, segments: &mut Vec<Segment>) {
        let Opening::Synchronizing { sent, again } = self.opening else { return };
        self.opening = Opening::Open;
        self.connection.stop_timer();
        if again {
            // RFC 5681 section 3.1: after the loss of one, begin with a single segment.
            self.connection.window.collapse();
            self.connection.restart_timeout();
        } else {
            self.connection.measure_synchronization(sent, now);
            self.recovery.on_opened(now, now - sent);
        }
        self.send_allowed(now, segments);
    }

    /// An acknowledgment has arrived, or one of all below a number without more.
    pub fn acknowledge(&mut self, now: Time, acknowledgment: impl Into<Acknowledgment>, segments: &mut Vec<Segment>) {
        self.take_acknowledgment(now, &acknowledgment.into(), segments);
    }

    /// An acknowledgment has arrived.
    // Always: there is one caller but for tests.
    #[inline(always)]
    pub fn take_acknowledgment(&mut self, now: Time, acknowledgment: &Acknowledgment, segments: &mut Vec<Segment>) {
        if self.goes_well && tells_new_data_alone(acknowledgment, self.connection.unacknowledged()) {
            self.go_on(now, acknowledgment, segments);
        } else {
            self.take_any_acknowledgment(now, acknowledgment, segments);
        }
    }

    /// As `take_any_acknowledgment`, when all goes well and this acknowledgment tells of nothing else: neither recovery nor marks nor
    /// deliveries have a say ("header prediction", Jacobson 1990).
    #[inline(always)]
    fn go_on(&mut self, now: Time, acknowledgment: &Acknowledgment, segments: &mut Vec<Segment>) {
        let connection = &mut self.connection;
        let bytes = connection.advance(acknowledgment.next);
        let has_measured = connection.measure_round_trip(now, acknowledgment, false);
        connection.grow(now, bytes, has_measured);
        connection.renew_timer(now);
        connection.send_new(now, segments);
        self.watch_waiting_data(now);
    }

    /// An acknowledgment has arrived, whatever it tells. For one that tells of new data alone [`acknowledge`](Self::acknowledge) comes to
    /// the same sooner.
    #[inline(never)]
    pub fn take_any_acknowledgment(&mut self, now: Time, acknowledgment: &Acknowledgment, segments: &mut Vec<Segment>) {
        let connection = &mut self.connection;
        if acknowledgment.next < connection.unacknowledged() {
            return;
        }
        let is_plain = self.is_plain && tells_new_data_alone(acknowledgment, connection.unacknowledged());
        if acknowledgment.next == connection.unacknowledged() {
            connection.statistics.duplicate_acknowledgments += 1;
        }
        let before = connection.observes_deliveries().then(|| self.look_at_network());
        let connection = &mut self.connection;
        let sample = connection.take_in_deliveries(now, acknowledgment);
        connection.marks.take_in(acknowledgment, connection.mss());
        let news = !self.is_selective || self.recovery.take_in(now, connection, acknowledgment);
        if acknowledgment.next > connection.unacknowledged() {
            self.acknowledge_new(now, acknowledgment);
        } else if connection.flight() > 0 && news {
            self.acknowledge_again(now);
        }
        if self.tells_everything {
            self.tell_of_losses(now);
        }
        if let (Some(before), Some(sample)) = (before, sample) {
            self.respond_to_deliveries(now, before, sample);
        }
        self.send_allowed(now, segments);
        self.goes_well = is_plain && self.goes_on_undisturbed() && self.connection.scoreboard.arrived().is_empty();
    }

    /// Whether nothing is to be repaired, or might be as far as is known.
    #[inline]
    fn goes_on_undisturbed(&self) -> bool {
        let can_send = self.opening == Opening::Open && self.connection.held_until().is_none();
        can_send && !self.is_recovering && !self.tells_everything && self.connection.goes_on_undisturbed()
    }

    fn acknowledge_new(&mut self, now: Time, acknowledgment: &Acknowledgment) {
        let connection = &mut self.connection;
        let bytes = connection.advance(acknowledgment.next);
        connection.release();
        let mut response = Response::NORMAL;
        if self.is_recovering || self.tells_everything {
            response = self.recovery.on_acknowledgment(now, connection, bytes);
            self.is_recovering = self.recovery.is_recovering();
        }
        let is_recovering = self.is_recovering;
        let has_measured = connection.measure_round_trip(now, acknowledgment, is_recovering);
        let marked = connection.marks.marked_bytes(acknowledgment, bytes, connection.mss());
        connection.respond_to_marks(bytes, marked, is_recovering);
        // RFC 3168 section 6.1.2: no growth by what tells of congestion.
        if response.window_may_grow && marked == 0 {
            connection.grow(now, bytes, has_measured);
        }
        if response.timer_restarts || connection.flight() == 0 {
            connection.renew_timer(now);
        }
    }

    fn acknowledge_again(&mut self, now: Time) {
        let connection = &mut self.connection;
        connection.duplicates += 1;
        let is_early = connection.duplicates < DUPLICATE_THRESHOLD && !self.is_recovering;
        if self.limited_transmit && is_early && !self.recovery.transmits_early() {
            self.transmit_limited(now);
        }
        self.recovery.on_duplicate(now, &mut self.connection);
        self.is_recovering = self.recovery.is_recovering();
    }

    /// One new segment for each of the first two duplicate acknowledgments (RFC 3042 section 2).
    fn transmit_limited(&mut self, now: Time) {
        let connection = &self.connection;
        if connection.next() == connection.highest()
            && let Some(piece) = connection.next_within(connection.window.usable_beyond(connection.duplicates))
        {
            self.connection.sent_early += piece.length;
            self.send(now, piece);
        }
    }

    /// The time of [`expires`](Self::expires) has come.
    pub fn expire(&mut self, now: Time, segments: &mut Vec<Segment>) {
        self.goes_well = false;
        let is_due = |time: Option<Time>| time.is_some_and(|time| time <= now);
        if is_due(self.connection.expires()) && !is_due(self.recovery_wakes()) {
            self.time_out(now);
        } else if is_due(self.connection.held_until()) {
            self.connection.release();
            let first = self.connection.first_unacknowledged();
            self.send(now, first);
        }
        if is_due(self.recovery_wakes()) {
            self.recovery.on_wake(now, &mut self.connection);
            self.is_recovering = self.recovery.is_recovering();
        }
        if self.tells_everything {
            self.tell_of_losses(now);
        }
        self.send_allowed(now, segments);
    }

    /// The retransmission timer has expired: slow start, and everything from the lost segment on again (T-15).
    fn time_out(&mut self, now: Time) {
        if let Opening::Synchronizing { sent, .. } = self.opening {
            self.opening = Opening::Synchronizing { sent, again: true };
            self.connection.back_off();
            self.connection.synchronize(now, true);
            self.connection.statistics.openings_sent_again += 1;
        } else if self.connection.is_shut_out() {
            self.connection.probe_window(now);
        } else {
            self.connection.time_out(now);
            self.recovery.on_timeout(now, &mut self.connection);
            self.is_recovering = self.recovery.is_recovering();
        }
    }

    /// Sends what the recovery allows.
    fn send_allowed(&mut self, now: Time, segments: &mut Vec<Segment>) {
        self.wakes = None;
        if self.goes_on_undisturbed() {
            // Where nothing is to be repaired, no recovery has anything to say.
            self.connection.empty_outbox(segments);
            self.connection.send_new(now, segments);
            self.watch_waiting_data(now);
            return;
        }
        if self.opening == Opening::Open && self.connection.held_until().is_none() {
            self.send_as_recovery_says(now);
        }
        self.connection.empty_outbox(segments);
    }

    #[inline(never)]
    fn send_as_recovery_says(&mut self, now: Time) {
        while let Some(piece) = self.recovery.next(&self.connection) {
            if let Some(until) = self.connection.paced_until().filter(|until| *until > now) {
                self.wakes = Some(until);
                break;
            }
            self.send(now, piece);
        }
        let lacks_data = !self.connection.has_data_to_send() && !self.recovery.has_to_send_again(&self.connection);
        if lacks_data && self.connection.observes_deliveries() {
            let (in_flight, _) = self.look_at_network();
            if in_flight < self.connection.window.usable() {
                self.connection.note_lack_of_data(in_flight);
            }
        }
        self.watch_waiting_data(now);
        if let Some(wakes) = self.recovery_wakes() {
            self.wakes = Some(self.wakes.map_or(wakes, |paced| paced.min(wakes)));
        }
    }

    #[inline]
    fn watch_waiting_data(&mut self, now: Time) {
        // A window of less than a segment, as `window_after_loss = "half"` may leave it, lets nothing go even when nothing is
        // under way. As in ns-2 the timer then runs nevertheless; without it nothing would ever happen again.
        if self.connection.expires().is_none() && self.connection.has_waiting_data() && self.wakes.is_none() {
            self.connection.restart_timer(now);
        }
    }

    fn send(&mut self, now: Time, piece: Piece) {
        if self.connection.observes_deliveries() {
            self.connection.note_in_flight(self.recovery.in_flight(&self.connection));
        }
        self.recovery.on_send(now, &mut self.connection, piece);
        self.connection.send(now, piece);
    }
}

/// Whether an acknowledgment tells that data below its number has arrived, of which not all below `unacknowledged` is old, and nothing else.
#[inline]
fn tells_new_data_alone(acknowledgment: &Acknowledgment, unacknowledged: u64) -> bool {
    acknowledgment.next > unacknowledged && acknowledgment.blocks.is_empty()
}
