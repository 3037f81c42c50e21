//! CUBIC. Section numbers and names in code font are those of RFC 9438.

mod inhibition;
mod kernel;

pub(super) use inhibition::Inhibition;
use longfat_foundation::config::{Fraction, PositiveNumber};
use longfat_foundation::registry::{Chosen, Plan};
use longfat_foundation::units::{PICOSECONDS_PER_SECOND, Span, Time};

use super::Flavor;
use crate::transport::Window;
use crate::transport::law::{
    AfterLoss, Arithmetic, Arrivals, HyStart, HybridStart, LawFacts, Progress, Regrowth, ResponseToMarks, SlowStart,
    WindowLaw,
};
use crate::transport::recovery::Recovery;

longfat_foundation::choice! {
    /// When the first slow start ends.
    pub enum SlowStartExit {
        /// At the threshold, or at a loss.
        Loss = "loss",
        /// Also when round trips become longer, after a phase of slower growth (RFC 9406). It measures a round trip with every
        /// acknowledgment, and so needs `timestamps`.
        Delay = "hystart++",
        /// Also when acknowledgments have followed each other for half of the least round trip, or round trips are longer by an eighth
        /// (HyStart, Ha and Rhee 2011), as in Linux.
        TrainOrDelay = "hystart",
    }
}

