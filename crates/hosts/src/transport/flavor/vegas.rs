//! TCP Vegas (Brakmo and Peterson 1995, "TCP Vegas: end to end congestion avoidance on a global Internet"); names in code font are the
//! paper's.

mod kernel;

use longfat_foundation::config::{Fraction, PositiveNumber};
use longfat_foundation::registry::{Chosen, Plan};
use longfat_foundation::units::{Span, Time};

use super::Flavor;
use crate::transport::Window;
use crate::transport::law::{
    AfterLoss, Arithmetic, Classical, LawFacts, MeasuredRound, Progress, Regrowth, ResponseToMarks, SlowStart,
    WindowLaw,
};
use crate::transport::recovery::Recovery;

longfat_foundation::choice! {
    /// The round trip that Vegas compares with the shortest ever.
    pub enum VegasRoundTrip {
        /// The mean of the samples of a round trip.
        Mean = "mean",
        /// The minimum of these samples, which delayed acknowledgments and bursts do not lengthen.
        Shortest = "shortest",
    }
}

longfat_foundation::model! {
    /// TCP Vegas: once per round trip the window grows or shrinks by one segment, so that a few of its segments wait in queues. It
    /// estimates their number from the difference between the round trip and the minimum so far. With `timestamps` every acknowledgment
    /// measures a round trip; otherwise one segment per window does.
    #[name = "vegas"]
    #[source = "Brakmo and Peterson 1995, IEEE Journal on Selected Areas in Communications 13(8)"]
    pub struct Vegas: dyn Flavor {
        /// How losses are detected and repaired. Vegas' own retransmissions by a finer clock are not modelled: this recovery does it.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// With fewer segments than this in queues, the window grows. The paper uses 1 and 3, or 2 and 4; Linux 2 and 4.
        alpha: PositiveNumber = "1" or ["2"],
        /// With more segments than this in queues, the window shrinks, whatever alpha is.
        beta: PositiveNumber = "3" or ["4"],
        /// With more segments than this in queues, slow start ends.
        gamma: PositiveNumber = "1",
        /// Which round trip is compared with the minimum. ns-2, after the authors' own program, uses the mean; Linux uses the minimum of
        /// the last round trip.
        round_trip: VegasRoundTrip = "mean" or ["shortest"],
        /// Whether slow start doubles the window every second round trip, as in the paper, or every round trip, as in Linux.
        cautious_slow_start: bool = "true" or ["false"],
        /// The share of the window that remains after a loss. Reno and Linux halve it; ns-2, after the authors' own program, keeps three
        /// quarters.
        share_after_loss: Fraction = "0.5" or ["0.75"],
        /// How the law computes: in real numbers as above, or as the module of the Linux kernel does.
        arithmetic: Arithmetic = "real" or ["linux"],
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Vegas {
    fn law(&self) -> Box<dyn WindowLaw> {
        match self.arithmetic {
            Arithmetic::Real => Box::new(Law::new(self.clone())),
            Arithmetic::Kernel => Box::new(kernel::Law::new(self.clone())),
        }
    }

    fn recovery(&self) -> &dyn Plan<dyn Recovery> {
        &*self.recovery
    }

    fn facts(&self) -> LawFacts {
        LawFacts {
            slow_start: if self.cautious_slow_start { SlowStart::Slower } else { SlowStart::Doubles },
            ends_slow_start: true,
            has_reno_response: self.share_after_loss.0 == 0.5,
            marks: ResponseToMarks::AsLoss,
            observes_deliveries: false,
            is_paced: false,
            leaves_pipe_idle: false,
            shrinks_without_loss: true,
        }
    }

    /// Queueing delays keep the window from the saw-tooth of losses.
    fn after_loss(&self, _segments: f64, _round_trip_s: f64) -> AfterLoss {
        AfterLoss { left: self.share_after_loss.0, left_after_timeout: 0.5, regrowth: Regrowth::NoSawTooth }
    }
}

/// Growth and reduction by the number of segments in queues, judged once per round trip.
struct Law {
    settings: Vegas,
    /// The minimum round trip (`BaseRTT`).
    base: Option<Span>,
    round: Option<MeasuredRound>,
    /// Whether slow start grows in this round trip; if not, the round trip shows whether the window fills queues.
    grows: bool,
}

impl Law {
    fn new(settings: Vegas) -> Self {
        Self { settings, base: None, round: None, grows: true }
    }

    /// Segments in queues during a round trip (`Diff` times `BaseRTT`): (Expected - Actual) * `BaseRTT`, where Expected is the window over
    /// `BaseRTT` and Actual the window over the round trip. `None` without a sample.
    fn waiting(&self, window: &Window, round: &MeasuredRound) -> Option<f64> {
        let (base, shortest) = self.base.zip(round.shortest())?;
        let round_trip = match self.settings.round_trip {
            VegasRoundTrip::Shortest => shortest.as_seconds(),
            VegasRoundTrip::Mean => round.mean_seconds()?,
        };
        Some(window.cwnd / window.mss() * (1.0 - base.as_seconds() / round_trip))
    }

    /// Adjusts the window at the end of a round trip.
    fn judge(&mut self, window: &mut Window, round: &MeasuredRound, window_is_used: bool) {
        let waiting = self.waiting(window, round);
        if window.in_slow_start() {
            if waiting.is_some_and(|waiting| waiting > self.settings.gamma.0) {
                end_slow_start(window);
            }
            self.grows = !(self.grows && self.settings.cautious_slow_start);
            return;
        }
        let Some(waiting) = waiting else { return };
        if waiting > self.settings.beta.0 {
            window.cwnd = (window.cwnd - window.mss()).max(2.0 * window.mss()).min(window.cwnd);
            end_slow_start(window);
        } else if waiting < self.settings.alpha.0 && window_is_used {
            window.grow(window.mss());
        }
    }

    /// Drops samples that are out of date.
    fn forget_round(&mut self) {
        self.round = None;
        self.grows = true;
    }
}

/// Sets the threshold below the window, so that slow start ends even if it includes the threshold, but to at least two segments (RFC 5681
/// equation 4).
fn end_slow_start(window: &mut Window) {
    window.ssthresh = window.ssthresh.min((window.cwnd - window.mss()).max(2.0 * window.mss()));
}

impl WindowLaw for Law {
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        let window_is_used = progress.window_is_used || window.grows_unused();
        if let Some(over) = MeasuredRound::take_in(&mut self.round, progress) {
            self.judge(window, &over, window_is_used);
        }
        if let Some(sample) = progress.sample {
            self.base = Some(self.base.map_or(sample, |base| base.min(sample)));
        }
        if window.in_slow_start() && self.grows && window_is_used {
            Classical.on_acknowledgment(window, progress);
        }
    }

    fn on_restart_from_idle(&mut self, _now: Time) {
        self.forget_round();
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        self.forget_round();
        window.reduce(self.settings.share_after_loss.0, flight);
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        self.forget_round();
        Classical.on_timeout(window, flight);
    }
}

#[cfg(test)]
mod steps;
