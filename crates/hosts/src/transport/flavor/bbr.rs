//! BBR, version 1. Section numbers and names in code font are those of draft-cardwell-iccrg-bbr-congestion-control-00, or of the module of
//! Linux 6.12 (net/ipv4/tcp_bbr.c) where they begin with `bbr_`.

mod aggregation;
mod policer;
mod readings;
mod repair;
mod states;
mod units;
mod variant;
mod window;

use aggregation::Aggregation;
use longfat_foundation::random::Stream;
use longfat_foundation::registry::Plan;
use longfat_foundation::units::{Span, Time};
use policer::Policer;
pub(super) use readings::RecoveryOfBbr;
use readings::{AggregationAllowance, FlightAt, LossResponse, PacingMargin, PolicerDetection, WindowAllowance};
use repair::Repair;
pub(super) use states::State;
use units::Units;
pub(super) use variant::{Addition, Variant};

use super::Flavor;
use crate::transport::law::{
    AfterLoss, Arithmetic, KnownRate, LawFacts, ModelRate, Progress, Regrowth, ResponseToMarks, Rounds, RunningMaximum,
    SlowStart, WindowLaw, WindowedMaximum, microseconds,
};
use crate::transport::pacing::PacingTimer;
use crate::transport::recovery::Recovery;
use crate::transport::{Delivery, LostSegment, Window};

