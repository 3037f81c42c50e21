//! HighSpeed TCP. Section numbers and names in code font are those of RFC 3649.

mod kernel;

use longfat_foundation::config::{AtLeastOne, Fraction};
use longfat_foundation::registry::{Chosen, Plan};

use super::Flavor;
use crate::transport::Window;
use crate::transport::law::{
    AfterLoss, Arithmetic, Classical, LawFacts, Progress, Regrowth, ResponseToMarks, SlowStart, WindowLaw,
};
use crate::transport::recovery::Recovery;

longfat_foundation::model! {
    /// HighSpeed TCP follows the classical law up to a window of 38 segments. Beyond that, the larger the window, the more it grows per
    /// round trip and the less a loss reduces it. So a window of 83,000 segments needs a loss rate of one in ten million instead of one in
    /// five billion.
    #[name = "high-speed"]
    #[source = "RFC 3649"]
    pub struct HighSpeed: dyn Flavor {
        /// How losses are detected and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// Up to this window, in segments, HighSpeed TCP follows the classical law (Low_Window).
        low_window: AtLeastOne = "38",
        /// The average window, in segments, at the loss rate `high_loss_rate` (High_Window).
        high_window: AtLeastOne = "83000",
        /// The loss rate at which the average window is `high_window` (High_P).
        high_loss_rate: Fraction = "0.0000001",
        /// The share by which a loss reduces the window at `high_window` (High_Decrease).
        high_decrease: Fraction = "0.1",
        /// How the law computes: in real numbers as above, or as the module of the Linux kernel does.
        arithmetic: Arithmetic = "real" or ["linux"],
    }
    build(config, _context) { Box::new(config.clone()) }
    objections(config, _context) { config.objections() }
}

impl Flavor for HighSpeed {
    fn law(&self) -> Box<dyn WindowLaw> {
        match self.arithmetic {
            Arithmetic::Real => Box::new(Law(self.clone())),
            Arithmetic::Kernel => Box::new(kernel::Law::new(self)),
        }
    }

    fn recovery(&self) -> &dyn Plan<dyn Recovery> {
        &*self.recovery
    }

    fn facts(&self) -> LawFacts {
        LawFacts {
            slow_start: SlowStart::Doubles,
            ends_slow_start: false,
            has_reno_response: false,
            marks: ResponseToMarks::AsLoss,
            observes_deliveries: false,
            is_paced: false,
            leaves_pipe_idle: false,
            shrinks_without_loss: false,
        }
    }

    /// b(w) w segments are regained at a(w) per round trip (section 5).
    fn after_loss(&self, segments: f64, round_trip_s: f64) -> AfterLoss {
        let (increase, decrease) = match self.arithmetic {
            Arithmetic::Real => (self.increase(segments), self.decrease(segments)),
            Arithmetic::Kernel => kernel::Law::new(self).rates(segments),
        };
        let regrowth = Regrowth::ByAcknowledgments(decrease * segments / increase * round_trip_s);
        AfterLoss { left: 1.0 - decrease, left_after_timeout: 1.0 - decrease, regrowth }
    }
}

/// The mean window of Standard TCP is this over the square root of the loss rate.
const STANDARD_RESPONSE: f64 = 1.2;
/// The share of the window that Standard TCP gives up at a loss.
const STANDARD_DECREASE: f64 = 0.5;
/// Lower limit of `b(w)`, a line over the logarithm of the window that goes on beyond `High_Window` as in the table of appendix B, and
/// would reach 0 far beyond it.
const LEAST_DECREASE: f64 = 0.01;

/// The loss rate at which Standard TCP's mean window is this many segments.
fn standard_loss_rate(segments: f64) -> f64 {
    (STANDARD_RESPONSE / segments) * (STANDARD_RESPONSE / segments)
}

