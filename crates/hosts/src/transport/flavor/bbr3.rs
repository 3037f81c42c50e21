//! BBR, version 3. Section numbers and names in code font are those of draft-ietf-ccwg-bbr.

mod bounds;
mod congestion;
mod cycle;
mod full_pipe;
mod path;

use congestion::{LossRound, ShortTerm};
use cycle::{BandwidthProbe, Feedback};
use full_pipe::FullPipe;
use longfat_foundation::random::Stream;
use longfat_foundation::registry::Plan;
use longfat_foundation::units::{Span, Time};
use path::Path;

use super::Flavor;
use crate::transport::law::{
    AfterLoss, KnownRate, LawFacts, ModelRate, Progress, Regrowth, ResponseToMarks, Rounds, SlowStart, WindowLaw,
};
use crate::transport::recovery::{RackTlp, Recovery};
use crate::transport::{Delivery, LostSegment, Window};

longfat_foundation::model! {
    /// Like `bbr`, but it learns from losses how much may be in flight: more than 2 % of loss while probing for bandwidth is too much, and
    /// a loss at other times lowers its rate until the next probe. It leaves room for others between probes, and looks for the minimum
    /// round trip every 5 s with half of what the path holds. Losses are detected as by `rack-tlp`.
    #[name = "bbr3"]
    #[source = "draft-ietf-ccwg-bbr"]
    pub struct Bbr3: dyn Flavor {}
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Bbr3 {
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(Law::default())
    }

    fn recovery(&self) -> &dyn Plan<dyn Recovery> {
        RackTlp::without_reduction()
    }

    fn facts(&self) -> LawFacts {
        LawFacts {
            slow_start: SlowStart::Doubles,
            ends_slow_start: true,
            has_reno_response: false,
            marks: ResponseToMarks::AsLoss,
            observes_deliveries: true,
            is_paced: true,
            leaves_pipe_idle: true,
            shrinks_without_loss: true,
        }
    }

    /// Losses do not reduce the window for long, and nothing sets a threshold.
    fn after_loss(&self, _segments: f64, _round_trip_s: f64) -> AfterLoss {
        AfterLoss { left: 1.0, left_after_timeout: 1.0, regrowth: Regrowth::NoSawTooth }
    }
}

/// `BBR.StartupPacingGain`, 4 ln 2, and `BBR.DrainPacingGain` (section 2.5).
const STARTUP_GAIN: f64 = 2.77;
const DRAIN_GAIN: f64 = 0.5;
/// `BBR.DefaultCwndGain`; larger in `ProbeBW_UP`, for the larger rate (section 5.6.1).
const WINDOW_GAIN: f64 = 2.0;
const UP_WINDOW_GAIN: f64 = 2.25;
/// Pacing gains of the phases of `ProbeBW` (section 5.6.1).
const DOWN_GAIN: f64 = 0.9;
const UP_GAIN: f64 = 1.25;
/// The share of the rate that remains after `BBR.PacingMarginPercent` (section 5.6.2), which keeps queues short.
const PACING_MARGIN: f64 = 0.99;
/// `BBR.Headroom`: the share of the long-term bound that other flows may take.
const HEADROOM: f64 = 0.15;
/// `BBR.MinPipeCwnd`, in segments.
const LEAST_WINDOW: f64 = 4.0;
/// `BBR.offload_budget` in segments, three times the send quantum (section 5.5.8.1): segments are sent one by one here.
const OFFLOAD_SEGMENTS: f64 = 3.0;
/// `BBR.ProbeRTTCwndGain` and `BBR.ProbeRTTDuration` (section 2.16.2).
const PROBE_WINDOW_GAIN: f64 = 0.5;
const PROBE_DURATION: Span = Span::from_microseconds(200_000);
/// Lost ranges of a round that end Startup (`BBRStartupFullLossCnt`; section 5.3.1.3).
const FULL_LOSSES: u32 = 6;
/// Most rounds of Drain (section 5.3.2).
const DRAIN_ROUNDS: u64 = 3;

/// The states of BBR (section 5.1).
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Startup,
    /// Since a round.
    Drain {
        since: u64,
    },
    /// The phases of `ProbeBW`.
    Down,
    Cruise,
    Refill,
    Up,
    /// Until a time that is set once the flight is small enough, and until a round has passed.
    ProbeRoundTrip {
        until: Option<Time>,
        round_is_over: bool,
    },
}

/// The repair of losses (section 5.6.4.4).
#[derive(Clone, Copy, Debug, PartialEq)]
enum Repair {
    None,
    Losses,
    /// A timeout, until all data sent before it is acknowledged.
    Timeout {
        recovery_point: Option<u64>,
    },
}

