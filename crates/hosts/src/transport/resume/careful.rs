//! Careful Resume. Section numbers and names in code font are those of RFC 9959.

use longfat_foundation::config::{Bytes, Fraction, PositiveSpan};
use longfat_foundation::units::{Span, Time};

use super::Resumption;
use crate::transport::law::Progress;
use crate::transport::{Delivery, Window};

longfat_foundation::choice! {
    /// When the window jumps, once the path is confirmed.
    pub enum JumpWhen {
        /// When the window limits the sender (section 3.2 allows to wait until more data is sent than usual).
        WindowLimited = "window-limited",
        /// At once.
        Confirmed = "confirmed",
    }
}

longfat_foundation::choice! {
    /// The acknowledged bytes that count as PipeSize.
    pub enum PipeSizeCount {
        /// Those of unvalidated segments, beside what was in flight at the jump (the examples of appendix B).
        Unvalidated = "unvalidated",
        /// All since the jump, beside what was in flight then (the letter of section 3.3): the first round trip counts twice.
        All = "all",
    }
}

longfat_foundation::choice! {
    /// The least window of a safe retreat.
    pub enum RetreatFloor {
        /// Two segments (the note of section 3.5).
        TwoSegments = "two-segments",
        /// The initial window (appendix B.4), which may be more than half of PipeSize.
        InitialWindow = "initial-window",
    }
}

longfat_foundation::model! {
    /// A connection that knows window and round trip of an earlier one over its path jumps to half of that window once its first data is
    /// acknowledged, sends it paced over a round trip, and retreats to half of what was proved if anything is lost or marked.
    #[name = "careful-resume"]
    #[source = "RFC 9959 (Careful Resume)"]
    pub struct CarefulResume: dyn Resumption {
        /// Bytes that the earlier connection had in flight in a round trip (`saved_cwnd`).
        saved_cwnd: Bytes,
        /// Least round trip of the earlier connection (`saved_rtt`). A connection with half of it or less, or more than ten times as much,
        /// has another path and does not resume.
        saved_rtt: PositiveSpan,
        /// Time from the start of the run in which what was saved may be used (`Lifetime`). The RFC speaks of minutes for paths that vary,
        /// and of hours for stable ones.
        lifetime: PositiveSpan = "1 h",
        /// Largest window to which a connection jumps (`max_jump`).
        max_jump: Bytes = "1000000000 B",
        /// When the window jumps, once the path is confirmed.
        jump: JumpWhen = "window-limited" or ["confirmed"],
        /// The acknowledged bytes that count as PipeSize.
        pipe_size: PipeSizeCount = "unvalidated" or ["all"],
        /// The least window of a safe retreat.
        retreat_floor: RetreatFloor = "two-segments" or ["initial-window"],
        /// The share of PipeSize that ssthresh is after a safe retreat (Beta). 0.5 is the RFC's default; it names CUBIC's 0.7.
        beta: Fraction = "0.5" or ["0.7"],
    }
    build(config, _context) { Box::new(Careful::new(config.clone())) }
    objections(config, _context) {
        if config.beta.0 < LEAST_BETA {
            let message = format!("a Beta of {} is too small; from {LEAST_BETA} to 1 (RFC 9959 section 2.4)", config.beta.0);
            vec![("beta", message)]
        } else {
            Vec::new()
        }
    }
}

/// Range of round trips that confirm a path, relative to the saved one: more than a half, and at most ten times as much (section 4.2.1).
const SHORTEST_PARTS: u64 = 2;
const LONGEST_TIMES: u64 = 10;
const LEAST_BETA: f64 = 0.5;

/// Phases (section 3). Observing is the work of the connection before.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// The first data is not yet acknowledged, or the path not yet confirmed.
    Reconnaissance,
    /// A window that the path has not proved to carry is sent.
    Unvalidated(Jump),
    /// The unvalidated segments are being acknowledged, up to this byte.
    Validating(Jump, u64),
    /// It was too much; the window stays below this number of bytes until all up to this byte is acknowledged.
    SafeRetreat(Jump, f64, u64),
    /// Normal congestion control.
    Normal,
}

/// The jump, and what the connection was like before it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Jump {
    at: Time,
    /// Round trip by which segments are paced.
    round_trip: Span,
    /// First byte never sent, then: the first unvalidated one.
    first: u64,
    /// Bytes in flight, and all bytes delivered.
    flight: u64,
    delivered: u64,
}

