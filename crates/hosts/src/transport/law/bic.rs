//! The window of BIC TCP (Xu, Harfoush and Rhee 2004, "Binary increase congestion control (BIC) for fast long-distance networks"), as Linux has
//! it.

use super::{Classical, Progress, Window, WindowLaw};

/// Before the first loss, and after a timeout, it grows by this share of the window in a round trip at least, as in Linux: no search has begun.
const LEAST_UNGUIDED_INCREASE: f64 = 0.05;

/// Its parameters, windows in segments.
#[derive(Clone, Copy, Debug)]
pub struct BicSettings {
    /// Up to this window it is the classical law.
    pub low_window: f64,
    /// It grows by no more than this in a round trip (`Smax`).
    pub max_increment: f64,
    /// By what the distance to the last maximum is divided in a round trip (`B`).
    pub search_divisor: f64,
    /// Round trips for the last `B` segments up to the maximum, and for the first `B` beyond it.
    pub smooth_part: f64,
    /// What a loss leaves of the window.
    pub beta: f64,
    /// Whether a window that did not reach the last maximum sets a lower one.
    pub fast_convergence: bool,
}

/// A search for the window at which the last loss came, fast where that is far and slow where it is near, and for a larger one beyond it.
pub struct Bic {
    settings: BicSettings,
    /// The window, in segments, that the search is for; `None` if there was no loss, or a timeout since.
    maximum: Option<f64>,
}

impl Bic {
    /// Before any loss.
    #[must_use]
    pub fn new(settings: BicSettings) -> Self {
        Self { settings, maximum: None }
    }

    /// Segments by which a window of so many grows in a round trip, by no more than was acknowledged.
    fn increase(&self, segments: f64) -> f64 {
        if segments <= self.settings.low_window {
            return 1.0;
        }
        let increase = match self.maximum {
            Some(maximum) if segments < maximum => self.search(maximum - segments),
            Some(maximum) => self.probe(segments - maximum),
            None => self.probe(segments).max(LEAST_UNGUIDED_INCREASE * segments),
        };
        increase.min(segments)
    }

    /// So far below the maximum.
    fn search(&self, distance: f64) -> f64 {
        let BicSettings { search_divisor, max_increment, .. } = self.settings;
        if distance <= search_divisor { self.smooth() } else { (distance / search_divisor).min(max_increment) }
    }

    /// So far beyond it: as slowly at first, then the faster the farther.
    fn probe(&self, distance: f64) -> f64 {
        let BicSettings { search_divisor, max_increment, .. } = self.settings;
        if distance < search_divisor { self.smooth() } else { (distance / (search_divisor - 1.0)).min(max_increment) }
    }

    fn smooth(&self) -> f64 {
        (self.settings.search_divisor / self.settings.smooth_part).min(self.settings.max_increment)
    }

    /// Notes where a loss comes; gives what it leaves of the window.
    fn note_loss(&mut self, window: &Window) -> f64 {
        let BicSettings { low_window, beta, fast_convergence, .. } = self.settings;
        let segments = window.cwnd / window.mss();
        let gives_way = fast_convergence && self.maximum.is_some_and(|maximum| segments < maximum);
        self.maximum = Some(if gives_way { segments * (1.0 + beta) / 2.0 } else { segments });
        if segments <= low_window { 0.5 } else { beta }
    }
}

impl WindowLaw for Bic {
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

    /// What the search has found is forgotten.
    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        let share = self.note_loss(window);
        self.maximum = None;
        window.reduce_threshold_at_timeout(share, flight);
        window.collapse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINUX: BicSettings = BicSettings {
        low_window: 14.0,
        max_increment: 16.0,
        search_divisor: 4.0,
        smooth_part: 20.0,
        beta: 0.8,
        fast_convergence: true,
    };

    fn increase(maximum: impl Into<Option<f64>>, segments: f64) -> f64 {
        Bic { settings: LINUX, maximum: maximum.into() }.increase(segments)
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
