//! CUBIC as the module of Linux 6.12 computes it (net/ipv4/tcp_cubic.c): in whole segments and jiffies. Names in code font are the module's.
//!
//! Against RFC 9438: the target is truncated to whole segments, so that the window reaches the maximum before K; growth is one segment for
//! `cnt` acknowledged ones, which is computed anew at most once in a jiffy; before the first loss and after a timeout it is a twentieth per
//! round trip at least; the least round trip is looked ahead, not the smoothed one.

use longfat_foundation::units::{Span, Time};

use super::{Cubic, Inhibition, SlowStartExit};
use crate::transport::Window;
use crate::transport::law::{
    Arrivals, HyStart, HybridStart, JIFFIES_PER_SECOND, Progress, WindowLaw, jiffies, jiffies_in, microseconds,
};

/// Denominator of `beta` (`BICTCP_BETA_SCALE`).
const BETA_SCALE: u64 = 1024;
/// Binary digits of the fraction of a second in which the function counts time (`BICTCP_HZ`).
const TIME_BITS: u32 = 10;
/// Largest `cnt` before the first loss: the window grows by a twentieth in a round trip.
const MOST_PERIOD_AT_FIRST: u64 = 20;
/// Least `cnt`: the window grows by half in a round trip.
const LEAST_PERIOD: u64 = 2;
/// After a loss, round trips are not taken for so many jiffies.
const DISCARDED: u64 = JIFFIES_PER_SECOND;

/// Parameters as scaled integers.
#[derive(Clone, Copy, Debug)]
struct Scaled {
    /// beta in 1024ths.
    beta: u64,
    /// C in 10240ths of a segment per cubic second (`cube_rtt_scale`).
    c: u64,
    /// Segments in eighths that Reno's estimate waits for, per segment of the window (`beta_scale`).
    friendliness: u64,
}

/// Share of the window that a loss leaves: `beta` rounded to 1024ths. Windows are whole segments, rounded down.
pub(super) fn share_left(beta: f64) -> f64 {
    (beta * BETA_SCALE as f64).round() / BETA_SCALE as f64
}

impl Scaled {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "parameters are positive")]
    fn of(settings: &Cubic) -> Self {
        let beta = (share_left(settings.beta.0) * BETA_SCALE as f64) as u64;
        let c = 10 * (settings.c.0 * BETA_SCALE as f64 / 10.0).round() as u64;
        Self { beta, c: c.max(1), friendliness: 8 * (BETA_SCALE + beta) / 3 / (BETA_SCALE - beta).max(1) }
    }
}

/// Growth as a cubic function of time since a reduction (`struct bictcp`), windows in segments.
pub(super) struct Law {
    settings: Cubic,
    inhibition: Option<Inhibition>,
    scaled: Scaled,
    /// The window at the latest reduction (`last_max_cwnd`); 0 before the first, and after a timeout.
    maximum: u64,
    /// The window for which `period` was computed, and the jiffy (`last_cwnd`, `last_time`).
    computed_for: u64,
    computed_at: u64,
    /// Segments acknowledged for one of growth (`cnt`).
    period: u64,
    /// The jiffy at which growth began (`epoch_start`).
    began: Option<u64>,
    /// The window at which the function is flat (`bic_origin_point`), and the time until then in 1024ths of a second (`bic_K`).
    origin: u64,
    until_origin: u64,
    /// Reno's estimate of the window (`tcp_cwnd`), and segments acknowledged since it has grown (`ack_cnt`).
    reno: u64,
    acknowledged: u64,
    /// Least round trip (`delay_min`).
    shortest: Option<Span>,
    hybrid_start: Option<HybridStart>,
    hystart: Option<HyStart>,
    /// The latest acknowledgment.
    latest: Arrivals,
}

impl Law {
    pub fn new(settings: Cubic, inhibition: Option<Inhibition>) -> Self {
        Self {
            inhibition,
            scaled: Scaled::of(&settings),
            maximum: 0,
            computed_for: 0,
            computed_at: 0,
            period: 0,
            began: None,
            origin: 0,
            until_origin: 0,
            reno: 0,
            acknowledged: 0,
            shortest: None,
            hybrid_start: (settings.slow_start_exit == SlowStartExit::TrainOrDelay).then(HybridStart::default),
            hystart: (settings.slow_start_exit == SlowStartExit::Delay).then(HyStart::default),
            latest: Arrivals::default(),
            settings,
        }
    }