/// Sends at the delivery rate, within bounds that are learnt from losses.
struct Law {
    chance: Option<Stream>,
    state: State,
    path: Path,
    rounds: Rounds,
    full: FullPipe,
    probe: BandwidthProbe,
    short_term: ShortTerm,
    /// `BBR.inflight_longterm` in bytes.
    long_term: f64,
    losses: LossRound,
    /// Whether the window has limited the sender in this round, and in the last one (`C.is_cwnd_limited`).
    window_limits: (bool, bool),
    rate: ModelRate,
    known: KnownRate,
    /// `BBR.prior_cwnd`.
    window_before: f64,
    repair: Repair,
    restarts_from_idle: bool,
    total: u64,
}

impl Default for Law {
    /// The state of a new connection (section 5.2.1).
    fn default() -> Self {
        Self {
            chance: None,
            state: State::Startup,
            path: Path::new(),
            rounds: Rounds::default(),
            full: FullPipe::default(),
            probe: BandwidthProbe::default(),
            short_term: ShortTerm::UNLIMITED,
            long_term: f64::INFINITY,
            losses: LossRound::default(),
            window_limits: (false, false),
            rate: ModelRate::new(STARTUP_GAIN),
            known: KnownRate::default(),
            window_before: 0.0,
            repair: Repair::None,
            restarts_from_idle: false,
            total: 0,
        }
    }
}

impl Law {
    fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => STARTUP_GAIN,
            State::Drain { .. } => DRAIN_GAIN,
            State::Down => DOWN_GAIN,
            State::Up => UP_GAIN,
            State::Cruise | State::Refill | State::ProbeRoundTrip { .. } => 1.0,
        }
    }

    fn window_gain(&self) -> f64 {
        match self.state {
            State::Up => UP_WINDOW_GAIN,
            State::ProbeRoundTrip { .. } => PROBE_WINDOW_GAIN,
            _ => WINDOW_GAIN,
        }
    }

    fn probes_bandwidth_by_cycles(&self) -> bool {
        matches!(self.state, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// `BBR.bw`.
    fn bandwidth(&self) -> f64 {
        self.path.bandwidth().min(self.short_term.bandwidth)
    }

    /// `gain` bandwidth-delay products (`BDPMultiple`).
    fn product(&self, bandwidth: f64, gain: f64, window: &Window) -> f64 {
        match self.path.round_trip() {
            Some(round_trip) => gain * bandwidth * round_trip.as_seconds(),
            None => self.rate.initial_window(window),
        }
    }

    /// `QuantizationBudget`.
    fn with_budget(&self, volume: f64, window: &Window) -> f64 {
        let more = if self.state == State::Up { 2.0 } else { 0.0 };
        volume.max(OFFLOAD_SEGMENTS.max(LEAST_WINDOW) * window.mss()) + more * window.mss()
    }

    /// `Inflight`.
    fn in_flight_for(&self, bandwidth: f64, gain: f64, window: &Window) -> f64 {
        self.with_budget(self.product(bandwidth, gain, window), window)
    }

    /// `TargetInflight`.
    fn target(&self, window: &Window) -> f64 {
        self.product(self.bandwidth(), 1.0, window).min(window.cwnd)
    }

    /// `InflightWithHeadroom`.
    fn long_term_with_headroom(&self, window: &Window) -> f64 {
        if self.long_term.is_infinite() {
            return self.long_term;
        }
        let headroom = window.mss().max(HEADROOM * self.long_term);
        (self.long_term - headroom).max(LEAST_WINDOW * window.mss())
    }

    /// Sections 5.5.1, 5.5.5 and 5.5.10.3.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn update_model(&mut self, window: &Window, delivery: &Delivery) {
        self.losses.note_delivery(delivery);
        if self.rounds.note(delivery) {
            self.probe.rounds += 1;
            self.window_limits = (false, self.window_limits.0);
            self.known.begin_round(self.rounds.count, self.state == State::Startup);
        }
        self.window_limits.0 |= delivery.standing.in_flight_before as f64 + window.mss() > window.cwnd;
        if !self.known.retreats() {
            self.path.note_rate(delivery);
        }
        if self.losses.is_over {
            self.check_startup_losses(window, delivery);
            let is_probing = matches!(self.state, State::Startup | State::Refill | State::Up);
            self.losses.adapt(is_probing, &mut self.short_term, self.path.bandwidth(), window.cwnd);
        }
        let (bandwidth, is_full) = (self.bandwidth(), self.full.was_ever);
        self.path.note_aggregation(delivery, &self.rounds, bandwidth, window.cwnd, is_full);
    }

    fn window_limits(&self) -> bool {
        self.window_limits.0 || self.window_limits.1
    }

    /// Section 5.3.1.3.
    fn check_startup_losses(&mut self, window: &Window, delivery: &Delivery) {
        let is_too_much = congestion::is_too_much(delivery.lost_since_sent, delivery.in_flight_when_sent);
        let shows_full = self.repair == Repair::Losses && self.losses.ranges >= FULL_LOSSES && is_too_much;
        if self.state == State::Startup && shows_full {
            self.full.was_ever = true;
            self.long_term = self.product(self.bandwidth(), 1.0, window).max(self.losses.in_flight);
        }
    }

    /// Sections 5.3.1 and 5.3.2.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn check_startup_and_drain(&mut self, window: &mut Window, delivery: &Delivery) {
        if !self.full.is_now && self.rounds.starts && !delivery.is_application_limited {
            self.full.note(delivery.rate.unwrap_or(0.0));
        }
        self.full.was_ever |= self.known.retreats();
        if self.state == State::Startup && self.full.was_ever {
            self.state = State::Drain { since: self.rounds.count };
            // BBR has no threshold; this one says that Startup, its slow start, is over.
            window.ssthresh = 2.0 * window.mss();
        }
        if let State::Drain { since } = self.state {
            let is_drained = delivery.standing.in_flight as f64 <= self.in_flight_for(self.bandwidth(), 1.0, window);
            if is_drained || self.rounds.count > since + DRAIN_ROUNDS {
                self.known.end();
                self.begin_down(delivery.now, delivery.total);
            }
        }
    }

    /// Section 5.6.2: initially by the initial window, and no slower before the pipe is full.
    fn set_pacing_rate(&mut self, gain: f64) {
        let rate = gain * self.bandwidth() * PACING_MARGIN;
        self.rate.set(rate.max(self.known.floor()), self.path.round_trip(), self.full.was_ever);
    }
}

