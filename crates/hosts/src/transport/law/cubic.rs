//! The window of CUBIC. Names in code font are those of RFC 9438.

use longfat_foundation::units::{PICOSECONDS_PER_SECOND, Span, Time};

use super::{HyStart, Progress, Window, WindowLaw};

/// The constants of RFC 9438 section 4.1.
#[derive(Clone, Copy, Debug)]
pub struct CubicConstants {
    /// C, in segments per cubic second.
    pub c: f64,
    /// What a loss leaves of the window.
    pub beta: f64,
    /// Whether a window that did not reach the last maximum sets a lower one.
    pub fast_convergence: bool,
}

/// Congestion avoidance since the last reduction, windows in segments.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    began: Time,
    /// The window that the function is flat at (`W_max`), and when it gets there, in seconds (`K`).
    maximum: f64,
    until_maximum: f64,
    /// What Reno would have (`W_est`).
    reno: f64,
    /// When it was gone on with last.
    latest: Time,
}

/// Growth as a cubic function of time.
pub struct Cubic {
    constants: CubicConstants,
    /// For the first slow start, if it may end without a loss.
    hystart: Option<HyStart>,
    epoch: Option<Epoch>,
    /// The window at the last reduction in segments (`W_max`); `None` if there was none, or a timeout since.
    maximum: Option<f64>,
    /// The window before the last reduction in segments (`cwnd_prior`).
    before_reduction: f64,
}

impl Cubic {
    /// Before any loss.
    #[must_use]
    pub fn new(constants: CubicConstants, hystart: Option<HyStart>) -> Self {
        Self { constants, hystart, epoch: None, maximum: None, before_reduction: 0.0 }
    }

    /// Congestion avoidance begins with a window of `cwnd` segments (section 4.2). Without a loss before, or after a timeout, the function
    /// begins where it is flat (sections 4.8 and 4.10).
    fn begin(&self, now: Time, cwnd: f64) -> Epoch {
        let maximum = self.maximum.map_or(cwnd, |maximum| maximum.max(cwnd));
        let until_maximum = cube_root((maximum - cwnd) / self.constants.c);
        Epoch { began: now, maximum, until_maximum, reno: cwnd, latest: now }
    }

    /// The function of time (equation 1).
    fn window_at(&self, epoch: &Epoch, seconds: f64) -> f64 {
        let distance = seconds - epoch.until_maximum;
        self.constants.c * distance * distance * distance + epoch.maximum
    }

    /// What Reno adds for a segment, so that it has the same mean window with CUBIC's smaller reductions (section 4.3); as Reno itself
    /// once it is where the last reduction was.
    fn reno_increase(&self, reno: f64) -> f64 {
        let beta = self.constants.beta;
        if reno >= self.before_reduction { 1.0 } else { 3.0 * (1.0 - beta) / (1.0 + beta) }
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
        // No faster than one segment for each that was acknowledged.
        window.grow(increase.min(segments) * window.mss());
        self.epoch = Some(epoch);
    }

    /// Slow start, which a window that is not used waits with (section 5.8).
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

    /// The time in which the window keeps nothing back is none of the function's (section 5.8), nor is that of a slow start after a pause.
    fn pause(&mut self, now: Time) {
        if let Some(epoch) = &mut self.epoch {
            epoch.began += now - epoch.latest;
            epoch.latest = now;
        }
    }

    /// Notes where a reduction comes (sections 4.6 and 4.7), and sets the threshold to its share of `used` bytes; gives what it leaves,
    /// without a minimum.
    fn reduce_threshold(&mut self, window: &mut Window, used: f64) -> f64 {
        let cwnd = window.cwnd / window.mss();
        let gives_way = self.constants.fast_convergence && self.maximum.is_some_and(|maximum| cwnd < maximum);
        self.maximum = Some(if gives_way { cwnd * (1.0 + self.constants.beta) / 2.0 } else { cwnd });
        self.before_reduction = cwnd;
        self.epoch = None;
        self.hystart = None;
        let left = self.constants.beta * used;
        window.ssthresh = left.max(2.0 * window.mss());
        left
    }
}

