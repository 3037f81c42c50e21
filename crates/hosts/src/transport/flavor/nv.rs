//! TCP-NV (Brakmo 2010, "TCP-NV: an update to TCP Vegas"), as the module of Linux 6.12 has it (net/ipv4/tcp_nv.c); names in code font are the module's.

use longfat_foundation::config::{AtLeastOne, Fraction, PositiveSpan};
use longfat_foundation::random::Stream;
use longfat_foundation::registry::{Chosen, Plan};
use longfat_foundation::units::{Span, Time};

use super::Flavor;
use crate::transport::Window;
use crate::transport::law::{
    AfterLoss, Arrivals, LawFacts, Phase, Progress, Regrowth, ResponseToMarks, SlowStart, WindowLaw, jiffies,
    jiffies_in, microseconds,
};
use crate::transport::recovery::Recovery;

longfat_foundation::model! {
    /// TCP-NV ("New Vegas"): the window follows the rate at which data was delivered times the shortest round trip of the last seconds, and a few
    /// segments more. It judges only when it has enough samples, so that bursts do not mislead it; with fewer it does not change the window.
    /// It counts in whole segments.
    #[name = "nv"]
    #[source = "Linux 6.12, net/ipv4/tcp_nv.c; Brakmo 2010"]
    pub struct Nv: dyn Flavor {
        /// How losses are detected and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// Segments that may wait in queues (`nv_pad`).
        most_waiting: AtLeastOne = "10",
        /// Segments below the largest window from which on it no longer grows (`nv_pad_buffer`).
        margin: u64 = "2",
        /// The mean time after which the shortest round trip is that since the time before (`nv_reset_period`); chance makes it up to a quarter
        /// shorter or longer.
        memory: PositiveSpan = "5 s",
        /// The share of what is too much that a decision takes (`nv_cong_dec_mult`).
        decrease: Fraction = "0.3",
        /// The weight of a sample in the mean round trip (`nv_rtt_factor`).
        smoothing: Fraction = "0.5",
        /// The share of the window that remains after a loss (`nv_loss_dec_factor`).
        share_after_loss: Fraction = "0.8",
        /// Samples for a decision that the window grows (`nv_inc_eval_min_calls`).
        samples_to_grow: AtLeastOne = "20",
        /// Samples for a decision that ends the first slow start (`nv_ssthresh_eval_min_calls`).
        samples_to_end_slow_start: AtLeastOne = "30",
        /// Samples for any other decision that the window shrinks (`nv_dec_eval_min_calls`).
        samples_to_shrink: AtLeastOne = "60",
        /// Round trips since the latest decision for one that the window shrinks (`nv_rtt_min_cnt`).
        rounds_to_shrink: AtLeastOne = "2",
        /// Round trips without a decision after which a window that is too large stops to grow (`nv_stop_rtt_cnt`).
        rounds_to_stop: AtLeastOne = "10",
        /// Decisions to grow after a timeout for growth to be twice as fast, up to Reno's (`nv_cwnd_growth_rate_neg`); each timeout makes it half as
        /// fast.
        decisions_to_double: AtLeastOne = "8",
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Nv {
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(Law::new(self.clone()))
    }

    fn recovery(&self) -> &dyn Plan<dyn Recovery> {
        &*self.recovery
    }

    fn facts(&self) -> LawFacts {
        LawFacts {
            // A window that doubles is twice what was delivered a round trip ago: too much, once there are samples enough.
            slow_start: SlowStart::Slower,
            ends_slow_start: true,
            has_reno_response: false,
            marks: ResponseToMarks::AsLoss,
            observes_deliveries: false,
            is_paced: false,
            leaves_pipe_idle: false,
            shrinks_without_loss: true,
        }
    }

    /// Queueing delays keep the window from the saw-tooth of losses.
    fn after_loss(&self, _segments: f64, _round_trip_s: f64) -> AfterLoss {
        AfterLoss {
            left: self.share_after_loss.0,
            left_after_timeout: self.share_after_loss.0,
            regrowth: Regrowth::NoSawTooth,
        }
    }
}

/// Denominators of the scaled parameters.
const LOSS_SCALE: u64 = 1024;
const DECREASE_SCALE: u64 = 128;
const SMOOTHING_SCALE: u64 = 256;
/// Rates are in hundreds of bits per second: bytes in a microsecond are 80,000.
const RATE_SCALE: u64 = 80_000;
/// Until the first renewal of the shortest round trip.
const FIRST_MEMORY: Span = Span::from_microseconds(2_000_000);
/// Windows that may be too small for more than one acknowledgment in a round trip: the least (`NV_MIN_CWND`), the step, and the largest.
const LEAST_SMALL: u64 = 4;
const SMALL_STEP: u64 = 2;
const MOST_SMALL: u64 = 81;
/// Fewest segments that a decision leaves (`nv_min_cwnd`).
const LEAST_WINDOW: u64 = 2;
/// Largest number of times that timeouts halve growth.
const MOST_HALVINGS: u32 = 8;
/// Largest count of samples and of round trips.
const MOST_COUNTED: u64 = 255;

/// A parameter as a scaled integer, rounded down.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "parameters are shares"
)]
fn scaled(parameter: f64, scale: u64) -> u64 {
    (parameter * scale as f64) as u64
}