longfat_foundation::model! {
    /// Sends at the rate at which data is delivered, and keeps in flight about as much as the path holds. Losses and marks have little
    /// effect. It probes for more bandwidth every eight round trips, and for the minimum round trip every 10 s. It knows the amount in
    /// flight from selective acknowledgments.
    #[name = "bbr"]
    #[source = "draft-cardwell-iccrg-bbr-congestion-control-00; draft-cheng-iccrg-delivery-rate-estimation-00"]
    pub struct Bbr: dyn Flavor {
        /// Whether a round trip equal to the minimum renews it, as in the pseudocode. The text says "a lower RTT measurement". On a path
        /// where nothing disturbs the round trip, equal ones arrive all the time, and a connection would never probe.
        equal_round_trips_refresh: bool = "false" or ["true"],
        /// How losses are detected and repaired.
        recovery: RecoveryOfBbr = "sack-rfc6675",
        /// How the law computes: in real numbers, or as the module of the Linux kernel does: windows in whole segments, gains in 256ths,
        /// bandwidths in segments per 2^24 us, deadlines in jiffies, and a maximum of three samples.
        arithmetic: Arithmetic = "real" or ["linux"],
        /// Allowance of the window beyond bandwidth-delay products.
        window_allowance: WindowAllowance = "three-segments" or ["send-quanta"],
        /// Whether the window allows for acknowledgments that come late and together.
        aggregation_allowance: AggregationAllowance = "none" or ["observed"],
        /// Share by which segments are paced below the rate of the model.
        pacing_margin: PacingMargin = "none" or ["1%"],
        /// When the next segment may go.
        pacing_timer: PacingTimer = "exact" or ["linux", "linux-fq"],
        /// The amount in flight that ends a phase of the cycle and Drain.
        flight_at: FlightAt = "acknowledgment" or ["departure"],
        /// How the window follows losses.
        loss_response: LossResponse = "draft" or ["linux"],
        /// Whether a policer is recognized.
        policer_detection: PolicerDetection = "none" or ["long-term-rate"],
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Bbr {
    /// BBR as the module of Linux, but without a policer.
    pub fn of_kernel(recovery: RecoveryOfBbr, pacing_timer: PacingTimer) -> Self {
        Self {
            equal_round_trips_refresh: false,
            recovery,
            arithmetic: Arithmetic::Kernel,
            window_allowance: WindowAllowance::SendQuanta,
            aggregation_allowance: AggregationAllowance::Observed,
            pacing_margin: PacingMargin::Percent,
            pacing_timer,
            flight_at: FlightAt::Departure,
            loss_response: LossResponse::Kernel,
            policer_detection: PolicerDetection::None,
        }
    }
}

impl Flavor for Bbr {
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(Law::new(self.clone()))
    }

    fn recovery(&self) -> &dyn Plan<dyn Recovery> {
        self.recovery.plan()
    }

    fn facts(&self) -> LawFacts {
        LawFacts {
            slow_start: SlowStart::Doubles,
            ends_slow_start: true,
            has_reno_response: false,
            marks: ResponseToMarks::None,
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

/// `BtlBwFilterLen`, in rounds (section 4.1.1.2).
const BANDWIDTH_ROUNDS: u64 = 10;
/// `BBRMinPipeCwnd`, in segments (section 4.2.3.3).
const LEAST_WINDOW: f64 = 4.0;

/// The filter of `BtlBw`.
enum Filter {
    Exact(WindowedMaximum),
    OfThree(RunningMaximum),
}

impl Filter {
    fn get(&self) -> f64 {
        match self {
            Self::Exact(maximum) => maximum.get(),
            Self::OfThree(maximum) => maximum.get(),
        }
    }

    fn add(&mut self, round: u64, rate: f64) {
        match self {
            Self::Exact(maximum) => maximum.add(round, rate),
            Self::OfThree(maximum) => maximum.add(round, rate),
        }
    }

    fn reset(&mut self, round: u64, rate: f64) {
        match self {
            Self::Exact(maximum) => maximum.reset(round, rate),
            Self::OfThree(maximum) => maximum.reset(round, rate),
        }
    }
}

/// Sends at the delivery rate, and keeps about a bandwidth-delay product in flight.
pub(super) struct Law {
    settings: Bbr,
    pub units: Units,
    pub variant: Variant,
    addition: Option<Box<dyn Addition>>,
    chance: Option<Stream>,
    pub state: State,
    /// The pacing gain of the latest acknowledgment.
    gain: f64,
    /// `BtlBw` in bytes per second.
    bandwidth: Filter,
    /// `RTprop`, and the time of its sample.
    pub round_trip: Option<(Span, Time)>,
    rate: ModelRate,
    known: KnownRate,
    pub rounds: Rounds,
    /// Time of the latest delivery, and bytes delivered until then.
    delivered: (Time, u64),
    pipe_is_full: bool,
    full_bandwidth: f64,
    full_rounds: u32,
    /// The last window that neither a loss nor `ProbeRTT` has changed (`prior_cwnd`).
    window_before: f64,
    repair: Repair,
    /// Bytes that were lost, and those of them that no acknowledgment was told of yet.
    lost: (u64, u64),
    restarts_from_idle: bool,
    aggregation: Aggregation,
    policer: Policer,
}

impl Law {
    /// BBR with constants of its own, and what is added to it.
    pub fn varied(settings: Bbr, variant: Variant, addition: Box<dyn Addition>) -> Self {
        Self { variant, addition: Some(addition), ..Self::new(settings) }
    }

    fn new(settings: Bbr) -> Self {
        let units = Units::new(settings.arithmetic);
        let margin = f64::from(100 - settings.pacing_margin.percent()) / 100.0;
        Self {
            units,
            variant: Variant::default(),
            addition: None,
            chance: None,
            state: State::Startup,
            gain: units.high_gain(),
            bandwidth: match settings.arithmetic {
                Arithmetic::Real => Filter::Exact(WindowedMaximum::new(BANDWIDTH_ROUNDS)),
                Arithmetic::Kernel => Filter::OfThree(RunningMaximum::new(BANDWIDTH_ROUNDS)),
            },
            round_trip: None,
            rate: ModelRate::new(units.high_gain() * margin),
            known: KnownRate::default(),
            rounds: Rounds::default(),
            delivered: (Time::ZERO, 0),
            pipe_is_full: false,
            full_bandwidth: 0.0,
            full_rounds: 0,
            window_before: 0.0,
            repair: Repair::new(settings.loss_response),
            lost: (0, 0),
            restarts_from_idle: false,
            aggregation: Aggregation::default(),
            policer: Policer::default(),
            settings,
        }
    }

    /// The bandwidth that rate and window go by (`bbr_bw`).
    pub fn bandwidth(&self) -> f64 {
        self.policer.rate().map_or(self.bandwidth.get(), |rate| self.units.unscaled(rate))
    }

    /// Packet-timed rounds (section 4.1.1.3), and the bandwidth (section 4.1.1.5).
    fn update_bandwidth(&mut self, delivery: &Delivery) {
        self.delivered.1 = delivery.total;
        if delivery.bytes > 0 {
            self.delivered.0 = delivery.now;
        }
        if self.units.is_kernel() && delivery.rate.is_none() {
            self.rounds.starts = false;
            return;
        }
        if self.rounds.note(delivery) {
            self.repair.end_conservation();
            self.known.begin_round(self.rounds.count, self.state == State::Startup);
        }
        self.look_for_policer(delivery.now, delivery.standing.lost > 0, delivery.is_application_limited);
        let Some(rate) = delivery.rate.map(|rate| self.units.bandwidth(rate)) else { return };
        if !self.known.retreats() && (rate >= self.bandwidth.get() || !delivery.is_application_limited) {
            self.bandwidth.add(self.rounds.count, rate);
            self.units.keep(self.bandwidth.get());
        }
    }

    /// `bbr_lt_bw_sampling`.
    fn look_for_policer(&mut self, now: Time, shows_losses: bool, is_application_limited: bool) {
        if self.settings.policer_detection == PolicerDetection::None || self.policer.is_idle(shows_losses) {
            return;
        }
        let event = policer::Event {
            counters: self.counters(),
            starts_round: self.rounds.starts,
            shows_losses,
            is_application_limited,
            probes_bandwidth: matches!(self.state, State::ProbeBandwidth { .. }),
        };
        match self.policer.note(&event, self.units, self.settings.pacing_margin.percent()) {
            policer::Outcome::None => {}
            policer::Outcome::Begins => self.gain = 1.0,
            policer::Outcome::Ends => self.probe_bandwidth(now),
        }
    }

    fn counters(&self) -> policer::Counters {
        policer::Counters {
            milliseconds: microseconds(self.delivered.0 - Time::ZERO) / 1000,
            delivered: self.segments(self.delivered.1),
            lost: self.segments(self.lost.0),
        }
    }

    /// Segments in so many bytes.
    #[expect(clippy::cast_precision_loss, reason = "less than 2^53 bytes")]
    fn segments(&self, bytes: u64) -> u64 {
        self.units.segments(bytes as f64)
    }

    /// `bbr_update_ack_aggregation`.
    fn update_aggregation(&mut self, window: &Window, delivery: &Delivery) {
        if self.settings.aggregation_allowance == AggregationAllowance::None
            || delivery.bytes == 0
            || delivery.rate.is_none()
        {
            return;
        }
        let (bandwidth, delivered) = (self.units.scaled(self.bandwidth()), self.segments(delivery.bytes));
        self.aggregation.note(delivery.now, delivered, self.rounds.starts, bandwidth, window.segments());
    }

    /// Section 4.2.1: initially by the initial window, and no slower before the pipe is full.
    fn set_pacing_rate(&mut self, bandwidth: f64, gain: f64) {
        let round_trip = self.round_trip.map(|(round_trip, _)| round_trip);
        let rate = self.units.rate(bandwidth, gain, self.settings.pacing_margin.percent());
        self.rate.set(rate.max(self.known.floor()), round_trip, self.pipe_is_full);
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
        self.units.mss = window.mss();
        Some(self.rate.get(window, self.round_trip.map(|(round_trip, _)| round_trip)))
    }

    fn tries_rates(&self) -> bool {
        true
    }

    fn try_rate(&mut self, rate: f64) {
        self.known.ask(rate);
    }

    fn pacing_timer(&self) -> Option<PacingTimer> {
        Some(self.settings.pacing_timer)
    }

    /// Section 4.2.1: the initial rate uses the round trip of the handshake.
    fn on_opened(&mut self, now: Time, round_trip: Span) {
        self.round_trip = Some((self.units.round_trip(round_trip), now));
        self.aggregation.begin(now);
        if let Some(addition) = &mut self.addition {
            addition.open(now);
        }
    }

    /// Section 4.3.4.4: a restart uses the known bandwidth.
    fn forgets_when_idle(&self) -> bool {
        false
    }

    /// Section 3.5.2: updates the model, then rate and window.
    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        self.units.mss = window.mss();
        self.lost = (self.lost.0 + self.lost.1.max(delivery.standing.lost), 0);
        let mut addition = self.addition.take();
        if let Some(addition) = &mut addition {
            addition.before(self, delivery);
        }
        self.update_bandwidth(delivery);
        self.update_aggregation(window, delivery);
        self.check_cycle(window, delivery);
        self.check_full_pipe(window, delivery);
        self.check_drain(window, delivery);
        let is_old = self.update_round_trip(delivery);
        self.check_probe_of_round_trip(window, delivery, is_old);
        self.gain = self.pacing_gain();
        self.check_repair(window, delivery);
        let bandwidth = addition.as_mut().map_or(self.bandwidth(), |addition| addition.bandwidth(self, delivery));
        self.addition = addition;
        self.set_pacing_rate(bandwidth, self.gain);
        self.set_window(window, delivery, bandwidth);
    }

    fn sends_less_than_it_could(&self) -> bool {
        matches!(self.state, State::ProbeRoundTrip { .. })
    }

    /// Section 4.3.4.4.
    fn on_restart_from_idle(&mut self, now: Time) {
        self.restarts_from_idle = true;
        self.aggregation.begin(now);
        if matches!(self.state, State::ProbeBandwidth { .. }) {
            self.set_pacing_rate(self.bandwidth(), 1.0);
        }
    }

    fn grows_by_acknowledgments(&self) -> bool {
        false
    }

    fn on_acknowledgment(&mut self, _window: &mut Window, _progress: &Progress) {}

    fn on_lost_segment(&mut self, _window: &mut Window, lost: &LostSegment, _now: Time) {
        self.lost.1 += lost.bytes;
    }

    fn on_loss(&mut self, window: &mut Window, _flight: u64) {
        self.known.note_congestion();
        self.save_window(window);
        self.repair.begin();
    }

    /// Only a rate that was not measured gives way to marks.
    fn on_mark(&mut self, _window: &mut Window, _flight: u64) {
        self.known.note_congestion();
    }

    /// `bbr_undo_cwnd`: the slow-down was needless, the search for the full pipe begins anew.
    fn on_undo(&mut self, _window: &mut Window, _before: f64) {
        (self.full_bandwidth, self.full_rounds) = (0.0, 0);
        self.policer.reset(self.counters());
        self.repair.end_timeout();
    }

    fn on_timeout(&mut self, window: &mut Window, _flight: u64) {
        self.known.note_congestion();
        self.save_window(window);
        self.repair.time_out();
        window.collapse();
        if self.settings.loss_response == LossResponse::Kernel {
            // `bbr_set_state`.
            (self.full_bandwidth, self.rounds.starts) = (0.0, true);
            self.look_for_policer(self.delivered.0, true, false);
        }
    }
}

#[cfg(test)]
pub(super) mod steps;
