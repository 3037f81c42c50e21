//! TCP NewReno as proposed by Hoe and implemented in ns-2.1b3.

use longfat_foundation::units::Time;

use super::guard::LossGuard;
use super::{Connection, DUPLICATE_THRESHOLD, Piece, Recovery, Response, ResponseToDuplicates};

longfat_foundation::choice! {
    /// When the retransmission timer is restarted during recovery (T-23).
    pub enum TimerRestart {
        /// At each partial acknowledgment: one retransmission per round trip, without a timeout ("slow but steady").
        EachPartialAcknowledgment = "each-partial-acknowledgment",
        /// At the first one only: many losses in a window end in a timeout ("impatient").
        FirstPartialAcknowledgment = "first-partial-acknowledgment",
    }
}

impl TimerRestart {
    /// Effects of the `number`-th partial acknowledgment of a recovery.
    pub(super) fn response(self, number: u32) -> Response {
        let timer_restarts = number == 1 || self == Self::EachPartialAcknowledgment;
        Response { window_may_grow: false, timer_restarts, counted: None }
    }
}

longfat_foundation::choice! {
    /// New data sent during recovery, to keep packets flowing (T-24; Hoe 1996).
    pub enum Flywheel {
        /// One new segment for every two duplicate acknowledgments after the third, instead of inflating the window.
        ReplacesInflation = "replaces-inflation",
        /// Likewise, and the window is inflated as well.
        AddedToInflation = "added-to-inflation",
        /// No extra segments: only what the inflated window allows.
        None = "none",
    }
}

longfat_foundation::choice! {
    /// Effect of a partial acknowledgment on the inflated window.
    pub enum PartialWindow {
        /// The window returns to the threshold.
        Threshold = "threshold",
        /// The window shrinks by the bytes acknowledged, less one segment (RFC 2582 section 3).
        Deflated = "deflated",
    }
}

longfat_foundation::choice! {
    /// Congestion window at the end of recovery.
    pub enum ExitWindow {
        /// The threshold.
        Threshold = "threshold",
        /// min(ssthresh, max(flight, MSS) + MSS): avoids a burst when little is in flight (RFC 6582 section 3.2, step 3).
        FlightLimited = "flight-limited",
        /// Unchanged: its value at the end of recovery.
        Unchanged = "unchanged",
    }
}

impl ExitWindow {
    /// Ends the inflation and sets the window.
    pub(super) fn apply(self, connection: &mut Connection) {
        connection.window.deflate();
        if self != Self::Unchanged {
            connection.window.set_to_threshold();
        }
        if self == Self::FlightLimited {
            connection.window.limit(connection.flight().max(connection.mss()) + connection.mss());
        }
    }
}

longfat_foundation::choice! {
    /// The most new segments that a duplicate acknowledgment lets leave in the recovery.
    pub enum NewAtDuplicate {
        /// As many as the window allows.
        Window = "window",
        /// Two, if the window allows them.
        Two = "two",
    }
    absent Window
}

longfat_foundation::model! {
    /// Reno that stays in recovery until everything sent before the loss was noticed is acknowledged. A partial acknowledgment covers less
    /// than that; it shows the next lost segment, which is retransmitted at once. So N losses take N round trips.
    #[name = "newreno"]
    #[source = "98-0876R1 section 3.1; Hoe 1996; ns-2.1b3"]
    pub struct NewReno: dyn Recovery {
        /// When the retransmission timer is restarted during recovery (T-23). 98-0876R1 resets it "after each partial ACK" and says that
        /// for WANs the alternative would be better.
        timer_restart: TimerRestart = "each-partial-acknowledgment" or ["first-partial-acknowledgment"],
        /// How new data is sent for every two duplicate acknowledgments (T-24). In ns-2.1b3 this replaces the inflation of the window.
        flywheel: Flywheel = "replaces-inflation" or ["added-to-inflation", "none"],
        /// Effect of a partial acknowledgment on the inflated window (T-22).
        partial_window: PartialWindow = "threshold" or ["deflated"],
        /// The most new segments that may follow the retransmission at a partial acknowledgment, if the window allows them (T-25: "a single
        /// packet is retransmitted"). ns-2 allows two.
        new_segments_at_partial_acknowledgment: u64 = "0" or ["2"],
        /// The most new segments that leave at a duplicate acknowledgment, from the third on (T-25). It matters if a partial acknowledgment
        /// has left room in the window. 98-0876R1 says nothing of a limit; ns-2 has one.
        new_segments_at_duplicate: NewAtDuplicate = "window" or ["two"],
        /// The window at the end of recovery, when everything sent before the loss was noticed is acknowledged (T-22).
        exit_window: ExitWindow = "threshold" or ["flight-limited", "unchanged"],
        /// Whether duplicate acknowledgments signal a loss only after something sent since the last loss has been acknowledged (T-22).
        multiple_loss_guard: bool = "false" or ["true"],
        /// Whether the acknowledgment that ends the recovery also lets the window grow, as in ns-2.
        grows_at_exit: bool = "false" or ["true"],
    }
    build(config, _context) {
        Box::new(FastRetransmitPhase {
            guard: LossGuard::new(config.multiple_loss_guard),
            config: config.clone(),
            recover: None,
            duplicates: 0,
            partial_acknowledgments: 0,
            new_segments: u64::MAX,
        })
    }
}

