//! Sequence numbers, the retransmission timer, and the acts from which loss recoveries are built.

mod deliveries;
mod idleness;
mod receiver_window;
mod sending;
mod timing;

use longfat_foundation::config::Parameter;
use longfat_foundation::units::{Span, Time};

use super::law::{Progress, WindowLaw};
use super::pacing::Pacer;
use super::rto::TimeoutEstimator;
use super::segment::{Piece, Segment};
use super::statistics::SenderStatistics;
use super::{
    CongestionWindowLimit, DeliveryLog, MarkResponse, NagleWaitsFor, RoundTripsInRecovery, Scoreboard,
    SmoothedRoundTrip, TcpConfig, TickClock, TimeoutKind, Window, WindowUse,
};

/// A segment whose round trip is being measured.
#[derive(Clone, Copy)]
struct Timed {
    sequence: u64,
    sent: Time,
}

/// Duplicate acknowledgments that signal a loss (RFC 5681 section 3.2).
pub const DUPLICATE_THRESHOLD: u32 = 3;

/// The sending half of a connection.
pub struct Connection {
    /// Congestion window and threshold.
    pub window: Window,
    /// Ranges reported by selective acknowledgments.
    pub scoreboard: Scoreboard,
    /// Counters of the connection.
    pub statistics: SenderStatistics,
    /// Consecutive duplicate acknowledgments.
    pub duplicates: u32,
    /// Bytes sent by limited transmit, which the flight excludes when the window is reduced (RFC 5681 section 3.2, step 2).
    pub sent_early: u64,
    /// Response to ECN marks.
    pub marks: MarkResponse,
    law: Box<dyn WindowLaw>,
    window_use: WindowUse,
    grows_classically: bool,
    grows_by_law: bool,
    observes_marks: bool,
    /// Delivery rate estimation, for laws that use it, or its round trips.
    deliveries: Option<Box<DeliveryLog>>,
    observes_deliveries: bool,
    observes_arrivals: bool,
    /// True if the law uses round trips of single segments, and the recovery measures them.
    asks_recovery: bool,
    /// Bytes in flight by the recovery's latest estimate; kept only for laws that use delivery rates.
    in_flight: u64,
    /// Pacing, if configured or required by the law.
    pacer: Option<Box<Pacer>>,
    /// Whether `deliveries` or `pacer` note segments that leave.
    notes_departures: bool,
    estimator: Box<dyn TimeoutEstimator>,
    /// Retransmission timeout in ticks: copy of the estimator's value, updated after each sample.
    timeout_ticks: u64,
    /// Whether the tick during which a timer starts counts as a whole one.
    counts_begun_tick: bool,
    clock: TickClock,
    mss: u64,
    nagle: bool,
    nagle_waits_for: NagleWaitsFor,
    /// The end of the latest small segment that was sent (`snd_sml` of Linux).
    small_sent_to: u64,
    avoids_silly_windows: bool,
    delays_retransmission: bool,
    carries_timestamps: bool,
    round_trips_in_recovery: RoundTripsInRecovery,
    /// Bytes that the application has handed over so far.
    offered: u64,
    /// First byte not acknowledged (`snd_una`).
    unacknowledged: u64,
    /// Next byte to send (`snd_nxt`).
    next: u64,
    /// First byte never sent (`snd_max`).
    highest: u64,
    timed: Option<Timed>,
    /// First byte of the latest retransmission by timeout.
    timed_out: Option<u64>,
    /// Losses below this sequence number were answered by the latest reduction; 0 after a timeout.
    answered_below: u64,
    /// Below this sequence number an acknowledgment may cover data that arrived before the latest timeout; it then counts for at most one
    /// segment of growth.
    arrived_before_timeout: u64,
    /// Latest round-trip sample.
    round_trip: Option<Span>,
    /// One-way delay of the segment echoed last, from its timestamp.
    one_way_delay: Option<Span>,
    smoothed_round_trip: SmoothedRoundTrip,
    expires: Option<Time>,
    /// Until this time a restart of the timer would not change its expiry: both fall into one tick.
    expires_alike_until: Time,
    /// End of the pause before a delayed retransmission (T-44).
    held_until: Option<Time>,
    /// `highest` when the current round trip began; the round ends when it is acknowledged.
    round_ends: u64,
    last_sent: Time,
    outbox: Vec<Segment>,
}

