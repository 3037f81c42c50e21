//! A window law from outside.

use super::Flavor;
use crate::config::Numbers;
use crate::registry::Chosen;
use crate::transport::NamedControl;
use crate::transport::law::WindowLaw;
use crate::transport::recovery::Recovery;

crate::model! {
    /// A congestion control of your own: a class in Python or a library with a C interface, which is provided by name when the scenario is
    /// simulated (`--control NAME=FILE`, `longfat.use_control`). Losses are noticed and repaired as the recovery has it.
    #[name = "external"]
    #[source = "whoever provides it"]
    pub struct External: dyn Flavor {
        /// Its name. What is provided under it is part of a run's name by a hash, as "NAME@HASH". "classical" is the engine's own slow start and
        /// congestion avoidance, to compare with.
        control: NamedControl = "classical",
        /// How losses are noticed and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// What the control is given when it begins.
        parameters: Numbers = "{}",
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for External {
    fn law(&self) -> Box<dyn WindowLaw> {
        self.control.law(&self.parameters)
    }

    fn recovery(&self) -> Box<dyn Recovery> {
        self.recovery.build(&())
    }

    fn recovery_name(&self) -> &'static str {
        self.recovery.name()
    }

    fn control(&self) -> Option<&NamedControl> {
        Some(&self.control)
    }
}