/// The response function: loss rate and reduction as functions of the window in segments (section 5).
impl HighSpeed {
    /// Requires growth to be faster beyond the low window, and reductions to be smaller.
    fn objections(&self) -> Vec<(&'static str, String)> {
        let (low, high) = (self.low_window.0, self.high_window.0);
        let (rate, decrease) = (self.high_loss_rate.0, self.high_decrease.0);
        let low_rate = standard_loss_rate(self.low_window.as_f64());
        let found = [
            (
                high <= low,
                "high_window",
                format!("{high} segments are not above low_window, {low} segments; write more"),
            ),
            (
                rate >= low_rate,
                "high_loss_rate",
                format!("{rate} is not below {low_rate:.3e}, the loss rate of low_window, {low} segments; write less"),
            ),
            (
                decrease > STANDARD_DECREASE,
                "high_decrease",
                format!("{decrease} is more than the half that a loss takes of small windows; write at most 0.5"),
            ),
        ];
        found.into_iter().filter_map(|(is_wrong, key, message)| is_wrong.then_some((key, message))).collect()
    }

    /// The position of a window between `Low_Window` (0) and `High_Window` (1) on a logarithmic scale.
    fn position(&self, segments: f64) -> f64 {
        let low = self.low_window.as_f64();
        libm::log(segments / low) / libm::log(self.high_window.as_f64() / low)
    }

    /// The share of the window that a loss removes (`b(w)`).
    fn decrease(&self, segments: f64) -> f64 {
        if segments <= self.low_window.as_f64() {
            return STANDARD_DECREASE;
        }
        let decrease = STANDARD_DECREASE + (self.high_decrease.0 - STANDARD_DECREASE) * self.position(segments);
        decrease.max(LEAST_DECREASE)
    }

    /// The loss rate at which the mean window is this many segments: on logarithmic scales a line from Standard TCP's rate at
    /// `Low_Window` to `High_P` at `High_Window`. With the RFC's parameters, 0.078 / w^1.2.
    fn loss_rate(&self, segments: f64) -> f64 {
        let low = standard_loss_rate(self.low_window.as_f64());
        low * libm::pow(self.high_loss_rate.0 / low, self.position(segments))
    }

    /// Segments per round trip (`a(w)`) that make this window the mean one at its loss rate.
    fn increase(&self, segments: f64) -> f64 {
        if segments <= self.low_window.as_f64() {
            return 1.0;
        }
        let decrease = self.decrease(segments);
        let increase = segments * segments * self.loss_rate(segments) * 2.0 * decrease / (2.0 - decrease);
        increase.max(1.0)
    }
}

/// Growth and reduction as functions of the window.
struct Law(HighSpeed);

impl Law {
    /// The share of the window that remains after a loss.
    fn share_left(&self, window: &Window) -> f64 {
        1.0 - self.0.decrease(window.cwnd / window.mss())
    }
}

impl WindowLaw for Law {
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
mod steps;
#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::law::with_defaults;

    fn rfc() -> HighSpeed {
        with_defaults()
    }

    /// Section 5: W = 0.12 / p^0.835.
    #[test]
    fn loss_rates_are_those_of_the_response_function() {
        for window in [50.0, 263.0, 1795.0, 12_279.0, 83_000.0] {
            let (found, printed) = (rfc().loss_rate(window), libm::pow(0.12 / window, 1.0 / 0.835));
            assert!((found / printed - 1.0).abs() < 0.02, "{window}: {found}");
        }
        assert!((rfc().loss_rate(83_000.0) / 1e-7 - 1.0).abs() < 1e-9);
    }

    /// Section 5: 72 segments in a round trip where a tenth is lost, at 83000.
    #[test]
    fn at_the_high_window_it_takes_seventy_two_segments_and_gives_a_tenth() {
        assert_eq!(rfc().increase(83_000.0).floor(), 72.0);
        assert!((rfc().decrease(83_000.0) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn up_to_the_low_window_it_is_standard_tcp() {
        for window in [1.0, 10.0, 38.0] {
            assert_eq!((rfc().increase(window), rfc().decrease(window)), (1.0, 0.5));
        }
        assert!((rfc().decrease(38.000_001) - 0.5).abs() < 1e-6, "without a step");
        assert_eq!(rfc().increase(38.000_001), 1.0);
    }

    #[test]
    fn however_large_the_window_a_loss_takes_something() {
        assert!(rfc().decrease(94_717.0) < 0.1);
        assert_eq!(rfc().decrease(1e9), LEAST_DECREASE);
    }
}