/// Careful Resume of one connection.
struct Careful {
    settings: CarefulResume,
    phase: Phase,
    /// Least round trip so far, and the latest.
    shortest: Option<Span>,
    latest: Option<Span>,
    /// Whether cwnd, and not the application, limited the bytes in flight before the latest acknowledgment.
    is_limited: bool,
    /// First byte not acknowledged and all bytes delivered, as of the latest acknowledgment.
    unacknowledged: u64,
    delivered: u64,
    /// First byte never sent, then.
    highest: u64,
    /// Window of the jump in bytes.
    window: f64,
}

impl Careful {
    fn new(settings: CarefulResume) -> Self {
        Self {
            settings,
            phase: Phase::Reconnaissance,
            shortest: None,
            latest: None,
            is_limited: false,
            unacknowledged: 0,
            delivered: 0,
            highest: 0,
            window: 0.0,
        }
    }

    fn note_round_trip(&mut self, sample: Span) {
        self.shortest = Some(self.shortest.map_or(sample, |shortest| shortest.min(sample)));
        self.latest = Some(sample);
    }

    /// Bytes that the path has proved to carry (`PipeSize`).
    fn pipe_size(&self, jump: Jump) -> u64 {
        let since = self.delivered - jump.delivered;
        match self.settings.pipe_size {
            PipeSizeCount::Unvalidated => since.max(jump.flight),
            PipeSizeCount::All => since + jump.flight,
        }
    }

    /// The path is another one: round trips are too short for the saved window (sections 3.2 and 3.3).
    fn is_too_short(&self, round_trip: Span) -> bool {
        round_trip.0 <= self.settings.saved_rtt.0.0 / SHORTEST_PARTS
    }

    /// Takes what an acknowledgment tells; returns the bytes in flight before it.
    fn note(&mut self, delivery: &Delivery) -> u64 {
        let standing = delivery.standing;
        let flight = standing.highest - self.unacknowledged;
        (self.unacknowledged, self.highest, self.delivered) =
            (standing.unacknowledged, standing.highest, delivery.total);
        if let Some(sample) = delivery.round_trip {
            self.note_round_trip(sample);
        }
        flight
    }

    /// Whether what was saved may be used: the path is the same and the parameters are not too old (section 3.2). `None` before all initial data
    /// is acknowledged.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn may_resume(&self, window: &Window, now: Time) -> Option<bool> {
        let shortest = self.shortest.filter(|_| self.unacknowledged as f64 >= window.initial())?;
        let is_other =
            self.is_too_short(shortest) || shortest.0 > self.settings.saved_rtt.0.0.saturating_mul(LONGEST_TIMES);
        Some(!is_other && now - Time::ZERO <= self.settings.lifetime.0)
    }

    /// Bytes of the window of the jump.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn jump(&self) -> f64 {
        (self.settings.saved_cwnd.0 / 2).min(self.settings.max_jump.0) as f64
    }

    /// The end of reconnaissance (section 3.2), if all initial data is acknowledged.
    fn confirm(&mut self, window: &mut Window, now: Time) {
        let (Some(may_resume), Some(round_trip)) = (self.may_resume(window, now), self.latest) else { return };
        let jump = self.jump();
        if !may_resume || jump <= window.cwnd {
            self.phase = Phase::Normal;
        } else if self.is_limited || self.settings.jump == JumpWhen::Confirmed {
            window.set(jump);
            self.window = window.cwnd;
            let flight = self.highest - self.unacknowledged;
            self.phase = Phase::Unvalidated(Jump {
                at: now,
                round_trip,
                first: self.highest,
                flight,
                delivered: self.delivered,
            });
        }
    }

    /// The end of the unvalidated phase (section 3.3): the whole window was sent, an unvalidated segment is acknowledged, or a round trip has
    /// passed. `flight` bytes were in flight before this acknowledgment.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn end_unvalidated(&mut self, window: &mut Window, jump: Jump, flight: u64, now: Time) {
        let is_sent = flight as f64 + window.mss() > window.cwnd;
        let is_over = is_sent || self.unacknowledged > jump.first || now - jump.at > jump.round_trip;
        if !is_over {
            return;
        }
        let (flight, pipe_size) = ((self.highest - self.unacknowledged) as f64, self.pipe_size(jump) as f64);
        if flight < window.initial() || flight <= pipe_size {
            window.set(pipe_size.max(window.initial()).min(window.cwnd));
            self.phase = Phase::Normal;
        } else {
            window.set(flight.min(window.cwnd));
            self.phase = Phase::Validating(jump, self.highest);
        }
    }

    /// Enters the safe retreat with half of `PipeSize` (section 3.5).
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn retreat(&mut self, window: &mut Window, jump: Jump) {
        let floor = match self.settings.retreat_floor {
            RetreatFloor::TwoSegments => 2.0 * window.mss(),
            RetreatFloor::InitialWindow => window.initial(),
        };
        let left = (self.pipe_size(jump) as f64 / 2.0).max(floor).min(self.window);
        window.set(left);
        // An initial window of less than two segments is no threshold (RFC 5681 equation 4).
        window.ssthresh = window.cwnd.max(2.0 * window.mss());
        self.phase = Phase::SafeRetreat(jump, left, self.highest);
    }
}