impl WindowLaw for Cubic {
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

    /// What was learnt of rounds before is not to be compared with those that come, and the pause is no time of growth.
    fn on_restart_from_idle(&mut self, now: Time) {
        self.pause(now);
        self.hystart.iter_mut().for_each(|hystart| *hystart = HyStart::default());
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        self.reduce_threshold(window, in_use(window, flight));
        window.cwnd = window.ssthresh;
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    /// As a loss, but that marks may leave a single segment (section 4.6).
    fn on_mark(&mut self, window: &mut Window, flight: u64) {
        window.cwnd = self.reduce_threshold(window, in_use(window, flight)).max(window.mss());
    }

    /// All that is under way counts (section 4.8), for the window may have been reduced before.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        window.reduce_at_timeout(|window| {
            self.reduce_threshold(window, flight as f64);
            self.maximum = None;
        });
        window.collapse();
    }
}

/// What is under way of the window.
#[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
fn in_use(window: &Window, flight: u64) -> f64 {
    (flight as f64).min(window.cwnd)
}

#[expect(clippy::cast_precision_loss, reason = "runs are far below 2^53 ps")]
fn seconds(span: Span) -> f64 {
    span.0 as f64 / PICOSECONDS_PER_SECOND as f64
}

/// By Newton's method from above, with nothing but arithmetic: a library's root may differ in its last bit from one machine to the next.
fn cube_root(number: f64) -> f64 {
    if number <= 0.0 {
        return 0.0;
    }
    let mut root = number.max(1.0);
    loop {
        let next = (2.0 * root + number / (root * root)) / 3.0;
        if next >= root {
            return root;
        }
        root = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RFC: CubicConstants = CubicConstants { c: 0.4, beta: 0.7, fast_convergence: true };

    #[test]
    fn the_cube_root_of_a_cube_is_its_side() {
        for side in [1e-3, 0.5, 1.0, 2.0, 3.7, 100.0, 12_345.0] {
            assert!((cube_root(side * side * side) / side - 1.0).abs() < 1e-14, "{side}");
        }
        assert_eq!((cube_root(0.0), cube_root(-1.0)), (0.0, 0.0));
    }

    #[test]
    fn the_window_is_back_at_its_maximum_after_k_seconds_and_flat_there() {
        let mut law = Cubic::new(RFC, None);
        law.maximum = Some(100.0);
        let epoch = law.begin(Time::ZERO, 70.0);
        // K = cbrt(30 / 0.4) = 4.217 s.
        assert!((epoch.until_maximum - 4.217_163).abs() < 1e-6);
        assert!((law.window_at(&epoch, 0.0) - 70.0).abs() < 1e-9);
        assert!((law.window_at(&epoch, epoch.until_maximum) - 100.0).abs() < 1e-9);
        assert!((law.window_at(&epoch, epoch.until_maximum + 2.0) - 103.2).abs() < 1e-9);
    }

    /// HyStart++ limits what an acknowledgment adds to windows that nothing else spreads out (RFC 9406 section 4.2).
    #[test]
    fn it_has_no_rate_of_its_own_and_is_not_paced() {
        assert!(!Cubic::new(RFC, None).is_paced());
    }

    #[test]
    fn without_a_maximum_the_function_begins_where_it_is_flat() {
        let epoch = Cubic::new(RFC, None).begin(Time::ZERO, 50.0);
        assert_eq!((epoch.maximum, epoch.until_maximum), (50.0, 0.0));
    }

    #[test]
    fn renos_increase_gives_the_same_mean_window_until_it_is_back_where_it_was() {
        let mut law = Cubic::new(RFC, None);
        law.before_reduction = 40.0;
        assert!((law.reno_increase(39.0) - 0.9 / 1.7).abs() < 1e-12);
        assert_eq!(law.reno_increase(40.0), 1.0);
    }
}