longfat_foundation::model! {
    /// The window grows as a cubic function of the time since the last reduction: fast at first, slowly near the window at which that
    /// reduction happened, then fast again. Growth does not depend on the round trip, but is on average never slower than Reno's. A loss
    /// reduces the window by 30 %.
    #[name = "cubic"]
    #[source = "RFC 9438"]
    pub struct Cubic: dyn Flavor {
        /// How losses are detected and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// C, in segments per cubic second.
        c: PositiveNumber = "0.4",
        /// The share of the window that remains after a loss (beta).
        beta: Fraction = "0.7",
        /// Whether the maximum is reduced further if the window did not reach the previous one (fast convergence; RFC 9438 section 4.7).
        fast_convergence: bool = "true" or ["false"],
        /// When the first slow start ends.
        slow_start_exit: SlowStartExit = "loss" or ["hystart++", "hystart"],
        /// How the law computes: in real numbers as in the RFC, or in whole segments as the module of the Linux kernel does.
        arithmetic: Arithmetic = "real" or ["linux"],
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Cubic {
    fn law(&self) -> Box<dyn WindowLaw> {
        match self.arithmetic {
            Arithmetic::Real => Box::new(Law::new(self.clone())),
            Arithmetic::Kernel => Box::new(kernel::Law::new(self.clone(), None)),
        }
    }

    fn recovery(&self) -> &dyn Plan<dyn Recovery> {
        &*self.recovery
    }

    fn facts(&self) -> LawFacts {
        LawFacts {
            slow_start: SlowStart::Doubles,
            ends_slow_start: self.slow_start_exit != SlowStartExit::Loss,
            has_reno_response: false,
            marks: ResponseToMarks::AsLoss,
            observes_deliveries: false,
            is_paced: false,
            leaves_pipe_idle: false,
            shrinks_without_loss: false,
        }
    }

    /// K seconds (section 4.2), or less where growth is Reno-friendly (section 4.3).
    fn after_loss(&self, segments: f64, round_trip_s: f64) -> AfterLoss {
        let lost = segments * (1.0 - self.beta.0);
        let reno_s = lost / self.reno_friendly_increase() * round_trip_s;
        let regrowth = Regrowth::ByTime(cube_root(lost / self.c.0).min(reno_s));
        let left = match self.arithmetic {
            Arithmetic::Real => self.beta.0,
            Arithmetic::Kernel => kernel::share_left(self.beta.0),
        };
        AfterLoss { left, left_after_timeout: left, regrowth }
    }
}

impl Cubic {
    /// CUBIC as in Linux, with the parameters of the RFC.
    pub fn of_kernel(recovery: Chosen<dyn Recovery>, slow_start_exit: SlowStartExit) -> Self {
        let (c, beta) = (PositiveNumber(0.4), Fraction(0.7));
        Self { recovery, c, beta, fast_convergence: true, slow_start_exit, arithmetic: Arithmetic::Kernel }
    }

    /// The law of the kernel for which some losses are those of handovers.
    pub fn inhibited(self, inhibition: Inhibition) -> Box<dyn WindowLaw> {
        Box::new(kernel::Law::new(self, Some(inhibition)))
    }

    /// Segments per round trip that give Reno the same mean window in spite of smaller reductions (`alpha_cubic`, section 4.3).
    fn reno_friendly_increase(&self) -> f64 {
        3.0 * (1.0 - self.beta.0) / (1.0 + self.beta.0)
    }
}

/// Congestion avoidance since the last reduction, windows in segments.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    began: Time,
    /// The window at which the function is flat (`W_max`), and the time in seconds until then (`K`).
    maximum: f64,
    until_maximum: f64,
    /// The window of Reno (`W_est`).
    reno: f64,
    /// The latest acknowledgment.
    latest: Time,
}

/// Growth as a cubic function of time.
struct Law {
    settings: Cubic,
    /// For the first slow start, if it may end without a loss.
    hystart: Option<HyStart>,
    hybrid_start: Option<HybridStart>,
    /// Least round trip.
    shortest: Option<Span>,
    epoch: Option<Epoch>,
    /// The window at the last reduction in segments (`W_max`); `None` before the first reduction and after a timeout.
    maximum: Option<f64>,
    /// The window before the last reduction in segments (`cwnd_prior`).
    before_reduction: f64,
}

impl Law {
    fn new(settings: Cubic) -> Self {
        let hystart = (settings.slow_start_exit == SlowStartExit::Delay).then(HyStart::default);
        let hybrid_start = (settings.slow_start_exit == SlowStartExit::TrainOrDelay).then(HybridStart::default);
        Self { settings, hystart, hybrid_start, shortest: None, epoch: None, maximum: None, before_reduction: 0.0 }
    }

    /// Begins congestion avoidance with a window of `cwnd` segments (section 4.2). Before the first loss and after a timeout the function
    /// begins where it is flat (sections 4.8 and 4.10).
    fn begin(&self, now: Time, cwnd: f64) -> Epoch {
        let maximum = self.maximum.map_or(cwnd, |maximum| maximum.max(cwnd));
        let until_maximum = cube_root((maximum - cwnd) / self.settings.c.0);
        Epoch { began: now, maximum, until_maximum, reno: cwnd, latest: now }
    }

    /// The function of time (equation 1).
    fn window_at(&self, epoch: &Epoch, seconds: f64) -> f64 {
        let distance = seconds - epoch.until_maximum;
        self.settings.c.0 * distance * distance * distance + epoch.maximum
    }

    /// Segments per round trip that are added to `W_est`: one, as in Reno, once it is where the last reduction was (section 4.3).
    fn reno_increase(&self, reno: f64) -> f64 {
        if reno >= self.before_reduction { 1.0 } else { self.settings.reno_friendly_increase() }
    }

    /// Congestion avoidance (sections 4.2 to 4.5).
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn avoid(&mut self, window: &mut Window, progress: &Progress) {
        let cwnd = window.cwnd / window.mss();
        let segments = progress.acknowledged as f64 / window.mss();
        let mut epoch = self.epoch.unwrap_or_else(|| self.begin(progress.now, cwnd));
        epoch.latest = progress.now;
        let elapsed = seconds(progress.now - epoch.began);
        epoch.reno += self.reno_increase(epoch.reno) * segments / cwnd;
        let increase = if self.window_at(&epoch, elapsed) < epoch.reno {
            (epoch.reno - cwnd).max(0.0)
        } else {
            let ahead = elapsed + progress.smoothed_round_trip.map_or(0.0, seconds);
            let target = self.window_at(&epoch, ahead).clamp(cwnd, 1.5 * cwnd);
            (target - cwnd) / cwnd * segments
        };
        // At most one segment for each segment acknowledged.
        window.grow(increase.min(segments) * window.mss());
        self.epoch = Some(epoch);
    }

    /// Slow start; a window that is not used does not grow (section 5.8).
    fn start_slowly(&mut self, window: &mut Window, progress: &Progress) {
        let Some(hystart) = &mut self.hystart else {
            if progress.window_is_used {
                window.grow_exponentially(progress.acknowledged);
            }
            return;
        };
        if hystart.ends_slow_start(window, progress) {
            window.ssthresh = window.cwnd;
            self.hystart = None;
        }
    }

    /// Excludes from the function's time the time in which the window does not limit the sender (section 5.8), or in which there is a
    /// slow start after a pause.
    fn pause(&mut self, now: Time) {
        if let Some(epoch) = &mut self.epoch {
            epoch.began += now - epoch.latest;
            epoch.latest = now;
        }
    }

    /// Records the window of a reduction (sections 4.6 and 4.7) and sets the threshold to its share of `used` bytes; returns that share
    /// without the minimum of two segments.
    fn reduce_threshold(&mut self, window: &mut Window, used: f64) -> f64 {
        let beta = self.settings.beta.0;
        let cwnd = window.cwnd / window.mss();
        let gives_way = self.settings.fast_convergence && self.maximum.is_some_and(|maximum| cwnd < maximum);
        self.maximum = Some(if gives_way { cwnd * (1.0 + beta) / 2.0 } else { cwnd });
        self.before_reduction = cwnd;
        self.epoch = None;
        (self.hystart, self.hybrid_start) = (None, None);
        let left = beta * used;
        window.ssthresh = left.max(2.0 * window.mss());
        left
    }
}

impl WindowLaw for Law {
    fn observes_arrivals(&self) -> bool {
        self.settings.slow_start_exit == SlowStartExit::TrainOrDelay
    }

    fn on_arrivals(&mut self, window: &mut Window, arrivals: &Arrivals) {
        let (Some(start), Some(sample)) = (&mut self.hybrid_start, arrivals.round_trip) else { return };
        let shortest = self.shortest.map_or(sample, |shortest| shortest.min(sample));
        self.shortest = Some(shortest);
        if window.in_slow_start() {
            start.note(window, arrivals, sample, shortest);
        }
    }

    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if window.in_slow_start() {
            self.pause(progress.now);
            self.start_slowly(window, progress);
        } else if progress.window_is_used {
            self.avoid(window, progress);
        } else {
            self.pause(progress.now);
        }
    }

    /// HyStart++ does not compare rounds before the pause with rounds after it, and the pause does not count as time of growth.
    fn on_restart_from_idle(&mut self, now: Time) {
        self.pause(now);
        self.hystart.iter_mut().for_each(|hystart| *hystart = HyStart::default());
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        self.reduce_threshold(window, in_use(window, flight));
        window.cwnd = window.ssthresh;
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    /// As for a loss, but marks may leave a single segment (section 4.6).
    fn on_mark(&mut self, window: &mut Window, flight: u64) {
        window.cwnd = self.reduce_threshold(window, in_use(window, flight)).max(window.mss());
    }

    /// Takes the share of the whole flight (section 4.8), because the window may have been reduced before.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        window.reduce_at_timeout(|window| {
            self.reduce_threshold(window, flight as f64);
            self.maximum = None;
        });
        window.collapse();
    }
}

