//! The window of HighSpeed TCP. Section numbers are those of RFC 3649, names in code font its own.

use super::{Classical, Progress, Window, WindowLaw};

/// The mean window of Standard TCP is this over the square root of the loss rate.
const STANDARD_RESPONSE: f64 = 1.2;
/// What a loss takes from Standard TCP's window.
pub const STANDARD_DECREASE: f64 = 0.5;
/// `b(w)` is a line over the logarithm of the window, and goes on beyond `High_Window` as in the table of appendix B. Far beyond it would
/// reach 0, and a loss would take nothing.
const LEAST_DECREASE: f64 = 0.01;

/// Which mean window goes with which loss rate, and how much a loss takes (section 5): the parameters, windows in segments.
#[derive(Clone, Copy, Debug)]
pub struct ResponseFunction {
    /// Up to this window it is Standard TCP (`Low_Window`).
    pub low_window: f64,
    /// This window (`High_Window`) ...
    pub high_window: f64,
    /// ... is reached at this loss rate (`High_P`), ...
    pub high_loss_rate: f64,
    /// ... where a loss takes this share of it (`High_Decrease`).
    pub high_decrease: f64,
}

impl ResponseFunction {
    /// The loss rate at which Standard TCP's mean window is this.
    #[must_use]
    pub fn standard_loss_rate(segments: f64) -> f64 {
        (STANDARD_RESPONSE / segments) * (STANDARD_RESPONSE / segments)
    }

    /// Where a window is between `Low_Window` (0) and `High_Window` (1), by logarithms.
    fn position(&self, segments: f64) -> f64 {
        libm::log(segments / self.low_window) / libm::log(self.high_window / self.low_window)
    }

    /// The share of the window that a loss takes (`b(w)`).
    #[must_use]
    pub fn decrease(&self, segments: f64) -> f64 {
        if segments <= self.low_window {
            return STANDARD_DECREASE;
        }
        let decrease = STANDARD_DECREASE + (self.high_decrease - STANDARD_DECREASE) * self.position(segments);
        decrease.max(LEAST_DECREASE)
    }

    /// The loss rate at which the mean window is this: by logarithms a line from Standard TCP's at `Low_Window` to `High_P` at
    /// `High_Window`. For the RFC's parameters, 0.078 / w^1.2.
    fn loss_rate(&self, segments: f64) -> f64 {
        let low = Self::standard_loss_rate(self.low_window);
        low * libm::pow(self.high_loss_rate / low, self.position(segments))
    }

    /// Segments by which the window grows in a round trip (`a(w)`): what makes this window the mean one at its loss rate.
    #[must_use]
    pub fn increase(&self, segments: f64) -> f64 {
        if segments <= self.low_window {
            return 1.0;
        }
        let decrease = self.decrease(segments);
        let increase = segments * segments * self.loss_rate(segments) * 2.0 * decrease / (2.0 - decrease);
        increase.max(1.0)
    }
}

/// Growth and reduction by functions of the window.
pub struct HighSpeed(pub ResponseFunction);

impl HighSpeed {
    /// What a loss leaves of the window.
    fn share_left(&self, window: &Window) -> f64 {
        1.0 - self.0.decrease(window.cwnd / window.mss())
    }
}

impl WindowLaw for HighSpeed {
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if window.in_slow_start() {
            Classical.on_acknowledgment(window, progress);
        } else if progress.window_is_used || window.grows_unused() {
            window.grow_linearly_by(self.0.increase(window.cwnd / window.mss()), progress.acknowledged);
        }
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        window.reduce(self.share_left(window), flight);
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        window.reduce_threshold_at_timeout(self.share_left(window), flight);
        window.collapse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RFC: ResponseFunction =
        ResponseFunction { low_window: 38.0, high_window: 83_000.0, high_loss_rate: 1e-7, high_decrease: 0.1 };

    /// Section 5: W = 0.12 / p^0.835.
    #[test]
    fn loss_rates_are_those_of_the_response_function() {
        for window in [50.0, 263.0, 1795.0, 12_279.0, 83_000.0] {
            let printed = libm::pow(0.12 / window, 1.0 / 0.835);
            assert!((RFC.loss_rate(window) / printed - 1.0).abs() < 0.02, "{window}: {}", RFC.loss_rate(window));
        }
        assert!((RFC.loss_rate(83_000.0) / 1e-7 - 1.0).abs() < 1e-9);
    }

    /// Section 5: 72 segments in a round trip where a tenth is lost, at 83000.
    #[test]
    fn at_the_high_window_it_takes_seventy_two_segments_and_gives_a_tenth() {
        assert_eq!(RFC.increase(83_000.0).floor(), 72.0);
        assert!((RFC.decrease(83_000.0) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn up_to_the_low_window_it_is_standard_tcp() {
        for window in [1.0, 10.0, 38.0] {
            assert_eq!((RFC.increase(window), RFC.decrease(window)), (1.0, 0.5));
        }
        assert!((RFC.decrease(38.000_001) - 0.5).abs() < 1e-6, "without a step");
        assert_eq!(RFC.increase(38.000_001), 1.0);
    }

    #[test]
    fn however_large_the_window_a_loss_takes_something() {
        assert!(RFC.decrease(94_717.0) < 0.1);
        assert_eq!(RFC.decrease(1e9), LEAST_DECREASE);
    }
}
