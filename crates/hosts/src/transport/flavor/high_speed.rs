//! HighSpeed TCP.

use longfat_foundation::config::{AtLeastOne, Fraction};
use longfat_foundation::registry::Chosen;

use super::Flavor;
use crate::transport::law::{self, ResponseFunction, STANDARD_DECREASE, WindowLaw};
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
    }
    build(config, _context) { Box::new(config.clone()) }
    objections(config, _context) { config.objections() }
}

impl HighSpeed {
    /// Beyond the low window it is to be faster, and a loss to take less.
    #[expect(clippy::cast_precision_loss, reason = "at most a hundred thousand")]
    fn objections(&self) -> Vec<(&'static str, String)> {
        let (low, high) = (self.low_window.0, self.high_window.0);
        let (rate, decrease) = (self.high_loss_rate.0, self.high_decrease.0);
        let low_rate = ResponseFunction::standard_loss_rate(low as f64);
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
}

impl Flavor for HighSpeed {
    #[expect(clippy::cast_precision_loss, reason = "at most a hundred thousand")]
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(law::HighSpeed(ResponseFunction {
            low_window: self.low_window.0 as f64,
            high_window: self.high_window.0 as f64,
            high_loss_rate: self.high_loss_rate.0,
            high_decrease: self.high_decrease.0,
        }))
    }

    fn recovery(&self) -> Box<dyn Recovery> {
        self.recovery.build(&())
    }

    fn recovery_name(&self) -> &'static str {
        self.recovery.name()
    }
}