impl Connection {
    /// Creates a connection that has sent nothing.
    #[must_use]
    pub fn new(config: &TcpConfig, clock: TickClock, law: Box<dyn WindowLaw>) -> Self {
        let window = Window::new(config);
        let estimator = config.retransmission_timeout.build(&clock);
        let is_paced = law.is_paced() || !config.pacing.is_absent();
        let observes_deliveries = law.observes_deliveries();
        let observes_arrivals = law.observes_arrivals();
        let notes_deliveries = observes_deliveries || observes_arrivals;
        Self {
            deliveries: notes_deliveries.then(Box::default),
            observes_deliveries,
            observes_arrivals,
            asks_recovery: false,
            notes_departures: is_paced || notes_deliveries,
            pacer: is_paced.then(|| Box::new(Pacer::new(config.pacing.build(&()), law.pacing_timer()))),
            in_flight: 0,
            window_use: WindowUse::default(),
            grows_classically: law.grows_classically() && config.cwnd_limit != CongestionWindowLimit::Used,
            grows_by_law: law.grows_by_acknowledgments(),
            observes_marks: law.observes_marks(),
            law,
            timeout_ticks: estimator.timeout_ticks(),
            counts_begun_tick: estimator.counts_begun_tick(),
            estimator,
            clock,
            mss: config.mss.0,
            nagle: config.nagle,
            nagle_waits_for: config.nagle_waits_for,
            small_sent_to: 0,
            avoids_silly_windows: config.silly_window_avoidance,
            delays_retransmission: config.delayed_retransmit,
            carries_timestamps: config.timestamps,
            round_trips_in_recovery: config.round_trips_in_recovery,
            statistics: SenderStatistics { max_cwnd: window.cwnd, ..SenderStatistics::default() },
            window,
            scoreboard: Scoreboard::default(),
            duplicates: 0,
            sent_early: 0,
            marks: MarkResponse::new(config.ecn),
            offered: 0,
            unacknowledged: 0,
            next: 0,
            highest: 0,
            timed: None,
            timed_out: None,
            answered_below: 0,
            arrived_before_timeout: 0,
            round_trip: None,
            one_way_delay: None,
            smoothed_round_trip: SmoothedRoundTrip::default(),
            expires: None,
            expires_alike_until: Time::ZERO,
            held_until: None,
            round_ends: 0,
            last_sent: Time::ZERO,
            outbox: Vec::new(),
        }
    }

    /// Maximum segment size in bytes.
    #[must_use]
    pub fn mss(&self) -> u64 {
        self.mss
    }

    /// First byte not acknowledged.
    #[must_use]
    pub fn unacknowledged(&self) -> u64 {
        self.unacknowledged
    }

    /// Next byte to send; below [`highest`](Self::highest) during go-back-N.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// First byte never sent.
    #[must_use]
    pub fn highest(&self) -> u64 {
        self.highest
    }

    /// Whether the sender avoids silly windows: it sends full segments only, except for the last of the data (RFC 9293 section 3.8.6.2.1).
    #[must_use]
    pub fn avoids_silly_windows(&self) -> bool {
        self.avoids_silly_windows
    }

    /// Bytes sent and not acknowledged.
    #[must_use]
    pub fn flight(&self) -> u64 {
        self.highest - self.unacknowledged
    }

    /// Latest round-trip sample.
    #[must_use]
    pub fn round_trip(&self) -> Option<Span> {
        self.round_trip
    }

    /// Smoothed round trip.
    #[must_use]
    pub fn smoothed_round_trip(&self) -> Option<Span> {
        self.smoothed_round_trip.get()
    }

    /// Retransmission timeout including backoff.
    #[must_use]
    pub fn timeout(&self) -> Span {
        self.clock.span(self.timeout_ticks)
    }

    /// Expiry of the retransmission timer.
    #[must_use]
    pub fn expires(&self) -> Option<Time> {
        self.expires
    }

    /// End of the pause before a delayed retransmission (T-44).
    #[must_use]
    pub fn held_until(&self) -> Option<Time> {
        self.held_until
    }