/// Bytes of the window that are in flight.
#[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
fn in_use(window: &Window, flight: u64) -> f64 {
    (flight as f64).min(window.cwnd)
}

#[expect(clippy::cast_precision_loss, reason = "runs are far below 2^53 ps")]
fn seconds(span: Span) -> f64 {
    span.0 as f64 / PICOSECONDS_PER_SECOND as f64
}

/// By Newton's method from above, with arithmetic alone: the last bit of a library's root may differ from one machine to the next.
fn cube_root(number: f64) -> f64 {
    if number <= 0.0 {
        return 0.0;
    }
    let mut root = number.max(1.0);
    loop {
        let next = (2.0 * root + number / (root * root)) / 3.0;
        // No root of what is no number, or infinite, is below another.
        if next < root {
            root = next;
        } else {
            return root;
        }
    }
}

#[cfg(test)]
mod steps;
#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::law::with_defaults;

    fn law() -> Law {
        Law::new(with_defaults())
    }

    #[test]
    fn the_cube_root_of_a_cube_is_its_side() {
        for side in [1e-3, 0.5, 1.0, 2.0, 3.7, 100.0, 12_345.0] {
            assert!((cube_root(side * side * side) / side - 1.0).abs() < 1e-14, "{side}");
        }
        assert_eq!((cube_root(0.0), cube_root(-1.0)), (0.0, 0.0));
    }

    #[test]
    fn the_cube_root_of_what_is_no_finite_number_is_found_at_once() {
        assert_eq!(cube_root(f64::INFINITY), f64::INFINITY);
        assert!(cube_root(f64::NAN) >= 0.0);
    }

    #[test]
    fn the_window_is_back_at_its_maximum_after_k_seconds_and_flat_there() {
        let mut law = law();
        law.maximum = Some(100.0);
        let epoch = law.begin(Time::ZERO, 70.0);
        // K = cbrt(30 / 0.4) = 4.217 s.
        assert!((epoch.until_maximum - 4.217_163).abs() < 1e-6);
        assert!((law.window_at(&epoch, 0.0) - 70.0).abs() < 1e-9);
        assert!((law.window_at(&epoch, epoch.until_maximum) - 100.0).abs() < 1e-9);
        assert!((law.window_at(&epoch, epoch.until_maximum + 2.0) - 103.2).abs() < 1e-9);
    }

    #[test]
    fn without_a_maximum_the_function_begins_where_it_is_flat() {
        let epoch = law().begin(Time::ZERO, 50.0);
        assert_eq!((epoch.maximum, epoch.until_maximum), (50.0, 0.0));
    }

    #[test]
    fn renos_increase_gives_the_same_mean_window_until_it_is_back_where_it_was() {
        let mut law = law();
        law.before_reduction = 40.0;
        assert!((law.reno_increase(39.0) - 0.9 / 1.7).abs() < 1e-12);
        assert_eq!(law.reno_increase(40.0), 1.0);
    }
}
