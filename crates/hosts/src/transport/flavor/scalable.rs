//! Scalable TCP (Kelly 2003, "Scalable TCP: improving performance in highspeed wide area networks").

mod kernel;

use longfat_foundation::config::{AtLeastOne, Fraction};
use longfat_foundation::registry::{Chosen, Plan};

use super::Flavor;
use crate::transport::Window;
use crate::transport::law::{
    AfterLoss, Arithmetic, Classical, LawFacts, Progress, Regrowth, ResponseToMarks, SlowStart, WindowLaw,
};
use crate::transport::recovery::Recovery;

longfat_foundation::model! {
    /// Scalable TCP: beyond a small window each acknowledgment adds a hundredth of a segment, and a loss removes an eighth of the window.
    /// However large the window was, it recovers in the same number of round trips.
    #[name = "scalable"]
    #[source = "Kelly 2003, ACM Computer Communication Review 33(2)"]
    pub struct Scalable: dyn Flavor {
        /// How losses are detected and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// Segments that each acknowledgment adds to the window (a). Linux had 1/50 before 6.1, for receivers that acknowledge every second segment.
        increase: Fraction = "0.01" or ["0.02"],
        /// The share of the window that a loss removes (b).
        decrease: Fraction = "0.125",
        /// Up to this window, in segments, Scalable TCP follows the classical law (lwnd). At 16 the classical law needs about the same loss
        /// rate as Scalable TCP. Linux has the classical growth up to 100 but no classical reduction; 1 is nearest to that.
        legacy_window: AtLeastOne = "16" or ["1"],
        /// How the law computes: in real numbers as above, or as the module of the Linux kernel does.
        arithmetic: Arithmetic = "real" or ["linux"],
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Scalable {
    fn law(&self) -> Box<dyn WindowLaw> {
        match self.arithmetic {
            Arithmetic::Real => Box::new(Law(self.clone())),
            Arithmetic::Kernel => Box::new(kernel::Law::new(self.clone())),
        }
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

    /// Regrowth takes a constant number of round trips, whatever the window: ln(1 - b) / -ln(1 + a).
    fn after_loss(&self, segments: f64, round_trip_s: f64) -> AfterLoss {
        let is_classical = segments <= self.legacy_window.as_f64();
        let left = self.share_left(is_classical);
        let regrowth_s = if is_classical || self.decrease.0 == 1.0 {
            segments / 2.0 * round_trip_s
        } else if self.arithmetic == Arithmetic::Kernel && segments * self.increase.0 <= 1.0 {
            // A segment for each window.
            (segments * self.decrease.0).floor() * round_trip_s
        } else {
            libm::log(1.0 - self.decrease.0) / -libm::log1p(self.increase.0) * round_trip_s
        };
        AfterLoss { left, left_after_timeout: left, regrowth: Regrowth::ByAcknowledgments(regrowth_s) }
    }
}

impl Scalable {
    /// The share of the window that remains after a loss.
    fn share_left(&self, is_classical: bool) -> f64 {
        if is_classical { 0.5 } else { 1.0 - self.decrease.0 }
    }
}

/// Growth and reduction in proportion to the window.
struct Law(Scalable);

impl Law {
    fn is_classical(&self, window: &Window) -> bool {
        window.cwnd <= self.0.legacy_window.as_f64() * window.mss()
    }

    fn share_left(&self, window: &Window) -> f64 {
        self.0.share_left(self.is_classical(window))
    }
}

impl WindowLaw for Law {
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if window.in_slow_start() || self.is_classical(window) {
            Classical.on_acknowledgment(window, progress);
        } else if progress.window_is_used || window.grows_unused() {
            let segments = window.cwnd / window.mss();
            window.grow_linearly_by(self.0.increase.0 * segments, progress.acknowledged);
        }
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        window.reduce(self.share_left(window), flight);
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        window.reduce_threshold_at_timeout(self.share_left(window), flight);
        window.collapse();
    }
}

#[cfg(test)]
mod steps;
