//! BIC TCP (Xu, Harfoush and Rhee 2004, "Binary increase congestion control (BIC) for fast long-distance networks"), as in Linux.

mod kernel;

use longfat_foundation::config::{AtLeastOne, Fraction, Gain};
use longfat_foundation::registry::{Chosen, Plan};

use super::Flavor;
use crate::transport::Window;
use crate::transport::law::{
    AfterLoss, Arithmetic, Classical, LawFacts, Progress, Regrowth, ResponseToMarks, SlowStart, WindowLaw,
};
use crate::transport::recovery::Recovery;

longfat_foundation::model! {
    /// BIC TCP: the window searches for the one at which the last loss came, by a part of the distance in each round trip but no more than a number of
    /// segments; it stays near it for long, and then leaves it ever faster. A loss takes a fifth. Linux had it before CUBIC.
    #[name = "bic"]
    #[source = "Xu, Harfoush and Rhee 2004, INFOCOM; Linux, tcp_bic"]
    pub struct Bic: dyn Flavor {
        /// How losses are noticed and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// Up to this window, in segments, it is the classical law.
        low_window: AtLeastOne = "14",
        /// Most segments by which the window grows in a round trip (Smax). 16 as in Linux; the paper has 32.
        max_increment: AtLeastOne = "16" or ["32"],
        /// By what the distance to the last maximum is divided in a round trip (B). 4 as in Linux; 2 is the paper's binary search.
        search_divisor: Gain = "4" or ["2"],
        /// Round trips that the last `search_divisor` segments take up to the maximum, and the first beyond it; in Linux's place of the paper's Smin.
        smooth_part: AtLeastOne = "20",
        /// Share of the window that remains after a loss (beta). Linux has 819/1024; the paper 0.875.
        beta: Fraction = "0.8" or ["0.875"],
        /// Whether a window that did not reach the last maximum gives way some more.
        fast_convergence: bool = "true" or ["false"],
        /// How the law computes: in real numbers as above, or as the module of the Linux kernel does.
        arithmetic: Arithmetic = "real" or ["linux"],
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Bic {
    fn law(&self) -> Box<dyn WindowLaw> {
        match self.arithmetic {
            Arithmetic::Real => Box::new(Law::new(self.clone())),
            Arithmetic::Kernel => Box::new(kernel::Law::new(self)),
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

    /// By `Smax` per round trip, then by a part of the distance to the maximum, then slowly.
    fn after_loss(&self, segments: f64, round_trip_s: f64) -> AfterLoss {
        let left = self.share_left(segments);
        let round_trips =
            if segments <= self.low_window.as_f64() { segments / 2.0 } else { self.round_trips_to(segments) };
        let regrowth = match self.arithmetic {
            // The kernel's estimate of what an acknowledgment covers settles near twice the least, so growth is twice as fast.
            Arithmetic::Kernel if segments > self.low_window.as_f64() => {
                Regrowth::ByTime(round_trips / 2.0 * round_trip_s)
            }
            _ => Regrowth::ByAcknowledgments(round_trips * round_trip_s),
        };
        AfterLoss { left, left_after_timeout: left, regrowth }
    }
}

/// Least growth per round trip as a share of the window before the first loss and after a timeout, when no search has begun; as in Linux.
const LEAST_UNGUIDED_INCREASE: f64 = 0.05;

impl Bic {
    /// The share of a window that remains after a loss.
    fn share_left(&self, segments: f64) -> f64 {
        if segments <= self.low_window.as_f64() { 0.5 } else { self.beta.0 }
    }

    /// Round trips from a reduction back to the maximum.
    fn round_trips_to(&self, maximum: f64) -> f64 {
        let (divisor, most) = (self.search_divisor.0, self.max_increment.as_f64());
        let distance = maximum * (1.0 - self.beta.0);
        // The kernel's quotient of the distance is at most 1 up to twice the divisor.
        let slow_part = if self.arithmetic == Arithmetic::Kernel { 2.0 * divisor } else { divisor };
        let last = slow_part.min(distance);
        let near = distance.min(divisor * most).max(last);
        let searching = if last > 0.0 { divisor * libm::log(near / last) } else { 0.0 };
        let slowly = last * (self.smooth_part.as_f64() / divisor).max(1.0 / most);
        (distance - near) / most + searching + slowly
    }
}

/// A search for the window of the last loss, fast where that is far and slow where it is near, and then for a larger one.
struct Law {
    settings: Bic,
    /// The window, in segments, at the last loss; `None` before the first loss and after a timeout.
    maximum: Option<f64>,
}

impl Law {
    fn new(settings: Bic) -> Self {
        Self { settings, maximum: None }
    }

    /// Growth of a window in segments per round trip, at most one for each segment acknowledged.
    fn increase(&self, segments: f64) -> f64 {
        if segments <= self.settings.low_window.as_f64() {
            return 1.0;
        }
        let increase = match self.maximum {
            Some(maximum) if segments < maximum => self.search(maximum - segments),
            Some(maximum) => self.probe(segments - maximum),
            None => self.probe(segments).max(LEAST_UNGUIDED_INCREASE * segments),
        };
        increase.min(segments)
    }

    /// Growth at this distance below the maximum.
    fn search(&self, distance: f64) -> f64 {
        let divisor = self.settings.search_divisor.0;
        if distance <= divisor { self.smooth() } else { (distance / divisor).min(self.settings.max_increment.as_f64()) }
    }

    /// Growth at this distance above the maximum: slow at first, then faster with the distance.
    fn probe(&self, distance: f64) -> f64 {
        let divisor = self.settings.search_divisor.0;
        if distance < divisor {
            self.smooth()
        } else {
            (distance / (divisor - 1.0)).min(self.settings.max_increment.as_f64())
        }
    }

    fn smooth(&self) -> f64 {
        let Bic { search_divisor, smooth_part, max_increment, .. } = &self.settings;
        (search_divisor.0 / smooth_part.as_f64()).min(max_increment.as_f64())
    }

    /// Records the window of a loss; returns the share that remains of it.
    fn note_loss(&mut self, window: &Window) -> f64 {
        let segments = window.cwnd / window.mss();
        let gives_way = self.settings.fast_convergence && self.maximum.is_some_and(|maximum| segments < maximum);
        self.maximum = Some(if gives_way { segments * (1.0 + self.settings.beta.0) / 2.0 } else { segments });
        self.settings.share_left(segments)
    }
}

impl WindowLaw for Law {
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if window.in_slow_start() {
            Classical.on_acknowledgment(window, progress);
        } else if progress.window_is_used || window.grows_unused() {
            window.grow_linearly_by(self.increase(window.cwnd / window.mss()), progress.acknowledged);
        }
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        let share = self.note_loss(window);
        window.reduce(share, flight);
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    /// Abandons the search.
    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        let share = self.note_loss(window);
        self.maximum = None;
        window.reduce_threshold_at_timeout(share, flight);
        window.collapse();
    }
}

#[cfg(test)]
mod steps;
#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::law::with_defaults;

    fn increase(maximum: impl Into<Option<f64>>, segments: f64) -> f64 {
        Law { settings: with_defaults(), maximum: maximum.into() }.increase(segments)
    }

    #[test]
    fn below_the_maximum_it_goes_a_quarter_of_the_way_by_sixteen_segments_at_most() {
        assert_eq!([400.0, 435.0, 436.0].map(|segments| increase(500.0, segments)), [16.0, 16.0, 16.0]);
        assert_eq!([460.0, 480.0, 495.0].map(|segments| increase(500.0, segments)), [10.0, 5.0, 1.25]);
    }

    #[test]
    fn near_the_maximum_it_takes_twenty_round_trips_for_four_segments() {
        assert_eq!([496.0, 499.0, 500.0, 503.9].map(|segments| increase(500.0, segments)), [0.2; 4]);
    }

    #[test]
    fn beyond_the_maximum_it_grows_by_a_third_of_the_way_from_it() {
        assert_eq!(
            [504.0, 512.0, 548.0, 900.0].map(|segments| increase(500.0, segments)),
            [4.0 / 3.0, 4.0, 16.0, 16.0]
        );
    }

    /// 30 / 3; a twentieth of 320 is 16, and of 1000 it is 50.
    #[test]
    fn without_a_maximum_it_grows_by_a_twentieth_at_least() {
        assert_eq!([30.0, 48.0, 320.0, 1000.0].map(|segments| increase(None, segments)), [10.0, 16.0, 16.0, 50.0]);
    }

    #[test]
    fn a_window_grows_by_no_more_than_was_acknowledged() {
        assert_eq!(increase(500.0, 15.0), 15.0);
    }
}
