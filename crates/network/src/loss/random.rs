//! Independent random losses.

use longfat_foundation::config::Probability;
use longfat_foundation::random::Stream;
use longfat_foundation::units::Time;

use super::{Loses, LossModel};

longfat_foundation::model! {
    /// Loses each packet or cell with the same probability, independently of others.
    #[name = "random"]
    #[source = "Bernoulli trials; as in Padhye, Firoiu, Towsley and Kurose 1998 section 3"]
    pub struct Random: dyn LossModel {
        /// The probability of a loss.
        probability: Probability,
        /// Unit of loss: a packet or a cell. No difference where packets travel whole.
        each: Loses = "packet" or ["cell"],
    }
    build(config, context) {
        Box::new(Independent { probability: config.probability.0, loses: config.each, chance: context.streams() })
    }
}

struct Independent {
    probability: f64,
    loses: Loses,
    chance: Vec<Stream>,
}

impl LossModel for Independent {
    fn loses(&self) -> Loses {
        self.loses
    }

    fn loses_next(&mut self, _now: Time, flow: usize) -> bool {
        self.chance[flow].happens(self.probability)
    }
}