impl Resumption for Careful {
    fn on_opened(&mut self, round_trip: Span) {
        self.note_round_trip(round_trip);
    }

    fn on_acknowledgment(&mut self, progress: &Progress) {
        self.is_limited = progress.window_is_used;
    }

    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let (now, standing, flight) = (delivery.now, delivery.standing, self.note(delivery));
        match self.phase {
            Phase::Reconnaissance => self.confirm(window, now),
            Phase::Unvalidated(jump) if delivery.round_trip.is_some_and(|sample| self.is_too_short(sample)) => {
                self.retreat(window, jump);
            }
            Phase::Unvalidated(jump) => self.end_unvalidated(window, jump, flight, now),
            Phase::Validating(_, last) if self.unacknowledged >= last => self.phase = Phase::Normal,
            // A recovery that reduces the window little by little must not leave more (section 4.5).
            Phase::SafeRetreat(_, most, last) if standing.is_recovering || self.unacknowledged < last => {
                window.cwnd = window.cwnd.min(most);
            }
            Phase::SafeRetreat(jump, ..) => {
                window.ssthresh = (self.settings.beta.0 * self.pipe_size(jump) as f64).max(2.0 * window.mss());
                self.phase = Phase::Normal;
            }
            Phase::Validating(..) | Phase::Normal => {}
        }
    }

    /// The law has the phases after reconnaissance; it tries half of the saved rate (appendix C).
    fn known_rate(&mut self, window: &Window, delivery: &Delivery) -> Option<f64> {
        self.note(delivery);
        let may_resume = self.may_resume(window, delivery.now).filter(|_| self.phase == Phase::Reconnaissance)?;
        let is_time = !delivery.is_application_limited || self.settings.jump == JumpWhen::Confirmed;
        if may_resume && !is_time {
            return None;
        }
        self.phase = Phase::Normal;
        may_resume.then(|| self.jump() / self.settings.saved_rtt.0.as_seconds())
    }

    fn holds_window(&self) -> bool {
        matches!(self.phase, Phase::Unvalidated(_) | Phase::SafeRetreat(..))
    }

    /// The law never learns of a window that was not validated.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn before_reduction(&mut self, window: &mut Window) {
        match self.phase {
            Phase::Reconnaissance => self.phase = Phase::Normal,
            Phase::Unvalidated(jump) | Phase::Validating(jump, _) => {
                window.cwnd = window.cwnd.min((self.pipe_size(jump) as f64).max(2.0 * window.mss()));
            }
            Phase::SafeRetreat(..) | Phase::Normal => {}
        }
    }

    fn after_reduction(&mut self, window: &mut Window) {
        if let Phase::Unvalidated(jump) | Phase::Validating(jump, _) = self.phase {
            self.retreat(window, jump);
        }
    }

    /// Section 3.6.
    fn on_timeout(&mut self) {
        self.phase = Phase::Normal;
    }

    /// A window in a round trip (section 4.3.2).
    fn pacing_rate(&self) -> Option<f64> {
        match self.phase {
            Phase::Unvalidated(jump) if jump.round_trip > Span::ZERO => {
                Some(self.window / jump.round_trip.as_seconds())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod steps;
