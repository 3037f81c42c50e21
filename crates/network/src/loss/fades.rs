//! Losses in fades: a channel of two states that last by time.

use longfat_foundation::config::{PositiveSpan, Probability, format_span};
use longfat_foundation::random::Stream;
use longfat_foundation::units::{Span, Time};

use super::{LossContext, LossModel};

longfat_foundation::model! {
    /// A two-state channel, good or bad, whose states last for exponentially distributed times, however many packets come: fades of a radio
    /// line. All flows see the same fades, and each packet finds the state of the time at which it comes. The channel starts in its
    /// stationary distribution. States of `gilbert-elliott` are counted in packets instead.
    #[name = "fades"]
    #[source = "Elliott 1963; Lutz, Cygan, Dippold, Dolainsky and Papke 1991 (states that last by time)"]
    pub struct Fades: dyn LossModel {
        /// Mean time in the good state.
        good: PositiveSpan,
        /// Mean time in the bad state: the mean length of a fade.
        bad: PositiveSpan,
        /// The loss probability in the good state.
        loss_in_good: Probability = "0.0",
        /// The loss probability in the bad state.
        loss_in_bad: Probability = "1.0",
    }
    build(config, context) { Box::new(Channel::new(config, context)) }
    objections(config, context) {
        let period = config.good.0.0.saturating_add(config.bad.0.0);
        let is_too_fast = context.duration.0 / period > MOST_FADES;
        let message = || format!("a fade every {} is too often: more than {MOST_FADES} in a run", format_span(Span(period)));
        is_too_fast.then(|| ("good", message())).into_iter().collect()
    }
}

/// Maximum of fades in a run; more are taken for a mistake.
const MOST_FADES: u64 = 100_000;

struct Channel {
    config: Fades,
    sojourns: Stream,
    is_bad: bool,
    /// When the state ends.
    until: Time,
    chance: Vec<Stream>,
}

impl Channel {
    fn new(config: &Fades, context: &LossContext) -> Self {
        let mut sojourns = context.stream_of("sojourns");
        let is_bad = sojourns.happens(config.share_of_bad());
        let mut channel =
            Self { config: config.clone(), sojourns, is_bad, until: Time::ZERO, chance: context.streams() };
        channel.stay();
        channel
    }

    /// Draws how long the state lasts from its beginning on; what is left of an exponential time is as long.
    fn stay(&mut self) {
        let mean = if self.is_bad { self.config.bad } else { self.config.good };
        self.until = self.until.saturating_add(self.sojourns.exponential(mean.0));
    }

    fn is_bad_at(&mut self, now: Time) -> bool {
        while self.until <= now {
            self.is_bad = !self.is_bad;
            self.stay();
        }
        self.is_bad
    }
}

impl Fades {
    /// Stationary probability of the bad state.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    fn share_of_bad(&self) -> f64 {
        let (good, bad) = (self.good.0.0 as f64, self.bad.0.0 as f64);
        bad / (good + bad)
    }
}

impl LossModel for Channel {
    fn loses_next(&mut self, now: Time, flow: usize) -> bool {
        let loss = if self.is_bad_at(now) { self.config.loss_in_bad } else { self.config.loss_in_good };
        self.chance[flow].happens(loss.0)
    }
}
