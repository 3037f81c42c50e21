//! CUBIC.

use longfat_foundation::config::{Fraction, PositiveNumber};
use longfat_foundation::registry::Chosen;

use super::Flavor;
use crate::transport::law::{self, CubicConstants, HyStart, WindowLaw};
use crate::transport::recovery::Recovery;

longfat_foundation::choice! {
    /// When the first slow start ends.
    pub enum SlowStartExit {
        /// At the threshold, or at a loss.
        Loss = "loss",
        /// Also when round trips become longer, after a phase of slower growth (RFC 9406). It measures a round trip with every
        /// acknowledgment, and so needs `timestamps`.
        Delay = "hystart++",
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
        slow_start_exit: SlowStartExit = "loss" or ["hystart++"],
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Cubic {
    fn law(&self) -> Box<dyn WindowLaw> {
        let constants = CubicConstants { c: self.c.0, beta: self.beta.0, fast_convergence: self.fast_convergence };
        let hystart = (self.slow_start_exit == SlowStartExit::Delay).then(HyStart::default);
        Box::new(law::Cubic::new(constants, hystart))
    }

    fn recovery(&self) -> Box<dyn Recovery> {
        self.recovery.build(&())
    }

    fn recovery_name(&self) -> &'static str {
        self.recovery.name()
    }
}
