//! CAIA Delay-Gradient TCP (Hayes and Armitage 2011, "Revisiting TCP congestion control using delay gradients"), and the module of Linux 6.12
//! (net/ipv4/tcp_cdg.c); names in code font are the module's.

mod gradient;
mod slow_start;

use gradient::{Extremes, Gradients, Queue};
use longfat_foundation::config::{AtLeastOne, Fraction, PositiveSpan};
use longfat_foundation::random::Stream;
use longfat_foundation::registry::{Chosen, Plan};
use longfat_foundation::units::Time;
use slow_start::TrainOrDelay;

use super::Flavor;
use crate::transport::Window;
use crate::transport::law::{
    AfterLoss, Arrivals, Classical, LawFacts, Phase, Progress, Regrowth, ResponseToMarks, SlowStart, WindowLaw,
    microseconds,
};
use crate::transport::recovery::Recovery;
use crate::transport::window::share_of_segments;

longfat_foundation::model! {
    /// CAIA Delay-Gradient TCP: once in a round trip it compares the shortest and the longest round trip with those of the round before. The
    /// more they grow, the more probably the window backs off; so it needs no threshold of delay. A shadow window remembers what back-offs
    /// have taken, for a loss among flows that go by losses.
    #[name = "cdg"]
    #[source = "Hayes and Armitage 2011, IFIP Networking, LNCS 6641; Linux 6.12, net/ipv4/tcp_cdg.c"]
    pub struct Cdg: dyn Flavor {
        /// How losses are detected and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// Rounds over which gradients are averaged (a). Linux takes powers of two.
        rounds: AtLeastOne = "8",
        /// A mean gradient of so much in a round trip backs off with a probability of 1 - 1/e (G). Linux writes it as a factor, 42, of
        /// 1/1000 per millisecond for the sum over the rounds: 2.976 ms.
        scale: PositiveSpan = "3 ms" or ["2976 us"],
        /// The share of the window that a back-off for delay leaves (beta). Linux takes the root of one half.
        share_after_delay: Fraction = "0.7" or ["0.7071"],
        /// After so many back-offs in a row that have not made round trips shorter, there are none until they are (b): something else fills
        /// the queue. 0 for no end.
        ineffectual: u64 = "5",
        /// Whether a loss takes half of the window that there would be without back-offs, and not less than half of the present one.
        shadow_window: bool = "true",
        /// Whether a loss counts only if the queue has been full, which is when the longest round trip no longer grows and the shortest does.
        /// Linux has it, and it is off.
        loss_tolerance: bool = "true" or ["false"],
        /// Whether slow start also ends when acknowledgments form a train of half a round trip, or round trips are longer by an eighth, as in
        /// Linux (hybrid slow start; Ha and Rhee 2011). In the paper a back-off or a loss ends it.
        hybrid_slow_start: bool = "false" or ["true"],
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Cdg {
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(Law::new(self.clone()))
    }

    fn recovery(&self) -> &dyn Plan<dyn Recovery> {
        &*self.recovery
    }

    fn facts(&self) -> LawFacts {
        LawFacts {
            slow_start: SlowStart::Doubles,
            ends_slow_start: true,
            has_reno_response: false,
            marks: ResponseToMarks::AsLoss,
            observes_deliveries: false,
            is_paced: false,
            leaves_pipe_idle: true,
            shrinks_without_loss: true,
        }
    }

    /// Chance decides when the window backs off. A loss that is tolerated takes nothing, and one after back-offs little.
    fn after_loss(&self, _segments: f64, _round_trip_s: f64) -> AfterLoss {
        let left = if self.loss_tolerance || self.shadow_window { 1.0 } else { SHARE_AFTER_LOSS };
        AfterLoss { left, left_after_timeout: left, regrowth: Regrowth::NoSawTooth }
    }
}

const SHARE_AFTER_LOSS: f64 = 0.5;
/// Acknowledgments of single segments that count as delayed after those of several, at most (Hayes 2010, "Timing enhancements to the FreeBSD
/// kernel to support delay and rate based TCP mechanisms").
const MOST_DELAYED: u64 = 5;

/// Reno's window that backs off as round trips grow.
struct Law {
    settings: Cdg,
    /// Round trips of this round and of the one before (`rtt`, `rtt_prev`).
    round: Option<Extremes>,
    before: Option<Extremes>,
    /// The end of this round (`rtt_seq`), and what was sent by the latest acknowledgment.
    round_end: u64,
    highest: u64,
    gradients: Gradients,
    /// Back-offs in a row without effect (`backoff_cnt`).
    without_effect: u64,
    /// Acknowledgments of single segments that are taken for delayed (`delack`).
    delayed: u64,
    /// Window in segments without back-offs (`shadow_wnd`); `None` before the first acknowledgment.
    shadow: Option<u64>,
    hybrid: TrainOrDelay,
    chance: Option<Stream>,
}

impl Law {
    fn new(settings: Cdg) -> Self {
        Self {
            gradients: Gradients::new(settings.rounds.0),
            settings,
            round: None,
            before: None,
            round_end: 0,
            highest: 0,
            without_effect: 0,
            delayed: 0,
            shadow: None,
            hybrid: TrainOrDelay::default(),
            chance: None,
        }
    }

    /// The gradient over the round that ends, in microseconds summed over the rounds (`tcp_cdg_grad`).
    fn end_round(&mut self) -> i64 {
        let gradient = match (self.round, self.before) {
            (Some(round), Some(before)) => {
                let gradient = self.gradients.add(round, before);
                if self.gradients.have_fallen() {
                    self.without_effect = 0;
                }
                gradient
            }
            _ => 0,
        };
        self.begin_round();
        self.hybrid.begin_round();
        gradient
    }

    fn begin_round(&mut self) {
        self.round_end = self.highest;
        self.before = self.round.take();
    }

    /// Whether chance and the limit of vain back-offs let the window back off (`tcp_cdg_backoff`).
    #[expect(clippy::cast_precision_loss, reason = "gradients are far below 2^53 microseconds")]
    fn backs_off(&mut self, gradient: i64) -> bool {
        let scale_us = microseconds(self.settings.scale.0) * self.settings.rounds.0;
        let probability = -libm::expm1(-gradient as f64 / scale_us as f64);
        if !self.chance.as_mut().is_some_and(|chance| chance.happens(probability)) {
            return false;
        }
        self.without_effect += 1;
        self.settings.ineffectual == 0 || self.without_effect <= self.settings.ineffectual
    }

    /// The share of the window that a loss leaves (`tcp_cdg_ssthresh`).
    fn share_after_loss(&mut self, window: &Window) -> f64 {
        if self.settings.loss_tolerance && self.gradients.queue == Queue::NotFull {
            return 1.0;
        }
        let segments = window.segments();
        let shadow = (self.shadow.unwrap_or(segments) / 2).min(segments);
        self.shadow = Some(shadow);
        if self.settings.shadow_window && shadow > segments / 2 {
            share_of_segments(shadow, segments)
        } else {
            SHARE_AFTER_LOSS
        }
    }
}

impl WindowLaw for Law {
    fn observes_arrivals(&self) -> bool {
        true
    }

    /// `tcp_cdg_acked`.
    fn on_arrivals(&mut self, _window: &mut Window, arrivals: &Arrivals) {
        let Some(us) = arrivals.microseconds() else { return };
        if arrivals.phase == Phase::Open {
            if arrivals.segments == 1 && self.delayed > 0 {
                self.delayed -= 1;
                self.round.iter_mut().for_each(|round| round.shortest = round.shortest.min(us));
                return;
            }
            self.delayed += u64::from(arrivals.segments > 1 && self.delayed < MOST_DELAYED);
        }
        Extremes::note(&mut self.round, us);
    }

    /// `tcp_cdg_cong_avoid`.
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        let is_used = progress.window_is_used || window.grows_unused();
        self.highest = progress.highest;
        let shadow = *self.shadow.get_or_insert(window.segments());
        if self.settings.hybrid_slow_start && window.in_slow_start() {
            self.hybrid.note(window, progress.now, self.round, is_used);
        }
        if progress.unacknowledged > self.round_end && self.round.is_some() {
            let gradient = self.end_round();
            if gradient > 0 && self.backs_off(gradient) {
                self.shadow = Some(shadow.max(window.segments()));
                window.back_off(self.settings.share_after_delay.0, progress.highest - progress.unacknowledged);
                return;
            }
        }
        let before = window.segments();
        if is_used {
            Classical.on_acknowledgment(window, progress);
            // The window may be larger than its limit, and then gets smaller here.
            self.shadow = Some(shadow + window.segments().saturating_sub(before));
        } else {
            self.shadow = Some(shadow.min(before));
        }
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        let share = self.share_after_loss(window);
        window.reduce(share, flight);
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        let share = self.share_after_loss(window);
        window.reduce_threshold_at_timeout(share, flight);
        window.collapse();
    }

    /// `CA_EVENT_COMPLETE_CWR`: the round in which the window was reduced has no gradient.
    fn on_recovered(&mut self, _window: &mut Window, highest: u64) {
        self.gradients.queue = Queue::Unknown;
        self.highest = highest;
        self.begin_round();
    }

    /// Everything measured is forgotten (`CA_EVENT_CWND_RESTART`).
    fn on_restart_from_idle(&mut self, _now: Time) {
        let (highest, chance) = (self.highest, self.chance.take());
        *self = Self { round_end: highest, highest, chance, ..Self::new(self.settings.clone()) };
    }

    fn take_chance(&mut self, chance: &mut dyn FnMut() -> Stream) {
        self.chance = Some(chance());
    }
}

#[cfg(test)]
mod steps;
