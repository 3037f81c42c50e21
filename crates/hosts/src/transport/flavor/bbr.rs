//! BBR, version 1. Section numbers and names in code font are those of draft-cardwell-iccrg-bbr-congestion-control-00.

use longfat_foundation::random::Stream;
use longfat_foundation::registry::Plan;
use longfat_foundation::units::{Span, Time};

use super::Flavor;
use crate::transport::law::{
    AfterLoss, LawFacts, ModelRate, Progress, Regrowth, ResponseToMarks, Rounds, SlowStart, WindowLaw, WindowedMaximum,
};
use crate::transport::recovery::{RackTlp, RackTlpLinux, Recovery, Reduction, SackRfc6675};
use crate::transport::{Delivery, Window};

longfat_foundation::choice! {
    /// How losses are noticed and repaired, by selective acknowledgments in any case: the draft leaves it open. Rate and window alone limit
    /// what is sent, so neither reduces in proportion.
    pub enum RecoveryOfBbr {
        /// From how much has arrived beyond a segment.
        SackRfc6675 = "sack-rfc6675",
        /// From the time since a segment was sent.
        RackTlp = "rack-tlp",
        /// So too, with the states and the undoing of the Linux kernel.
        RackTlpLinux = "rack-tlp-linux",
    }
    absent SackRfc6675
}

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
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Bbr {
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(Law::new(self.equal_round_trips_refresh))
    }

    fn recovery(&self) -> &dyn Plan<dyn Recovery> {
        match self.recovery {
            RecoveryOfBbr::SackRfc6675 => &SackRfc6675 { reduction: Reduction::AtOnce },
            RecoveryOfBbr::RackTlp => RackTlp::without_reduction(),
            RecoveryOfBbr::RackTlpLinux => RackTlpLinux::without_reduction(),
        }
    }

    fn facts(&self) -> LawFacts {
        LawFacts {
            slow_start: SlowStart::Doubles,
            has_reno_response: false,
            marks: ResponseToMarks::None,
            observes_deliveries: true,
            is_paced: true,
            probes_round_trip: true,
            shrinks_without_loss: true,
        }
    }

    /// Losses do not reduce the window for long, and nothing sets a threshold.
    fn after_loss(&self, _segments: f64, _round_trip_s: f64) -> AfterLoss {
        AfterLoss { left: 1.0, left_after_timeout: 1.0, regrowth: Regrowth::NoSawTooth }
    }
}

/// `BBRHighGain`, 2 / ln 2: the smallest gain that doubles the rate in every round (section 4.3.2.1).
const HIGH_GAIN: f64 = 2.885_39;
/// Pacing gains of the phases of `ProbeBW` (section 4.3.4.1).
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// `cwnd_gain` in `ProbeBW`.
const WINDOW_GAIN: f64 = 2.0;
/// `BtlBwFilterLen`, in rounds (section 4.1.1.2).
const BANDWIDTH_ROUNDS: u64 = 10;
/// `RTpropFilterLen` and `ProbeRTTInterval` (sections 4.1.2.2 and 4.3.5).
const ROUND_TRIP_LIFETIME: Span = Span::from_microseconds(10_000_000);
/// `ProbeRTTDuration` (section 4.3.5).
const PROBE_DURATION: Span = Span::from_microseconds(200_000);
/// `BBRMinPipeCwnd`, in segments (section 4.2.3.3).
const LEAST_WINDOW: f64 = 4.0;
/// Rounds without this growth after which the pipe counts as full (section 4.3.2.2).
const FULL_ROUNDS: u32 = 3;
const FULL_GROWTH: f64 = 1.25;

/// The states of BBR (section 4.3).
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Startup,
    Drain,
    /// In a phase of the gain cycle since a time.
    ProbeBandwidth {
        phase: usize,
        since: Time,
    },
    /// Until a time that is set once the flight is small enough, and until a round has passed.
    ProbeRoundTrip {
        until: Option<Time>,
        round_is_over: bool,
    },
}

