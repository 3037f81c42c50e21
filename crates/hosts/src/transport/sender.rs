//! The sending end of a connection: its mechanism with the plugs of a flavor.

mod deliveries;
mod fast_path;
mod receiver_window;
mod sending;
mod waiting;

pub use waiting::Waiting;

use longfat_foundation::config::Parameter;
use longfat_foundation::random::Stream;
use longfat_foundation::units::{Span, Time};

use super::connection::{Connection, DUPLICATE_THRESHOLD};
use super::law::Accompanied;
use super::opening::LostSyns;
use super::recovery::{Recovery, Response};
use super::resume::Resumption;
use super::segment::Segment;
use super::{Acknowledgment, IdleRestart, Receiver, SenderStatistics, TcpConfig, TickClock, Window};

/// State of the opening handshake (T-46).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opening {
    /// No segment was sent.
    Closed,
    /// A SYN was sent first at `first`, and `again` so many times.
    Synchronizing { first: Time, again: u32 },
    /// Data may be sent.
    Open,
}

/// The sender of one TCP connection.
pub struct Sender {
    connection: Connection,
    recovery: Box<dyn Recovery>,
    /// Copy of `Recovery::is_recovering`, updated after each act of the recovery.
    is_recovering: bool,
    /// Whether the recovery uses selective acknowledgments.
    is_selective: bool,
    /// Whether the recovery takes every acknowledgment, not only those during a recovery.
    tells_everything: bool,
    opening: Opening,
    limited_transmit: bool,
    idle_restart: IdleRestart,
    lost_syns: LostSyns,
    /// Whether an acknowledgment without blocks can only advance the window: no ECN, no delivery rates, no recovery that takes every
    /// acknowledgment.
    is_plain: bool,
    /// Whether the next acknowledgment of new data may take the fast path (header prediction): no loss is known or being repaired.
    goes_well: bool,
    /// True if an acknowledgment without SACK blocks concerns the recovery and the law alone: the recovery takes every acknowledgment, and
    /// there is no ECN.
    is_for_recovery: bool,
    /// True if the next acknowledgment of new data may take the fast path of such a recovery.
    goes_on_by_recovery: bool,
    /// True if the latest acknowledgment took that path, and nothing was done since but to send new data: all that is in flight is in the network.
    is_undisturbed: bool,
    /// Next wake-up: the time when pacing lets the next segment go, or a timer of the recovery, whichever is first.
    wakes: Option<Time>,
    /// Next timer of the recovery, as it was after the latest act.
    recovery_due: Option<Time>,
}

impl Sender {
    /// Creates a sender that has sent nothing.
    #[must_use]
    pub fn new(config: &TcpConfig, clock: TickClock) -> Self {
        let flavor = config.flavor.build(&());
        let recovery = flavor.recovery().build(&());
        let mut connection = Connection::new(config, clock, Accompanied::where_configured(flavor.law(), config));
        if recovery.measures_segments() {
            connection.take_round_trips_from_recovery();
        }
        Self {
            is_plain: !recovery.is_told_of_everything() && config.ecn.is_absent() && connection.observes_nothing(),
            is_for_recovery: recovery.is_told_of_everything() && config.ecn.is_absent() && !connection.observes_marks(),
            goes_well: false,
            goes_on_by_recovery: false,
            is_undisturbed: false,
            connection,
            is_selective: recovery.is_selective(),
            tells_everything: recovery.is_told_of_everything(),
            recovery,
            is_recovering: false,
            opening: if config.handshake { Opening::Closed } else { Opening::Open },
            limited_transmit: config.limited_transmit,
            idle_restart: config.idle_restart,
            lost_syns: LostSyns::of(config),
            wakes: None,
            recovery_due: None,
        }
    }

    /// Creates the receiver at the other end of the connection.
    #[must_use]
    pub fn receiver(&self, config: &TcpConfig) -> Receiver {
        Receiver::for_recovery(config, &*self.recovery)
    }

    /// Gives the window law a stream of random numbers, if it draws any.
    pub fn take_chance(&mut self, mut chance: impl FnMut() -> Stream) {
        self.connection.take_chance(&mut chance);
    }

    /// The rule of resumption, if there is one.
    pub fn resumption(&mut self) -> Option<&mut dyn Resumption> {
        self.connection.resumption()
    }

    /// Whether the window law uses the share of marked bytes (DCTCP, Prague). Retransmissions are then ECN-capable too, as in Linux
    /// (`tcp_ecn_send`); RFC 3168 section 6.1.5 forbids that to other senders.
    #[must_use]
    pub fn learns_share_of_marks(&self) -> bool {
        self.connection.observes_marks()
    }