    /// Bytes that the application has handed over so far; `u64::MAX` for data without end.
    #[must_use]
    pub fn offered(&self) -> u64 {
        self.offered
    }

    /// True if no duplicate acknowledgment has come since the latest new data, and go-back-N sends nothing again.
    #[must_use]
    #[inline]
    pub fn has_no_duplicates(&self) -> bool {
        self.duplicates == 0 && self.next == self.highest
    }

    /// Whether the application has handed over more than was ever sent.
    #[must_use]
    pub fn has_waiting_data(&self) -> bool {
        self.offered > self.highest
    }

    /// Whether there is data to send, new or by go-back-N.
    #[must_use]
    pub fn has_data_to_send(&self) -> bool {
        self.offered > self.next
    }

    /// The application hands over `bytes` more.
    pub fn offer(&mut self, bytes: u64) {
        self.offered = self.offered.saturating_add(bytes);
    }

    /// The application stops: data without end ends with what was sent.
    pub fn withdraw(&mut self) {
        if self.offered == u64::MAX {
            self.offered = self.highest;
        }
    }

    /// Advances `unacknowledged`; returns the number of bytes newly acknowledged.
    #[inline]
    pub fn advance(&mut self, acknowledged: u64) -> u64 {
        let bytes = acknowledged - self.unacknowledged;
        self.duplicates = 0;
        self.sent_early = 0;
        self.unacknowledged = acknowledged;
        // After go-back-N a receiver that kept what lay beyond the hole acknowledges more than was sent again (T-15).
        self.next = self.next.max(acknowledged);
        bytes
    }

    /// Grows the window for `bytes` newly acknowledged; `has_measured` if the acknowledgment gave a round-trip sample.
    #[inline(always)]
    pub fn grow(&mut self, now: Time, bytes: u64, has_measured: bool) {
        let jumps = bytes > self.mss && self.unacknowledged - bytes < self.arrived_before_timeout;
        let bytes = if jumps { self.mss } else { bytes };
        self.grow_for(now, bytes, bytes, has_measured);
    }

    /// [`grow`](Self::grow), where growth counts `counted` bytes.
    #[inline(always)]
    pub fn grow_for(&mut self, now: Time, bytes: u64, counted: u64, has_measured: bool) {
        if self.grows_classically {
            self.window.grow_classically(counted);
        } else if self.grows_by_law {
            self.grow_by_law(now, self.unacknowledged - bytes, counted, has_measured);
        }
        if self.window.cwnd > self.statistics.max_cwnd {
            self.statistics.max_cwnd = self.window.cwnd;
        }
    }

    #[inline(never)]
    fn grow_by_law(&mut self, now: Time, edge_before: u64, counted: u64, has_measured: bool) {
        let progress = Progress {
            now,
            acknowledged: counted,
            sample: self.round_trip.filter(|_| has_measured),
            one_way_delay: self.one_way_delay.filter(|_| has_measured),
            smoothed_round_trip: self.smoothed_round_trip.get(),
            is_paced: self.pacer.is_some(),
            unacknowledged: self.unacknowledged,
            highest: self.highest,
            window_is_used: self.window_use.note(&self.window, edge_before, self.highest, self.pacer.is_some()),
            phase: self.phase(false),
        };
        self.law.on_acknowledgment(&mut self.window, &progress);
        if self.window.has_backed_off() {
            self.marks.note_reduction(self.highest, false);
        }
    }

    /// Begins a fast retransmission: the law reduces the window, the running round-trip measurement ends (Karn) and the timer restarts.
    pub fn reduce(&mut self, now: Time) {
        self.statistics.fast_retransmits += 1;
        self.answer_loss(now);
    }

    /// Answers a loss without counting a fast retransmission: the law reduces the window, the running round-trip measurement ends (Karn)
    /// and the timer restarts.
    pub fn answer_loss(&mut self, now: Time) {
        let flight = self.flight() - self.sent_early.min(self.flight());
        if self.marks.have_reduced(self.unacknowledged) {
            self.law.on_loss_after_mark(&mut self.window, flight);
        } else {
            self.law.on_loss(&mut self.window, flight);
        }
        self.marks.note_reduction(self.highest, false);
        self.answered_below = self.highest;
        self.timed = None;
        self.restart_timer(now);
    }

