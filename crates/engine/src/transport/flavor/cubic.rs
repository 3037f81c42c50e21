//! CUBIC.

use super::Flavor;
use crate::config::{Fraction, PositiveNumber};
use crate::registry::Chosen;
use crate::transport::law::{self, CubicConstants, HyStart, WindowLaw};
use crate::transport::recovery::Recovery;

crate::choice! {
    /// When a first slow start ends.
    pub enum SlowStartExit {
        /// At the threshold, or with a loss.
        Loss = "loss",
        /// Also when round trips become longer, by way of a slower growth (RFC 9406). It takes round trips with every
        /// acknowledgment, and so `timestamps`.
        Delay = "hystart++",
    }
}

crate::model! {
    /// The window grows as a cubic function of the time since the last reduction: fast, then slowly around the window at which it came, then
    /// fast again; whatever the round trip, but no more slowly than Reno would on average. A loss takes 30 % of it.
    #[name = "cubic"]
    #[source = "RFC 9438"]
    pub struct Cubic: dyn Flavor {
        /// How losses are noticed and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// C, in segments per cubic second.
        c: PositiveNumber = "0.4",
        /// What is left of the window after a loss (beta).
        beta: Fraction = "0.7",
        /// Whether a window that did not reach the last one gives way some more (RFC 9438 section 4.7).
        fast_convergence: bool = "true" or ["false"],
        /// When a first slow start ends.
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