    /// Begins growth with this window.
    fn begin(&mut self, now: u64, window: u64, acknowledged: u64) -> u64 {
        (self.acknowledged, self.reno) = (acknowledged, window);
        self.origin = self.maximum.max(window);
        let distance = u128::from(self.origin - window) << (10 + 3 * TIME_BITS);
        // The module's table has an error of 0.2 % on average; this has none.
        self.until_origin = cube_root(distance / u128::from(self.scaled.c));
        if let Some(inhibition) = self.inhibition.filter(|inhibition| inhibition.holds(self.latest.now)) {
            self.until_origin = inhibition.shortened(self.until_origin);
        }
        *self.began.insert(now)
    }

    /// The function where the least round trip ahead of `now` (`bic_target`).
    fn target(&self, now: u64, began: u64) -> u64 {
        let ahead = self.shortest.map_or(0, |shortest| jiffies_in(microseconds(shortest)));
        let elapsed = ((now.saturating_sub(began) + ahead) << TIME_BITS) / JIFFIES_PER_SECOND;
        let offset = u128::from(elapsed.abs_diff(self.until_origin));
        let distance = (u128::from(self.scaled.c) * offset * offset * offset) >> (10 + 3 * TIME_BITS);
        let distance = u64::try_from(distance).unwrap_or(u64::MAX);
        if elapsed < self.until_origin {
            self.origin.saturating_sub(distance)
        } else {
            self.origin.saturating_add(distance)
        }
    }

    /// Computes `period` for an acknowledgment of so many segments (`bictcp_update`).
    fn update(&mut self, now: u64, window: u64, acknowledged: u64) {
        self.acknowledged += acknowledged;
        if self.computed_for == window && now - self.computed_at <= JIFFIES_PER_SECOND / 32 {
            return;
        }
        if self.began.is_none() || now != self.computed_at {
            (self.computed_for, self.computed_at) = (window, now);
            let began = self.began.unwrap_or_else(|| self.begin(now, window, acknowledged));
            let target = self.target(now, began);
            self.period = if target > window { window / (target - window) } else { 100 * window };
            if self.maximum == 0 {
                self.period = self.period.min(MOST_PERIOD_AT_FIRST);
            }
        }
        self.befriend_reno(window);
        self.period = self.period.max(LEAST_PERIOD);
    }

    /// Lets growth be no slower than Reno's with the same mean window.
    fn befriend_reno(&mut self, window: u64) {
        let wait = ((window * self.scaled.friendliness) >> 3).max(1);
        let grown = self.acknowledged.saturating_sub(1) / wait;
        self.acknowledged -= grown * wait;
        self.reno += grown;
        if self.reno > window {
            self.period = self.period.min(window / (self.reno - window));
        }
    }

    /// The threshold after a loss, in segments (`bictcp_recalc_ssthresh`).
    fn threshold(&mut self, window: &Window) -> u64 {
        let segments = window.segments();
        self.began = None;
        self.hystart = None;
        let gives_way = self.settings.fast_convergence && segments < self.maximum;
        self.maximum = if gives_way { segments * (BETA_SCALE + self.scaled.beta) / (2 * BETA_SCALE) } else { segments };
        segments * self.scaled.beta / BETA_SCALE
    }

    fn reduce(&mut self, window: &mut Window) {
        let threshold = self.threshold(window);
        window.reduce_to(threshold);
    }
}

impl WindowLaw for Law {
    fn observes_arrivals(&self) -> bool {
        true
    }

    /// `cubictcp_acked`.
    fn on_arrivals(&mut self, window: &mut Window, arrivals: &Arrivals) {
        self.latest = *arrivals;
        let Some(sample) = arrivals.round_trip else { return };
        if self.began.is_some_and(|began| jiffies(arrivals.now).saturating_sub(began) < DISCARDED) {
            return;
        }
        let shortest = self.shortest.map_or(sample, |shortest| shortest.min(sample));
        self.shortest = Some(shortest);
        if let Some(start) = self.hybrid_start.as_mut().filter(|_| window.in_slow_start()) {
            start.note(window, arrivals, sample, shortest);
        }
    }

