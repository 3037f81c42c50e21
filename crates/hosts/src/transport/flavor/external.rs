//! A window law from outside.

use longfat_foundation::config::Numbers;
use longfat_foundation::registry::{Chosen, Plan};

use super::Flavor;
use crate::transport::NamedControl;
use crate::transport::law::{AfterLoss, Classical, LawFacts, WindowLaw};
use crate::transport::recovery::Recovery;

longfat_foundation::model! {
    /// A congestion control of your own: a class in Python, or a library with a C interface, which you provide by name when the scenario is
    /// simulated (`--control NAME=FILE`, `longfat.use_control`). The recovery detects and repairs losses.
    #[name = "external"]
    #[source = "whoever provides it"]
    pub struct External: dyn Flavor {
        /// The name of the control. Its version becomes part of a run's name as a hash, "NAME@HASH". "classical" is the engine's own slow
        /// start and congestion avoidance, for comparison.
        control: NamedControl = "classical",
        /// How losses are detected and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// Parameters that the control is given when it starts.
        parameters: Numbers = "{}",
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for External {
    fn law(&self) -> Box<dyn WindowLaw> {
        self.control.law(&self.parameters)
    }

    fn recovery(&self) -> &dyn Plan<dyn Recovery> {
        &*self.recovery
    }

    /// Those of the engine's own control: nothing is known of others.
    fn facts(&self) -> LawFacts {
        Classical::FACTS
    }

    fn after_loss(&self, segments: f64, round_trip_s: f64) -> AfterLoss {
        AfterLoss::reno(segments, round_trip_s)
    }

    fn control(&self) -> Option<&NamedControl> {
        Some(&self.control)
    }
}
