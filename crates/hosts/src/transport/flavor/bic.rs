//! BIC TCP.

use longfat_foundation::config::{AtLeastOne, Fraction, Gain};
use longfat_foundation::registry::Chosen;

use super::Flavor;
use crate::transport::law::{self, BicSettings, WindowLaw};
use crate::transport::recovery::Recovery;

longfat_foundation::model! {
    /// BIC TCP: the window searches for the one at which the last loss came, by a part of the distance in each round trip but no more than a number of
    /// segments; it stays near it for long, and then leaves it ever faster. A loss takes a fifth. Linux had it before CUBIC.
    #[name = "bic"]
    #[source = "Xu, Harfoush and Rhee 2004, INFOCOM; Linux, tcp_bic"]
    pub struct Bic: dyn Flavor {
        /// How losses are noticed and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// Up to this window, in segments, it is the classical law.
        low_window: AtLeastOne = "14",
        /// Most segments by which the window grows in a round trip (Smax). 16 as in Linux; the paper has 32.
        max_increment: AtLeastOne = "16" or ["32"],
        /// By what the distance to the last maximum is divided in a round trip (B). 4 as in Linux; 2 is the paper's binary search.
        search_divisor: Gain = "4" or ["2"],
        /// Round trips that the last `search_divisor` segments take up to the maximum, and the first beyond it; in Linux's place of the paper's Smin.
        smooth_part: AtLeastOne = "20",
        /// What is left of the window after a loss. Linux has 819/1024; the paper 0.875.
        beta: Fraction = "0.8" or ["0.875"],
        /// Whether a window that did not reach the last maximum gives way some more.
        fast_convergence: bool = "true" or ["false"],
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Bic {
    #[expect(clippy::cast_precision_loss, reason = "at most a hundred thousand")]
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(law::Bic::new(BicSettings {
            low_window: self.low_window.0 as f64,
            max_increment: self.max_increment.0 as f64,
            search_divisor: self.search_divisor.0,
            smooth_part: self.smooth_part.0 as f64,
            beta: self.beta.0,
            fast_convergence: self.fast_convergence,
        }))
    }

    fn recovery(&self) -> Box<dyn Recovery> {
        self.recovery.build(&())
    }

    fn recovery_name(&self) -> &'static str {
        self.recovery.name()
    }
}