    /// `cubictcp_cong_avoid`.
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if !progress.window_is_used {
            return;
        }
        let mut acknowledged = window.in_segments(progress.acknowledged);
        if window.in_slow_start() {
            if let Some(hystart) = &mut self.hystart {
                if hystart.ends_slow_start(window, progress) {
                    window.ssthresh = window.cwnd;
                    self.hystart = None;
                }
                return;
            }
            acknowledged = window.start_slowly(acknowledged);
            if acknowledged == 0 {
                return;
            }
        }
        self.update(jiffies(progress.now), window.segments(), acknowledged);
        window.add_one_per(self.period, acknowledged);
    }

    /// A pause does not count as time of growth (`cubictcp_cwnd_event`).
    fn on_restart_from_idle(&mut self, now: Time) {
        let now = jiffies(now);
        let pause = now - jiffies(self.latest.now);
        self.began = self.began.map(|began| (began + pause).min(now));
    }

    fn on_loss(&mut self, window: &mut Window, _flight: u64) {
        self.reduce(window);
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    /// `bictcp_recalc_ssthresh`, then `bictcp_reset` (`cubictcp_state`). Time is that of the latest acknowledgment.
    fn on_timeout(&mut self, window: &mut Window, _flight: u64) {
        let segments = self.threshold(window);
        window.time_out_to(segments);
        let (settings, inhibition, latest) = (self.settings.clone(), self.inhibition, self.latest);
        if inhibition.is_some_and(|inhibition| inhibition.holds(latest.now)) {
            return;
        }
        *self = Self { latest, ..Self::new(settings, inhibition) };
        self.hystart = None;
        self.hybrid_start.iter_mut().for_each(|start| start.begin_anew(&latest));
    }
}

/// The largest integer whose cube is no larger than `number`, by Newton's method from above.
fn cube_root(number: u128) -> u64 {
    if number == 0 {
        return 0;
    }
    let mut root = 1u128 << (u128::BITS - number.leading_zeros()).div_ceil(3);
    loop {
        let next = (2 * root + number / (root * root)) / 3;
        if next >= root {
            return u64::try_from(root).unwrap_or(u64::MAX);
        }
        root = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::law::test_support::Module;

    fn module(segments: u64) -> Module {
        Module::of("cubic", "", segments)
    }

    #[test]
    fn the_root_of_a_cube_is_its_side_and_of_less_one_less() {
        for side in [1u64, 2, 3, 10, 1360, 100_000] {
            let cube = u128::from(side).pow(3);
            assert_eq!((cube_root(cube), cube_root(cube - 1)), (side, side - 1));
        }
        assert_eq!(cube_root(0), 0);
    }

    /// `bic_scale` 41, `beta` 717, `beta_scale` 15.
    #[test]
    fn the_parameters_are_the_modules() {
        let scaled = Scaled::of(&crate::transport::law::with_defaults());
        assert_eq!((scaled.beta, scaled.c, scaled.friendliness), (717, 410, 15));
    }

    /// 100 * 717 / 1024 = 70.02; a window of 80 that did not reach 100 counts for 80 * 1741 / 2048 = 68.
    #[test]
    fn a_loss_leaves_seven_tenths_in_whole_segments() {
        let mut module = module(100);
        assert_eq!(module.lose(), 70);
        module.window.set_segments(80);
        assert_eq!(module.lose(), 56);
        module.window.set_segments(1);
        assert_eq!(module.lose(), 2);
    }

    /// By hand: cbrt(30 * 2^40 / 410) = 4316 1024ths, 4.215 s. After 2.86 s the target is 99, after 4.22 - 1.36 s and a round trip 100: the
    /// distance is less than a segment.
    #[test]
    fn the_window_reaches_the_maximum_before_the_function_does() {
        let mut law = Law::new(crate::transport::law::with_defaults(), None);
        law.maximum = 100;
        let began = law.begin(1000, 70, 1);
        assert_eq!((law.origin, law.until_origin), (100, 4316));
        assert_eq!(law.target(began + 700, began), 99);
        assert_eq!(law.target(began + 716, began), 100);
        assert_eq!(law.target(began + 1390, began), 100);
        assert_eq!(law.target(began + 1394, began), 101);
    }

    /// One segment for 20 acknowledged ones: of 100 segments, five.
    #[test]
    fn before_a_loss_the_window_grows_by_a_twentieth_at_least() {
        let mut module = module(100);
        (0..100).for_each(|_| module.acknowledge(1, 40_000));
        assert_eq!(module.window.segments(), 105);
    }

    /// With 70 segments after a loss, Reno's estimate waits for 70 * 15 / 8 = 131 segments.
    #[test]
    fn growth_is_no_slower_than_renos() {
        let mut law = Law::new(crate::transport::law::with_defaults(), None);
        (law.maximum, law.acknowledged) = (100, 0);
        law.begin(1000, 70, 263);
        law.period = 7000;
        law.befriend_reno(70);
        assert_eq!((law.reno, law.acknowledged, law.period), (72, 1, 35));
    }

    #[test]
    fn a_timeout_forgets_the_maximum() {
        let mut module = module(100);
        assert_eq!(module.time_out(), 70);
        module.window.set_segments(80);
        module.window.set_threshold_segments(70);
        (0..80).for_each(|_| module.acknowledge(1, 40_000));
        assert_eq!(module.window.segments(), 84, "a twentieth, as before the first loss");
    }
}
