//! Random losses that resemble those before them, as Linux's network emulator makes them.

use longfat_foundation::config::Probability;
use longfat_foundation::units::Time;

use super::LossModel;
use crate::correlated::Correlated;

longfat_foundation::model! {
    /// Losses as of `netem loss random P CORRELATION`: a packet is lost if a random number is at most `probability`, and each number is a
    /// mean of a new one and the one before, with the weight `correlation`. Such means keep away from 0 and 1, so with a correlation fewer
    /// packets are lost than a `probability` below one half says, as in the kernel; `gilbert-elliott` has the bursts without that. Each flow
    /// has numbers of its own, as if it were alone.
    #[name = "correlated"]
    #[source = "kernel 6.12, get_crandom and loss_event of net/sched/sch_netem.c; tc-netem(8)"]
    pub struct CorrelatedLoss: dyn LossModel {
        /// The probability of a loss, if `correlation` is 0.
        probability: Probability,
        /// The weight of the number before.
        correlation: Probability,
    }
    build(config, context) {
        let numbers = |stream| Correlated::new(stream, config.correlation.0);
        Box::new(Drawn { probability: config.probability.0, numbers: context.streams().into_iter().map(numbers).collect() })
    }
}

struct Drawn {
    probability: f64,
    numbers: Vec<Correlated>,
}

impl LossModel for Drawn {
    fn loses_next(&mut self, _now: Time, flow: usize) -> bool {
        self.numbers[flow].happens(self.probability)
    }
}
