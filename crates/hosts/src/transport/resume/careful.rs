//! Careful Resume. Section numbers and names in code font are those of RFC 9959.

mod given;
mod observing;
#[cfg(test)]
mod steps;

use longfat_foundation::config::{Bytes, Fraction, PositiveNumber, PositiveSpan};
use longfat_foundation::units::{Span, Time};

use super::{Memory, Resumption, Saved};
use given::Given;
use observing::Observing;

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
        /// Bytes that the earlier connection had in flight in a round trip (`saved_cwnd`); "observed" for what earlier connections of the run
        /// between the same hosts had.
        saved_cwnd: Given<Bytes> = "observed",
        /// Least round trip of the earlier connection (`saved_rtt`). A connection with half of it or less, or more than ten times as much,
        /// has another path and does not resume.
        saved_rtt: Given<PositiveSpan> = "observed",
        /// Time in which what was saved may be used (`Lifetime`): from the observation on, or from the start of the run if it is given. The
        /// RFC speaks of minutes for paths that vary, and of hours for stable ones.
        lifetime: PositiveSpan = "1 h",
        /// Initial windows that a window must have for its path to be saved (section 3.1).
        least_saved: PositiveNumber = "4" or ["1"],
        /// Time whose least round trip is saved (section 4.1).
        rtt_period: PositiveSpan = "5 min",
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
        let mut objections = Vec::new();
        if config.beta.0 < LEAST_BETA {
            let message = format!("a Beta of {} is too small; from {LEAST_BETA} to 1 (RFC 9959 section 2.4)", config.beta.0);
            objections.push(("beta", message));
        }
        let missing = |given| format!("missing, but {given} is given; give both, or neither to use what earlier connections observe");
        match (config.saved_cwnd.0, config.saved_rtt.0) {
            (Some(_), None) => objections.push(("saved_rtt", missing("saved_cwnd"))),
            (None, Some(_)) => objections.push(("saved_cwnd", missing("saved_rtt"))),
            _ => {}
        }
        objections
    }
}

/// Range of round trips that confirm a path, relative to the saved one: more than a half, and at most ten times as much (section 4.2.1).
const SHORTEST_PARTS: u64 = 2;
const LONGEST_TIMES: u64 = 10;
const LEAST_BETA: f64 = 0.5;

/// Phases (section 3), but for observing, which goes on beside normal congestion control.
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
    /// A law that goes by rates tries one, in so many more rounds; this one ends with that byte.
    Trying(u8, u64),
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

/// Rounds in which a law that goes by rates tries the known one (appendix C).
const ROUNDS_OF_RATES: u8 = 2;

/// Careful Resume of one connection.
struct Careful {
    settings: CarefulResume,
    phase: Phase,
    /// Parameters known of the path.
    saved: Option<Saved>,
    /// Observation of the path, if later connections are to know.
    observing: Option<Observing>,
    /// Time of the latest acknowledgment.
    now: Time,
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
        let given = settings.saved_cwnd.0.zip(settings.saved_rtt.0);
        let saved = given.map(|(cwnd, rtt)| Saved { cwnd: cwnd.0, rtt: rtt.0, at: Time::ZERO });
        Self {
            observing: saved.is_none().then(Observing::default),
            saved,
            now: Time::ZERO,
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
        if let Some(observing) = &mut self.observing {
            observing.note_round_trip(self.now, sample, self.settings.rtt_period.0);
        }
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
        self.saved.is_some_and(|saved| round_trip.0 <= saved.rtt.0 / SHORTEST_PARTS)
    }

    /// Observes the path in normal congestion control.
    fn observe(&mut self, window: &Window, delivery: &Delivery) {
        let Some(observing) = &mut self.observing else { return };
        if matches!(self.phase, Phase::Reconnaissance | Phase::Normal) {
            observing.note(&self.settings, window, delivery, self.saved);
        } else {
            observing.pause();
        }
    }

    /// Deletes what was saved: it is wrong.
    fn delete(&mut self) {
        if let Some(observing) = &mut self.observing {
            observing.delete(self.now);
        }
    }

    /// Takes what an acknowledgment tells; returns the bytes in flight before it.
    fn note(&mut self, delivery: &Delivery) -> u64 {
        let standing = delivery.standing;
        self.now = delivery.now;
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
        let Some(saved) = self.saved else { return Some(false) };
        let is_other = self.is_too_short(shortest) || shortest.0 > saved.rtt.0.saturating_mul(LONGEST_TIMES);
        Some(!is_other && now - saved.at <= self.settings.lifetime.0)
    }

    /// Bytes of the window of the jump.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn jump(&self) -> f64 {
        self.saved.map_or(0, |saved| saved.cwnd / 2).min(self.settings.max_jump.0) as f64
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

    /// Ends with congestion. What was used of the saved values is wrong.
    fn end_badly(&mut self) {
        if !matches!(self.phase, Phase::Reconnaissance | Phase::Normal) {
            self.delete();
        }
        self.phase = Phase::Normal;
    }

    /// Enters the safe retreat with half of `PipeSize` (section 3.5).
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn retreat(&mut self, window: &mut Window, jump: Jump) {
        self.delete();
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
    fn learns(&self) -> bool {
        self.observing.is_some()
    }

    fn know(&mut self, saved: Saved) {
        self.saved = Some(saved);
    }

    fn memory(&self) -> Option<Memory> {
        self.observing.as_ref().and_then(|observing| observing.memory)
    }

    fn uses_saved(&self) -> bool {
        self.saved.is_some() && self.phase != Phase::Normal
    }

    fn on_opened(&mut self, now: Time, round_trip: Span) {
        self.now = now;
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
            Phase::Validating(..) | Phase::Trying(..) | Phase::Normal => {}
        }
        self.observe(window, delivery);
    }

    /// The law has the phases after reconnaissance; it tries half of the saved rate (appendix C).
    fn known_rate(&mut self, window: &Window, delivery: &Delivery) -> Option<f64> {
        self.note(delivery);
        self.observe(window, delivery);
        if let Phase::Trying(rounds, last) = self.phase
            && self.unacknowledged >= last
        {
            self.phase = if rounds == 0 { Phase::Normal } else { Phase::Trying(rounds - 1, self.highest) };
        }
        let may_resume = self.may_resume(window, delivery.now).filter(|_| self.phase == Phase::Reconnaissance)?;
        let is_time = !delivery.is_application_limited || self.settings.jump == JumpWhen::Confirmed;
        if may_resume && !is_time {
            return None;
        }
        let saved = self.saved.filter(|_| may_resume);
        self.phase = saved.map_or(Phase::Normal, |_| Phase::Trying(ROUNDS_OF_RATES, self.highest));
        saved.map(|saved| self.jump() / saved.rtt.as_seconds())
    }

    fn holds_window(&self) -> bool {
        matches!(self.phase, Phase::Unvalidated(_) | Phase::SafeRetreat(..))
    }

    /// The law never learns of a window that was not validated.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn before_reduction(&mut self, window: &mut Window) {
        match self.phase {
            Phase::Reconnaissance => self.phase = Phase::Normal,
            Phase::Trying(..) => self.end_badly(),
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
        self.end_badly();
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