    /// The congestion window and threshold.
    #[must_use]
    pub fn window(&self) -> &Window {
        &self.connection.window
    }

    /// Counters of the connection.
    #[must_use]
    pub fn statistics(&self) -> &SenderStatistics {
        &self.connection.statistics
    }

    /// Resets the largest window and the extremes of round trips.
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

    /// Retransmission timeout including backoff, rounded to ticks: the duration of a timer started now.
    #[must_use]
    pub fn timeout(&self) -> Span {
        self.connection.timeout()
    }

    /// Bytes allocated for the state of losses and deliveries.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.connection.memory_bytes() + self.recovery.memory_bytes()
    }

    /// Whether a loss is being repaired.
    #[must_use]
    pub fn is_recovering(&self) -> bool {
        self.is_recovering
    }

    /// Latest round-trip sample.
    #[must_use]
    pub fn round_trip(&self) -> Option<Span> {
        self.connection.round_trip()
    }

    /// Smoothed round trip.
    #[must_use]
    pub fn smoothed_round_trip(&self) -> Option<Span> {
        self.connection.smoothed_round_trip()
    }

    /// The application stops: data without end ends with what was sent.
    pub fn withdraw(&mut self) {
        self.connection.withdraw();
    }

    /// The application hands over `bytes` more (`u64::MAX` for a source that never ends).
    pub fn offer(&mut self, now: Time, bytes: u64, segments: &mut Vec<Segment>) {
        self.connection.offer(bytes);
        if self.opening == Opening::Closed {
            self.opening = Opening::Synchronizing { first: now, again: 0 };
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

    /// Handles the SYN-ACK that answers a SYN sent at `sent`: data may be sent from now on.
    pub fn synchronized(&mut self, now: Time, sent: Time, segments: &mut Vec<Segment>) {
        let Opening::Synchronizing { first, again } = self.opening else { return };
        self.opening = Opening::Open;
        self.connection.stop_timer();
        if again == 0 || self.lost_syns.knows_which_was_answered() {
            self.connection.measure_synchronization(sent, now);
            self.recovery.on_opened(now, now - sent);
        } else {
            self.connection.restart_timeout();
        }
        if self.lost_syns.close_window(again, sent == first) {
            self.connection.window.collapse();
        }
        self.send_allowed(now, segments);
    }

    /// Handles an acknowledgment; a number alone acknowledges all bytes below it.
    pub fn acknowledge(&mut self, now: Time, acknowledgment: impl Into<Acknowledgment>, segments: &mut Vec<Segment>) {
        self.take_acknowledgment(now, &acknowledgment.into(), segments);
    }

    /// Handles an acknowledgment, by the fast path where that gives the same result.
    // Always: there is one caller but for tests.
    #[inline(always)]
    pub fn take_acknowledgment(&mut self, now: Time, acknowledgment: &Acknowledgment, segments: &mut Vec<Segment>) {
        if self.goes_well && tells_new_data_alone(acknowledgment, self.connection.unacknowledged()) {
            self.go_on(now, acknowledgment, segments);
        } else {
            self.take_other_acknowledgment(now, acknowledgment, segments);
        }
    }

    /// General path for acknowledgments. Tests compare it with the fast path that [`acknowledge`](Self::acknowledge) may take.
    #[inline(never)]
    pub fn take_any_acknowledgment(&mut self, now: Time, acknowledgment: &Acknowledgment, segments: &mut Vec<Segment>) {
        let connection = &mut self.connection;
        if acknowledgment.next < connection.unacknowledged() {
            return;
        }
        self.is_undisturbed = false;
        let is_plain = self.is_plain && tells_new_data_alone(acknowledgment, connection.unacknowledged());
        if acknowledgment.next == connection.unacknowledged() {
            connection.statistics.duplicate_acknowledgments += 1;
        }
        let before = connection.observes_deliveries().then(|| self.look_at_network());
        let connection = &mut self.connection;
        let sample = connection.take_in_deliveries(now, acknowledgment);
        connection.marks.take_in(acknowledgment, connection.mss());
        if let Some(sample) = sample {
            connection.observe_arrivals(now, acknowledgment.next, sample, self.is_recovering);
        }
        let phase = connection.phase_to_tell(self.is_recovering);
        let news = !self.is_selective || self.recovery.take_in(now, connection, acknowledgment);
        if let Some(phase) = phase {
            connection.observe_round_trip(now, acknowledgment.next, self.recovery.newest_round_trip(), phase);
        }
        if acknowledgment.next > connection.unacknowledged() {
            self.acknowledge_new(now, acknowledgment);
        } else if connection.flight() > 0 && news {
            self.acknowledge_again(now);
        }
        if self.tells_everything {
            self.tell_of_losses(now);
        }
        match (before, sample) {
            (Some(before), Some(sample)) => self.respond_to_deliveries(now, before, sample),
            _ if sample.is_some() || phase.is_some() => self.connection.note_largest_window(),
            _ => {}
        }
        self.send_allowed(now, segments);
        self.goes_well = is_plain && self.goes_on_undisturbed() && self.connection.scoreboard.arrived().is_empty();
        self.goes_on_by_recovery = self.is_for_recovery
            && self.opening == Opening::Open
            && self.connection.held_until().is_none()
            && !self.is_recovering
            && self.connection.has_no_duplicates();
    }

    /// Whether the connection is open, nothing is held back and no loss is known or being repaired.
    #[inline]
    fn goes_on_undisturbed(&self) -> bool {
        let can_send = self.opening == Opening::Open && self.connection.held_until().is_none();
        let by_window = !self.connection.is_paced() && self.connection.has_no_duplicates();
        can_send && !self.is_recovering && !self.tells_everything && by_window
    }

    fn acknowledge_new(&mut self, now: Time, acknowledgment: &Acknowledgment) {
        let connection = &mut self.connection;
        let bytes = connection.advance(acknowledgment.next);
        connection.release();
        let mut response = Response::NORMAL;
        if self.is_recovering || self.tells_everything {
            response = self.recovery.on_acknowledgment(now, connection, bytes);
            let was_recovering = std::mem::replace(&mut self.is_recovering, self.recovery.is_recovering());
            if was_recovering && !self.is_recovering {
                connection.note_recovered();
            }
        }
        let is_recovering = self.is_recovering;
        let has_measured = connection.measure_round_trip(now, acknowledgment, is_recovering);
        let marked = connection.marks.marked_bytes(acknowledgment, bytes, connection.mss());
        if let Some(before) = connection.respond_to_marks(bytes, marked, is_recovering) {
            self.recovery.on_reduction_for_mark(connection, before);
        }
        // RFC 3168 section 6.1.2: an acknowledgment that echoes a mark does not grow the window.
        if response.window_may_grow && marked == 0 {
            match response.counted {
                Some(counted) => connection.grow_for(now, bytes, counted, has_measured),
                None => connection.grow(now, bytes, has_measured),
            }
            if let Some(before) = connection.window.take_back_off() {
                self.recovery.on_back_off(connection, before);
            }
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

    /// Handles the timers that are due at [`expires`](Self::expires).
    pub fn expire(&mut self, now: Time, segments: &mut Vec<Segment>) {
        let is_due = |time: Option<Time>| time.is_some_and(|time| time <= now);
        let mut wakes_recovery = is_due(self.recovery_due);
        if self.is_undisturbed && !wakes_recovery && !is_due(self.connection.expires()) {
            return self.send_undisturbed(now, segments);
        }
        (self.goes_well, self.goes_on_by_recovery, self.is_undisturbed) = (false, false, false);
        if is_due(self.connection.expires()) && !wakes_recovery {
            self.time_out(now);
            wakes_recovery = is_due(self.recovery_wakes());
        } else if is_due(self.connection.held_until()) {
            self.connection.release();
            let first = self.connection.first_unacknowledged();
            self.send(now, first);
            wakes_recovery = is_due(self.recovery_wakes());
        }
        if wakes_recovery {
            self.recovery.on_wake(now, &mut self.connection);
            self.is_recovering = self.recovery.is_recovering();
        }
        if self.tells_everything {
            self.tell_of_losses(now);
        }
        self.send_allowed(now, segments);
    }

    /// Handles a retransmission timeout: slow start and go-back-N from the lost segment (T-15); a SYN or a window probe is repeated.
    fn time_out(&mut self, now: Time) {
        if let Opening::Synchronizing { first, again } = self.opening {
            self.opening = Opening::Synchronizing { first, again: again + 1 };
            if self.lost_syns.backs_off(again) {
                self.connection.back_off();
            }
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
}

/// Whether an acknowledgment advances beyond `unacknowledged` and carries no selective acknowledgments.
#[inline]
fn tells_new_data_alone(acknowledgment: &Acknowledgment, unacknowledged: u64) -> bool {
    acknowledgment.next > unacknowledged && acknowledgment.blocks.is_empty()
}
