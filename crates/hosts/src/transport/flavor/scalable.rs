//! Scalable TCP.

use longfat_foundation::config::{AtLeastOne, Fraction};
use longfat_foundation::registry::Chosen;

use super::Flavor;
use crate::transport::law::{self, ScalableConstants, WindowLaw};
use crate::transport::recovery::Recovery;

longfat_foundation::model! {
    /// Scalable TCP: beyond a small window each acknowledgment adds a hundredth of a segment, and a loss removes an eighth of the window.
    /// However large the window was, it recovers in the same number of round trips.
    #[name = "scalable"]
    #[source = "Kelly 2003, ACM Computer Communication Review 33(2)"]
    pub struct Scalable: dyn Flavor {
        /// How losses are detected and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// Segments that each acknowledgment adds to the window (a). Linux adds 1/50, for receivers that acknowledge every second segment.
        increase: Fraction = "0.01" or ["0.02"],
        /// The share of the window that a loss removes (b).
        decrease: Fraction = "0.125",
        /// Up to this window, in segments, Scalable TCP follows the classical law (lwnd). At 16 the classical law needs about the same loss
        /// rate as Scalable TCP. Linux has the classical growth up to 50 but no classical reduction; 1 is nearest to that.
        legacy_window: AtLeastOne = "16" or ["1"],
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Scalable {
    #[expect(clippy::cast_precision_loss, reason = "at most a hundred thousand")]
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(law::Scalable(ScalableConstants {
            increase: self.increase.0,
            decrease: self.decrease.0,
            legacy_window: self.legacy_window.0 as f64,
        }))
    }

    fn recovery(&self) -> Box<dyn Recovery> {
        self.recovery.build(&())
    }

    fn recovery_name(&self) -> &'static str {
        self.recovery.name()
    }
}