    /// The law returns to the window before a reduction, of `before` bytes, that was needless.
    pub fn undo_reduction(&mut self, before: f64) {
        self.law.on_undo(&mut self.window, before);
        self.note_largest_window();
    }

    /// Passes `marked` of `bytes` newly acknowledged to the law, which reduces the window at most once per window of data. The next new
    /// segment announces a reduction (CWR; RFC 3168 section 6.1.2). Returns the window before a reduction.
    pub fn respond_to_marks(&mut self, bytes: u64, marked: u64, is_recovering: bool) -> Option<f64> {
        if self.observes_marks {
            self.law.observe_marks(bytes, marked, self.unacknowledged, self.highest);
        }
        if marked > 0 && !is_recovering && self.marks.may_reduce(self.unacknowledged) {
            let (flight, before) = (self.flight(), self.window.cwnd);
            self.law.on_mark(&mut self.window, flight);
            self.statistics.reductions_for_marks += u64::from(self.window.cwnd < before);
            self.marks.note_reduction(self.highest, true);
            return Some(before);
        }
        None
    }

    /// Retransmits the first unacknowledged segment at once or, with delayed retransmission, after half a round trip (T-44). Returns the
    /// piece sent at once.
    pub fn fast_retransmit(&mut self, now: Time) -> Option<Piece> {
        self.delay_retransmission(now);
        self.held_until.is_none().then(|| self.retransmit_first(now))
    }

    /// With delayed retransmission, pauses sending for half a round trip (T-44).
    pub fn delay_retransmission(&mut self, now: Time) {
        if self.delays_retransmission {
            self.held_until = self.round_trip.map(|round_trip| now + Span(round_trip.0 / 2));
        }
    }

    /// Retransmits the first unacknowledged segment and returns it.
    pub fn retransmit_first(&mut self, now: Time) -> Piece {
        let first = self.first_unacknowledged();
        self.send(now, first);
        first
    }

    /// First unacknowledged segment.
    #[must_use]
    pub fn first_unacknowledged(&self) -> Piece {
        let arrived = self.scoreboard.arrived().ranges().first().map_or(u64::MAX, |range| range.0);
        let end = self.highest.min(arrived).min(self.unacknowledged + self.mss);
        Piece { sequence: self.unacknowledged, length: end - self.unacknowledged }
    }

    /// Whether the law uses the share of marked bytes.
    #[must_use]
    pub fn observes_marks(&self) -> bool {
        self.observes_marks
    }

    /// Ends the pause before a delayed retransmission.
    pub fn release(&mut self) {
        self.held_until = None;
    }

    /// Handles a retransmission timeout: reduces the window, backs off and goes back to `unacknowledged` (go-back-N, T-15).
    pub fn time_out(&mut self, now: Time) {
        self.pacer.iter_mut().for_each(|pacer| pacer.release(now));
        self.statistics.timeouts += 1;
        self.back_off();
        self.timed = None;
        self.held_until = None;
        self.duplicates = 0;
        self.sent_early = 0;
        self.window.inflation = 0.0;
        let flight = self.flight();
        let kind = self.kind_of_timeout();
        self.window.note_timeout(kind);
        self.arrived_before_timeout = if self.window.grows_by_arrivals() { self.highest } else { 0 };
        self.law.on_timeout(&mut self.window, flight);
        self.marks.note_reduction(self.highest, false);
        self.next = self.unacknowledged;
        self.stop_timer();
    }

    fn kind_of_timeout(&mut self) -> TimeoutKind {
        let is_answered = self.unacknowledged < std::mem::take(&mut self.answered_below);
        if self.timed_out.replace(self.unacknowledged) == Some(self.unacknowledged) {
            TimeoutKind::Again
        } else if is_answered {
            TimeoutKind::InRecovery
        } else {
            TimeoutKind::First
        }
    }

    /// Starts go-back-N: sends from the first unacknowledged byte on.
    pub fn go_back(&mut self) {
        self.next = self.unacknowledged;
    }

    /// Cancels go-back-N, for recoveries that know the lost segments one by one.
    pub fn go_on(&mut self) {
        self.next = self.highest;
    }
}
