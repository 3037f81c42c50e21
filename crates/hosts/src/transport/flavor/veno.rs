//! TCP Veno (Fu and Liew 2003, "TCP Veno: TCP enhancement for transmission over wireless access networks"), and the module of Linux 6.12
//! (net/ipv4/tcp_veno.c).

use longfat_foundation::config::{Fraction, PositiveNumber};
use longfat_foundation::registry::{Chosen, Plan};
use longfat_foundation::units::Time;

use super::Flavor;
use crate::transport::Window;
use crate::transport::law::{
    AfterLoss, Arithmetic, Arrivals, LawFacts, Phase, Progress, Regrowth, ResponseToMarks, RoundTrips, SlowStart,
    WindowLaw,
};
use crate::transport::recovery::Recovery;

longfat_foundation::choice! {
    /// Round trips among which Veno's shortest one is.
    pub enum VenoBase {
        /// Those since the latest loss.
        SinceLoss = "since-loss",
        /// All of the connection, as in Vegas.
        Connection = "connection",
    }
}

longfat_foundation::model! {
    /// TCP Veno: Reno that estimates as Vegas does how many of its segments wait in queues. While they are few, a loss is not one of
    /// congestion and takes a fifth of the window; while they are many, the window grows by a segment in two round trips only, and a loss
    /// takes half.
    #[name = "veno"]
    #[source = "Fu and Liew 2003, IEEE Journal on Selected Areas in Communications 21(2); Linux 6.12, net/ipv4/tcp_veno.c"]
    pub struct Veno: dyn Flavor {
        /// How losses are detected and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// With fewer segments than this in queues, the path is not congested (beta).
        backlog: PositiveNumber = "3",
        /// The share of the window that remains after a loss while the path is not congested.
        share_after_random_loss: Fraction = "0.8",
        /// Which round trip is the one without queues. The paper forgets the shortest at each loss; Linux never does but after a pause.
        base_round_trip: VenoBase = "since-loss" or ["connection"],
        /// How the law computes: in real numbers, or as the module of the Linux kernel does, in halves of a segment rounded up, and with an
        /// acknowledgment more for each segment of growth while the path is congested.
        arithmetic: Arithmetic = "real" or ["linux"],
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Veno {
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(Law::new(self.clone()))
    }

    fn recovery(&self) -> &dyn Plan<dyn Recovery> {
        &*self.recovery
    }

    fn facts(&self) -> LawFacts {
        LawFacts {
            slow_start: SlowStart::Doubles,
            ends_slow_start: false,
            has_reno_response: false,
            marks: ResponseToMarks::AsLoss,
            observes_deliveries: false,
            is_paced: false,
            leaves_pipe_idle: false,
            shrinks_without_loss: false,
        }
    }

    /// Queues decide how much a loss takes, and how fast the window grows back.
    fn after_loss(&self, _segments: f64, _round_trip_s: f64) -> AfterLoss {
        let left = self.share_after_random_loss.0.max(SHARE_AFTER_CONGESTION);
        AfterLoss { left, left_after_timeout: left, regrowth: Regrowth::NoSawTooth }
    }
}

const SHARE_AFTER_CONGESTION: f64 = 0.5;
/// Segments per round trip while the path is congested.
const CAUTIOUS_GROWTH: f64 = 0.5;

/// Reno's window with a state of the path.
struct Law {
    settings: Veno,
    /// The shortest of all, and since the window last grew (`basertt`, `minrtt`).
    round_trips: RoundTrips,
    is_congested: bool,
    /// Whether the next segment of growth counts, of two (`inc`).
    counts: bool,
}

impl Law {
    fn new(settings: Veno) -> Self {
        Self { settings, round_trips: RoundTrips::new(), is_congested: false, counts: true }
    }

    /// Whether too many segments wait in queues: the window times 1 - base / round trip.
    #[expect(clippy::cast_precision_loss, reason = "round trips are far below 2^53 microseconds")]
    fn judge(&mut self, window: &Window) {
        let RoundTrips { base, shortest, .. } = self.round_trips;
        let backlog = match self.settings.arithmetic {
            Arithmetic::Real => window.cwnd / window.mss() * (1.0 - base as f64 / shortest as f64),
            Arithmetic::Kernel => {
                let halves = 2 * window.segments();
                (halves - halves * base / shortest) as f64 / 2.0
            }
        };
        self.is_congested = backlog >= self.settings.backlog.0;
    }

    /// A segment in two round trips.
    fn grow_cautiously(&mut self, window: &mut Window, acknowledged: u64) {
        if self.settings.arithmetic == Arithmetic::Real {
            return window.grow_linearly_by(CAUTIOUS_GROWTH, acknowledged);
        }
        let (segments, acknowledged) = (window.segments(), window.in_segments(acknowledged));
        if window.credit < segments {
            window.credit += acknowledged;
            return;
        }
        window.credit = 0;
        window.set_segments(segments + u64::from(self.counts));
        self.counts = !self.counts;
    }

    /// The share that a loss leaves.
    fn share_after_loss(&self) -> f64 {
        if self.is_congested { SHARE_AFTER_CONGESTION } else { self.settings.share_after_random_loss.0 }
    }

    fn note_loss(&mut self) {
        if self.settings.base_round_trip == VenoBase::SinceLoss {
            (self.round_trips.base, self.round_trips.shortest) = (u64::MAX, u64::MAX);
        }
    }
}

impl WindowLaw for Law {
    fn observes_arrivals(&self) -> bool {
        true
    }

    fn on_arrivals(&mut self, _window: &mut Window, arrivals: &Arrivals) {
        self.round_trips.note(arrivals);
    }

    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if !(progress.window_is_used || window.grows_unused()) {
            return;
        }
        let is_open = progress.phase == Phase::Open;
        let judges = is_open && self.round_trips.are_enough();
        if judges {
            self.judge(window);
        }
        if is_open {
            self.round_trips.shortest = u64::MAX;
        }
        if !judges || !self.is_congested || window.in_slow_start() {
            window.grow_classically(progress.acknowledged);
        } else {
            self.grow_cautiously(window, progress.acknowledged);
        }
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        window.reduce(self.share_after_loss(), flight);
        self.note_loss();
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        window.reduce_threshold_at_timeout(self.share_after_loss(), flight);
        window.collapse();
        self.note_loss();
    }

    /// Everything measured is forgotten.
    fn on_restart_from_idle(&mut self, _now: Time) {
        *self = Self::new(self.settings.clone());
    }
}

#[cfg(test)]
mod steps;
