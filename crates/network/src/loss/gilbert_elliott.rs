//! Losses in bursts (Gilbert-Elliott channel).

use longfat_foundation::config::Probability;
use longfat_foundation::random::Stream;
use longfat_foundation::units::Time;

use super::{LossContext, LossModel};

longfat_foundation::model! {
    /// A two-state channel, good or bad, that may change state after each packet. Losses come in bursts: of 1 / bad_to_good packets on
    /// average, if every packet is lost in the bad state and none in the good. Each flow has a channel of its own, which starts in its
    /// stationary distribution.
    #[name = "gilbert-elliott"]
    #[source = "Gilbert 1960; Elliott 1963"]
    pub struct GilbertElliott: dyn LossModel {
        /// P, the probability that the channel turns bad after a packet.
        good_to_bad: Probability,
        /// p, the probability that it turns good again.
        bad_to_good: Probability,
        /// The loss probability in the good state: 1 - k of Elliott, 0 of Gilbert.
        loss_in_good: Probability = "0.0",
        /// The loss probability in the bad state: 1 - h.
        loss_in_bad: Probability = "1.0",
    }
    build(config, context) { Box::new(Channels::new(config, context)) }
}

struct Channels {
    config: GilbertElliott,
    chance: Vec<Stream>,
    is_bad: Vec<bool>,
}

impl Channels {
    fn new(config: &GilbertElliott, context: &LossContext) -> Self {
        let mut chance = context.streams();
        let is_bad = chance.iter_mut().map(|stream| stream.happens(config.share_of_bad())).collect();
        Self { config: config.clone(), chance, is_bad }
    }
}

impl GilbertElliott {
    /// Stationary probability of the bad state: P / (P + p); a channel that never changes is good.
    fn share_of_bad(&self) -> f64 {
        let (turns_bad, turns_good) = (self.good_to_bad.0, self.bad_to_good.0);
        if turns_bad == 0.0 { 0.0 } else { turns_bad / (turns_bad + turns_good) }
    }
}

impl LossModel for Channels {
    fn loses_next(&mut self, _now: Time, flow: usize) -> bool {
        let (config, chance, is_bad) = (&self.config, &mut self.chance[flow], &mut self.is_bad[flow]);
        let (loss, change) =
            if *is_bad { (config.loss_in_bad, config.bad_to_good) } else { (config.loss_in_good, config.good_to_bad) };
        let is_lost = chance.happens(loss.0);
        *is_bad ^= chance.happens(change.0);
        is_lost
    }
}