/// Sends at the delivery rate, and keeps about a bandwidth-delay product in flight.
struct Law {
    chance: Option<Stream>,
    equal_round_trips_refresh: bool,
    state: State,
    /// `BtlBw` in bytes per second.
    bandwidth: WindowedMaximum,
    /// `RTprop`, and the time of its sample.
    round_trip: Option<(Span, Time)>,
    rate: ModelRate,
    rounds: Rounds,
    pipe_is_full: bool,
    full_bandwidth: f64,
    full_rounds: u32,
    /// The last window that neither a loss nor `ProbeRTT` has changed (`prior_cwnd`).
    window_before: f64,
    repair: Repair,
    restarts_from_idle: bool,
}

/// The repair of losses (section 4.2.3.4).
#[derive(Clone, Copy, Debug, PartialEq)]
enum Repair {
    None,
    /// Duplicate acknowledgments have just shown a loss.
    Begins,
    /// Losses that duplicates have shown; in the first round packets are conserved.
    Losses {
        conserves: bool,
    },
    /// A timeout, until all data sent before it is acknowledged.
    Timeout {
        recovery_point: Option<u64>,
    },
}

impl Law {
    /// With `equal_round_trips_refresh`, a round trip equal to the minimum renews it.
    fn new(equal_round_trips_refresh: bool) -> Self {
        Self {
            chance: None,
            equal_round_trips_refresh,
            state: State::Startup,
            bandwidth: WindowedMaximum::new(BANDWIDTH_ROUNDS),
            round_trip: None,
            rate: ModelRate::new(HIGH_GAIN),
            rounds: Rounds::default(),
            pipe_is_full: false,
            full_bandwidth: 0.0,
            full_rounds: 0,
            window_before: 0.0,
            repair: Repair::None,
            restarts_from_idle: false,
        }
    }

    fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => HIGH_GAIN,
            State::Drain => 1.0 / HIGH_GAIN,
            State::ProbeBandwidth { phase, .. } => CYCLE[phase],
            State::ProbeRoundTrip { .. } => 1.0,
        }
    }

    fn window_gain(&self) -> f64 {
        match self.state {
            State::Startup | State::Drain => HIGH_GAIN,
            State::ProbeBandwidth { .. } => WINDOW_GAIN,
            State::ProbeRoundTrip { .. } => 1.0,
        }
    }

    /// `BBRInflight` of section 4.2.3.2: `gain` bandwidth-delay products, and three segments more.
    fn in_flight_for(&self, gain: f64, window: &Window) -> f64 {
        match self.round_trip {
            Some((round_trip, _)) => gain * self.bandwidth.get() * round_trip.as_seconds() + 3.0 * window.mss(),
            None => self.rate.initial_window(window),
        }
    }

    /// Packet-timed rounds (section 4.1.1.3), and the bandwidth (section 4.1.1.5).
    fn update_bandwidth(&mut self, delivery: &Delivery) {
        if self.rounds.note(delivery) && self.repair == (Repair::Losses { conserves: true }) {
            self.repair = Repair::Losses { conserves: false };
        }
        if let Some(rate) =
            delivery.rate.filter(|rate| *rate >= self.bandwidth.get() || !delivery.is_application_limited)
        {
            self.bandwidth.add(self.rounds.count, rate);
        }
    }

    /// Section 4.3.4.3.
    fn check_cycle(&mut self, window: &Window, delivery: &Delivery) {
        let State::ProbeBandwidth { phase, since } = self.state else { return };
        let has_lasted = self.round_trip.is_some_and(|(round_trip, _)| delivery.now - since > round_trip);
        #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
        let in_flight = delivery.standing.in_flight_before as f64;
        let gain = CYCLE[phase];
        let is_over = if gain > 1.0 {
            has_lasted && (delivery.standing.lost > 0 || in_flight >= self.in_flight_for(gain, window))
        } else {
            has_lasted || (gain < 1.0 && in_flight <= self.in_flight_for(1.0, window))
        };
        if is_over {
            self.state = State::ProbeBandwidth { phase: (phase + 1) % CYCLE.len(), since: delivery.now };
        }
    }

    /// Begins with any phase but the one that drains (section 4.3.4.2).
    fn probe_bandwidth(&mut self, now: Time) {
        const PHASES: [usize; 7] = [0, 2, 3, 4, 5, 6, 7];
        let word = self.chance.as_mut().map_or(0, Stream::draw);
        #[expect(clippy::cast_possible_truncation, reason = "below seven")]
        let phase = PHASES[((u128::from(word) * PHASES.len() as u128) >> 64) as usize];
        self.state = State::ProbeBandwidth { phase, since: now };
    }

    /// Section 4.3.2.2.
    fn check_full_pipe(&mut self, window: &mut Window, delivery: &Delivery) {
        if self.pipe_is_full || !self.rounds.starts || delivery.is_application_limited {
            return;
        }
        let bandwidth = self.bandwidth.get();
        if bandwidth >= self.full_bandwidth * FULL_GROWTH {
            (self.full_bandwidth, self.full_rounds) = (bandwidth, 0);
            return;
        }
        self.full_rounds += 1;
        if self.full_rounds >= FULL_ROUNDS {
            self.pipe_is_full = true;
            // BBR has no threshold; this one says that Startup, its slow start, is over.
            window.ssthresh = 2.0 * window.mss();
        }
    }

    /// Section 4.3.3.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn check_drain(&mut self, window: &Window, delivery: &Delivery) {
        if self.state == State::Startup && self.pipe_is_full {
            self.state = State::Drain;
        }
        let in_flight = delivery.standing.in_flight as f64;
        if self.state == State::Drain && in_flight <= self.in_flight_for(1.0, window) {
            self.probe_bandwidth(delivery.now);
        }
    }

    /// Records a round trip (section 4.1.2.3); returns whether the minimum had expired.
    fn update_round_trip(&mut self, delivery: &Delivery) -> bool {
        let is_old = self.round_trip.is_some_and(|(_, stamp)| delivery.now > stamp + ROUND_TRIP_LIFETIME);
        if let Some(sample) = delivery.round_trip {
            let is_better = self.round_trip.is_none_or(|(shortest, _)| {
                sample < shortest || (sample == shortest && self.equal_round_trips_refresh)
            });
            if is_better || is_old {
                self.round_trip = Some((sample, delivery.now));
            }
        }
        is_old
    }

    /// Section 4.3.5.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn check_probe_of_round_trip(&mut self, window: &mut Window, delivery: &Delivery, is_old: bool) {
        let is_probing = matches!(self.state, State::ProbeRoundTrip { .. });
        if !is_probing && is_old && !self.restarts_from_idle {
            self.save_window(window);
            self.state = State::ProbeRoundTrip { until: None, round_is_over: false };
        }
        if let State::ProbeRoundTrip { until, round_is_over } = &mut self.state {
            if let Some(until) = *until {
                *round_is_over |= self.rounds.starts;
                if *round_is_over && delivery.now > until {
                    self.end_probe_of_round_trip(window, delivery.now);
                }
            } else if delivery.standing.in_flight as f64 <= LEAST_WINDOW * window.mss() {
                (*until, *round_is_over) = (Some(delivery.now + PROBE_DURATION), false);
                self.rounds.begin(delivery.total);
            }
        }
        if delivery.bytes > 0 {
            self.restarts_from_idle = false;
        }
    }

    fn end_probe_of_round_trip(&mut self, window: &mut Window, now: Time) {
        if let Some((_, stamp)) = &mut self.round_trip {
            *stamp = now;
        }
        window.set(window.cwnd.max(self.window_before));
        if self.pipe_is_full {
            self.probe_bandwidth(now);
        } else {
            self.state = State::Startup;
        }
    }

    /// Section 4.2.1: initially by the initial window, and no slower before the pipe is full.
    fn set_pacing_rate(&mut self, gain: f64) {
        let round_trip = self.round_trip.map(|(round_trip, _)| round_trip);
        self.rate.set(gain * self.bandwidth.get(), round_trip, self.pipe_is_full);
    }

    /// Sections 4.2.3.4 to 4.2.3.6.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn set_window(&mut self, window: &mut Window, delivery: &Delivery) {
        let (target, delivered) = (self.in_flight_for(self.window_gain(), window), delivery.bytes as f64);
        let initial = self.rate.initial_window(window);
        self.modulate_for_repair(window, delivery);
        if self.repair != (Repair::Losses { conserves: true }) {
            if self.pipe_is_full {
                window.set((window.cwnd + delivered).min(target));
            } else if window.cwnd < target || (delivery.total as f64) < initial {
                window.grow(delivered);
            }
            window.set(window.cwnd.max(LEAST_WINDOW * window.mss()));
        }
        if matches!(self.state, State::ProbeRoundTrip { .. }) {
            window.cwnd = window.cwnd.min(LEAST_WINDOW * window.mss());
        }
    }

    /// Section 4.2.3.4.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn modulate_for_repair(&mut self, window: &mut Window, delivery: &Delivery) {
        let (in_flight, delivered) = (delivery.standing.in_flight as f64, delivery.bytes as f64);
        match self.repair {
            Repair::Begins => {
                window.set(in_flight + delivered.max(window.mss()));
                self.rounds.begin(delivery.total);
                self.repair = Repair::Losses { conserves: true };
            }
            Repair::Losses { conserves } => {
                window.cwnd = (window.cwnd - delivery.standing.lost as f64).max(window.mss());
                if conserves {
                    window.set(window.cwnd.max(in_flight + delivered));
                }
            }
            Repair::None | Repair::Timeout { .. } => {}
        }
    }

    /// Restores the window when all losses are repaired.
    fn check_repair(&mut self, window: &mut Window, delivery: &Delivery) {
        let standing = &delivery.standing;
        let is_over = match &mut self.repair {
            Repair::None | Repair::Begins => false,
            Repair::Losses { .. } => !standing.is_recovering,
            Repair::Timeout { recovery_point } => {
                standing.unacknowledged >= *recovery_point.get_or_insert(standing.highest)
            }
        };
        if is_over {
            self.repair = Repair::None;
            window.set(window.cwnd.max(self.window_before));
        }
    }

    /// `BBRSaveCwnd` of section 4.2.3.4.
    fn save_window(&mut self, window: &Window) {
        let is_unchanged = self.repair == Repair::None && !matches!(self.state, State::ProbeRoundTrip { .. });
        self.window_before = if is_unchanged { window.cwnd } else { self.window_before.max(window.cwnd) };
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
        Some(self.rate.get(window, self.round_trip.map(|(round_trip, _)| round_trip)))
    }

    /// Section 4.2.1: the initial rate uses the round trip of the handshake.
    fn on_opened(&mut self, now: Time, round_trip: Span) {
        self.round_trip = Some((round_trip, now));
    }

    /// Section 4.3.4.4: a restart uses the known bandwidth.
    fn forgets_when_idle(&self) -> bool {
        false
    }

    /// Section 3.5.2: updates the model, then rate and window.
    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        self.update_bandwidth(delivery);
        self.check_cycle(window, delivery);
        self.check_full_pipe(window, delivery);
        self.check_drain(window, delivery);
        let is_old = self.update_round_trip(delivery);
        self.check_probe_of_round_trip(window, delivery, is_old);
        self.check_repair(window, delivery);
        self.set_pacing_rate(self.pacing_gain());
        self.set_window(window, delivery);
    }

    fn sends_less_than_it_could(&self) -> bool {
        matches!(self.state, State::ProbeRoundTrip { .. })
    }

    /// Section 4.3.4.4.
    fn on_restart_from_idle(&mut self, _now: Time) {
        self.restarts_from_idle = true;
        if matches!(self.state, State::ProbeBandwidth { .. }) {
            self.set_pacing_rate(1.0);
        }
    }

    fn on_acknowledgment(&mut self, _window: &mut Window, _progress: &Progress) {}

    fn on_loss(&mut self, window: &mut Window, _flight: u64) {
        self.save_window(window);
        self.repair = Repair::Begins;
    }

    fn on_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_timeout(&mut self, window: &mut Window, _flight: u64) {
        self.save_window(window);
        self.repair = Repair::Timeout { recovery_point: None };
        window.collapse();
    }
}

#[cfg(test)]
mod steps;