struct FastRetransmitPhase {
    config: NewReno,
    guard: LossGuard,
    /// Sequence number that must be acknowledged to leave the phase (RECOVER); `None` outside it.
    recover: Option<u64>,
    /// Duplicate acknowledgments in this phase, including the three that began it.
    duplicates: u32,
    partial_acknowledgments: u32,
    /// New segments that the latest acknowledgment still allows.
    new_segments: u64,
}

impl FastRetransmitPhase {
    fn enter(&mut self, now: Time, connection: &mut Connection) {
        self.recover = Some(connection.highest());
        self.duplicates = DUPLICATE_THRESHOLD;
        self.partial_acknowledgments = 0;
        self.new_segments = self.new_at_duplicate();
        self.guard.note_loss(connection);
        connection.reduce(now);
        connection.window.inflate(DUPLICATE_THRESHOLD);
        connection.fast_retransmit(now);
    }

    fn new_at_duplicate(&self) -> u64 {
        match self.config.new_segments_at_duplicate {
            NewAtDuplicate::Window => u64::MAX,
            NewAtDuplicate::Two => 2,
        }
    }

    fn on_further_duplicate(&mut self, now: Time, connection: &mut Connection) {
        self.duplicates += 1;
        self.new_segments = self.new_at_duplicate();
        connection.window.inflate(1);
        let is_second = (self.duplicates - DUPLICATE_THRESHOLD).is_multiple_of(2);
        if self.config.flywheel != Flywheel::None
            && is_second
            && connection.held_until().is_none()
            && let Some(piece) = connection.next_within(connection.window.receiver_window())
        {
            connection.send(now, piece);
        }
    }

    fn on_partial_acknowledgment(&mut self, now: Time, connection: &mut Connection, bytes: u64) -> Response {
        match self.config.partial_window {
            PartialWindow::Threshold => connection.window.deflate(),
            PartialWindow::Deflated => connection.window.deflate_by(bytes),
        }
        self.new_segments = self.config.new_segments_at_partial_acknowledgment;
        self.partial_acknowledgments += 1;
        connection.retransmit_first(now);
        self.config.timer_restart.response(self.partial_acknowledgments)
    }
}

impl Recovery for FastRetransmitPhase {
    fn response_to_duplicates(&self) -> ResponseToDuplicates {
        ResponseToDuplicates::FastRecovery
    }

    fn is_recovering(&self) -> bool {
        self.recover.is_some()
    }

    fn on_duplicate(&mut self, now: Time, connection: &mut Connection) {
        if self.is_recovering() {
            self.on_further_duplicate(now, connection);
        } else if connection.duplicates == DUPLICATE_THRESHOLD && self.guard.allows(connection) {
            self.enter(now, connection);
        }
    }

    fn on_acknowledgment(&mut self, now: Time, connection: &mut Connection, bytes: u64) -> Response {
        let Some(recover) = self.recover else { return Response::NORMAL };
        if connection.unacknowledged() < recover {
            return self.on_partial_acknowledgment(now, connection, bytes);
        }
        self.recover = None;
        self.config.exit_window.apply(connection);
        Response { window_may_grow: self.config.grows_at_exit, timer_restarts: true, counted: None }
    }

    fn on_timeout(&mut self, _now: Time, connection: &mut Connection) {
        self.recover = None;
        self.guard.note_loss(connection);
    }

    fn next(&self, connection: &Connection) -> Option<Piece> {
        let waits =
            self.is_recovering() && (self.config.flywheel == Flywheel::ReplacesInflation || self.new_segments == 0);
        if waits { None } else { connection.next_within(connection.window.usable()) }
    }

    fn on_send(&mut self, _now: Time, _connection: &mut Connection, _piece: Piece) {
        self.new_segments = self.new_segments.saturating_sub(1);
    }
}