/// A window judged by the largest rate of delivery since the latest decision.
struct Law {
    settings: Nv,
    /// Whether the window may grow (`nv_allow_cwnd_growth`), and how often timeouts have halved growth (`cwnd_growth_factor`).
    may_grow: bool,
    halvings: u32,
    /// Decisions to grow in a row (`nv_no_cong_cnt`).
    grown: u64,
    /// Whether everything measured is forgotten once nothing is missing (`nv_reset`).
    is_stale: bool,
    /// Samples and round trips since the latest decision (`nv_eval_call_cnt`, `nv_rtt_cnt`).
    samples: u64,
    rounds: u64,
    /// Round trips in microseconds: the mean (`nv_last_rtt`), and the shortest at present and for the future (`nv_min_rtt`, `nv_min_rtt_new`).
    mean: Option<u64>,
    shortest: u64,
    next_shortest: u64,
    /// The jiffy of the next renewal of the shortest round trip.
    renewal: Option<u64>,
    /// Largest rate since the latest decision, in hundreds of bits per second (`nv_rtt_max_rate`).
    fastest: u64,
    /// The end of the round (`nv_rtt_start_seq`), and what was acknowledged before.
    round_end: u64,
    edge: u64,
    /// The window that may be too small (`ca->nv_min_cwnd`).
    small: u64,
    chance: Option<Stream>,
}

impl Law {
    fn new(settings: Nv) -> Self {
        Self {
            settings,
            may_grow: true,
            halvings: 0,
            grown: 0,
            is_stale: false,
            samples: 0,
            rounds: 0,
            mean: None,
            shortest: u64::MAX,
            next_shortest: u64::MAX,
            renewal: None,
            fastest: 0,
            round_end: 0,
            edge: 0,
            small: LEAST_SMALL,
            chance: None,
        }
    }

    /// `tcpnv_reset`.
    fn forget(&mut self, edge: u64) {
        self.is_stale = false;
        (self.grown, self.rounds, self.samples, self.fastest) = (0, 0, 0, 0);
        self.mean = None;
        (self.round_end, self.edge) = (edge, edge);
    }

    /// Takes a round trip into the mean and the shortest.
    fn note_round_trip(&mut self, now: Time, us: u64) -> u64 {
        let weight = scaled(self.settings.smoothing.0, SMOOTHING_SCALE);
        let mean = match self.mean {
            Some(mean) => (us * weight + mean * (SMOOTHING_SCALE - weight)) / SMOOTHING_SCALE,
            None => us,
        };
        self.mean = Some(mean).filter(|mean| *mean > 0);
        self.shortest = self.shortest.min(mean);
        self.next_shortest = self.next_shortest.min(mean);
        self.renew(jiffies(now));
        mean
    }

    /// Renews the shortest round trip from time to time.
    fn renew(&mut self, now: u64) {
        let renewal = *self.renewal.get_or_insert(now + jiffies_in(microseconds(FIRST_MEMORY)));
        if now < renewal {
            return;
        }
        self.shortest = std::mem::replace(&mut self.next_shortest, u64::MAX);
        let byte = self.chance.as_mut().map_or(128, |chance| chance.draw() & 0xff);
        let memory = jiffies_in(microseconds(self.settings.memory.0));
        self.renewal = Some(now + ((memory * (384 + byte)) >> 9));
        self.small = (self.small / 2).max(LEAST_SMALL);
    }

    /// The window for the largest rate, and what may wait.
    fn largest(&self, window: &Window) -> u64 {
        let mss = window.in_bytes(1);
        let segments = u128::from(self.fastest) * u128::from(self.shortest) / u128::from(RATE_SCALE * mss);
        u64::try_from(segments).unwrap_or(u64::MAX).saturating_add(self.settings.most_waiting.0)
    }

    /// Judges the window once in a round trip.
    fn judge(&mut self, window: &mut Window) {
        let (segments, largest) = (window.segments(), self.largest(window));
        let has_decided = if segments > largest {
            self.may_shrink(window) && self.shrink(window, largest)
        } else {
            segments <= largest.saturating_sub(self.settings.margin) && self.decide_to_grow()
        };
        if has_decided {
            (self.samples, self.rounds, self.fastest) = (0, 0, 0);
            window.set_segments(window.segments().max(LEAST_WINDOW));
        }
    }