impl WindowLaw for Law {
    fn observes_deliveries(&self) -> bool {
        true
    }

    fn take_chance(&mut self, chance: &mut dyn FnMut() -> Stream) {
        self.chance = Some(chance());
    }

    fn pacing_rate(&mut self, window: &Window) -> Option<f64> {
        Some(self.rate.get(window, self.path.round_trip()))
    }

    fn tries_rates(&self) -> bool {
        true
    }

    fn try_rate(&mut self, rate: f64) {
        self.known.ask(rate);
    }

    /// Section 5.2.1: `BBR.min_rtt` begins with SRTT, if there is one.
    fn on_opened(&mut self, now: Time, round_trip: Span) {
        self.path.begin(now, round_trip);
    }

    /// Section 5.4.1: a restart uses the known bandwidth.
    fn forgets_when_idle(&self) -> bool {
        false
    }

    fn on_lost_segment(&mut self, window: &mut Window, lost: &LostSegment, now: Time) {
        self.learn_from_loss(window, lost, now);
    }

    /// Section 5.2.3: updates the model, then rate and window.
    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        if delivery.bytes == 0 {
            return;
        }
        self.total = delivery.total;
        self.update_model(window, delivery);
        self.check_startup_and_drain(window, delivery);
        self.check_cycle(window, delivery);
        let is_due = self.path.note_round_trip(delivery);
        self.check_probe_of_round_trip(window, delivery, is_due);
        self.losses.advance(delivery);
        self.check_repair(window, delivery);
        self.set_pacing_rate(self.pacing_gain());
        self.set_window(window, delivery);
    }

    fn sends_less_than_it_could(&self) -> bool {
        matches!(self.state, State::ProbeRoundTrip { .. })
    }

    /// Section 5.4.1.
    fn on_restart_from_idle(&mut self, _now: Time) {
        self.restarts_from_idle = true;
        self.path.restart_aggregation();
        if self.probes_bandwidth_by_cycles() {
            self.set_pacing_rate(1.0);
        }
    }

    fn grows_by_acknowledgments(&self) -> bool {
        false
    }

    fn on_acknowledgment(&mut self, _window: &mut Window, _progress: &Progress) {}

    fn on_loss(&mut self, window: &mut Window, _flight: u64) {
        self.known.note_congestion();
        self.save_window(window);
        self.repair = Repair::Losses;
    }

    /// A mark counts as congestion, like a loss in this round (section 3.7).
    fn on_mark(&mut self, _window: &mut Window, _flight: u64) {
        self.known.note_congestion();
        self.note_loss(self.total);
    }

    fn on_timeout(&mut self, window: &mut Window, _flight: u64) {
        self.known.note_congestion();
        self.save_window(window);
        self.repair = Repair::Timeout { recovery_point: None };
        window.collapse();
    }
}

#[cfg(test)]
mod steps;
#[cfg(test)]
mod test_support;
#[cfg(test)]
mod tests;