    /// Whether there are enough samples for a decision that the window shrinks.
    fn may_shrink(&mut self, window: &Window) -> bool {
        if self.rounds < self.settings.rounds_to_shrink.0 {
            return false;
        }
        if window.ssthresh.is_infinite() {
            return self.samples >= self.settings.samples_to_end_slow_start.0;
        }
        let has_samples = self.samples >= self.settings.samples_to_shrink.0;
        self.may_grow &= has_samples || self.rounds <= self.settings.rounds_to_stop.0;
        has_samples
    }

    fn shrink(&mut self, window: &mut Window, largest: u64) -> bool {
        (self.may_grow, self.grown) = (false, 0);
        window.set_threshold_segments(largest);
        let segments = window.segments();
        let (excess, decrease) = (segments - largest, scaled(self.settings.decrease.0, DECREASE_SCALE));
        if excess > 2 {
            window.set_segments(segments.saturating_sub((excess * decrease / DECREASE_SCALE).max(2)));
        } else if decrease > 0 {
            window.set_segments(largest);
        }
        true
    }

    fn decide_to_grow(&mut self) -> bool {
        if self.samples < self.settings.samples_to_grow.0 {
            return false;
        }
        self.may_grow = true;
        self.grown += 1;
        if self.halvings > 0 && self.grown > self.settings.decisions_to_double.0 {
            self.halvings -= 1;
            self.grown = 0;
        }
        true
    }

    /// Whether the round had one acknowledgment only, since the window is too small; then it may grow.
    fn is_too_small(&mut self, window: &Window, acknowledged: u64, highest: u64) -> bool {
        let is_small = self.samples == 1 && acknowledged >= window.in_bytes(self.small - 1) && self.small < MOST_SMALL;
        if is_small {
            self.small = (self.small + SMALL_STEP).min(MOST_SMALL);
            self.round_end = highest + window.in_bytes(self.small);
            (self.samples, self.may_grow) = (0, true);
        }
        is_small
    }

    /// The share of the window that a loss leaves; the window does not grow before the next decision.
    #[expect(clippy::cast_precision_loss, reason = "less than 2^53")]
    fn share_after_loss(&mut self) -> f64 {
        (self.is_stale, self.may_grow) = (true, false);
        scaled(self.settings.share_after_loss.0, LOSS_SCALE) as f64 / LOSS_SCALE as f64
    }
}

impl WindowLaw for Law {
    fn observes_arrivals(&self) -> bool {
        true
    }

    fn counts_delivered(&self) -> bool {
        true
    }

    /// `tcpnv_acked`.
    fn on_arrivals(&mut self, window: &mut Window, arrivals: &Arrivals) {
        let Some(us) = arrivals.round_trip.map(microseconds) else { return };
        if !matches!(arrivals.phase, Phase::Open | Phase::Disorder) {
            return;
        }
        let acknowledged = arrivals.unacknowledged - self.edge;
        self.edge = arrivals.unacknowledged;
        if arrivals.delivered_since == 0 {
            return;
        }
        if self.mean.is_none() {
            self.shortest = 2 * us;
        }
        let mean = self.note_round_trip(arrivals.now, us);
        self.fastest = self.fastest.max(arrivals.delivered_since * RATE_SCALE / mean.max(1));
        self.samples = (self.samples + 1).min(MOST_COUNTED);
        if self.round_end < arrivals.unacknowledged {
            self.round_end = arrivals.highest;
            self.rounds = (self.rounds + 1).min(MOST_COUNTED);
            if !self.is_too_small(window, acknowledged, arrivals.highest) {
                self.judge(window);
            }
        }
    }

    /// `tcpnv_cong_avoid`.
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if self.is_stale && progress.phase == Phase::Open {
            self.forget(progress.unacknowledged);
        }
        if !self.may_grow || !(progress.window_is_used || window.grows_unused()) {
            return;
        }
        let mut acknowledged = window.in_segments(progress.acknowledged);
        if window.in_slow_start() {
            acknowledged = window.start_slowly(acknowledged);
        }
        if acknowledged > 0 {
            window.add_one_per((window.segments() << self.halvings).max(LEAST_SMALL), acknowledged);
        }
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        let share = self.share_after_loss();
        window.reduce(share, flight);
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        let share = self.share_after_loss();
        window.reduce_threshold_at_timeout(share, flight);
        window.collapse();
        self.halvings = (self.halvings + 1).min(MOST_HALVINGS);
    }

    fn on_opened(&mut self, now: Time, _round_trip: Span) {
        self.renewal = Some(jiffies(now) + jiffies_in(microseconds(FIRST_MEMORY)));
    }

    fn take_chance(&mut self, chance: &mut dyn FnMut() -> Stream) {
        self.chance = Some(chance());
    }
}

#[cfg(test)]
mod steps;
