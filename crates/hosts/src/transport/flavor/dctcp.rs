//! DCTCP. Section numbers are those of RFC 8257.

mod kernel;

use longfat_foundation::config::Fraction;
use longfat_foundation::registry::{Chosen, Plan};

use super::Flavor;
use crate::transport::law::{
    AfterLoss, Arithmetic, Classical, LawFacts, Progress, Regrowth, ResponseToMarks, SlowStart, WindowLaw,
};
use crate::transport::recovery::Recovery;
use crate::transport::{CongestionNotification, Window};

longfat_foundation::model! {
    /// The classical law, except that marks reduce the window by half of the recent share of marked bytes. DCTCP needs to know that share,
    /// and so `ecn = "per-segment"` or `"accurate"`. Losses halve the window.
    #[name = "dctcp"]
    #[source = "RFC 8257 section 3.3"]
    pub struct Dctcp: dyn Flavor {
        /// How losses are detected and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// The weight of a new share of marked bytes in the average (g).
        gain: Fraction = "0.0625",
        /// How the law computes: in real numbers as above, or as the module of the Linux kernel does.
        arithmetic: Arithmetic = "real" or ["linux"],
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Dctcp {
    fn law(&self) -> Box<dyn WindowLaw> {
        match self.arithmetic {
            Arithmetic::Real => Box::new(Law::new(self.gain.0)),
            Arithmetic::Kernel => Box::new(kernel::Law::new(self.gain.0)),
        }
    }

    fn recovery(&self) -> &dyn Plan<dyn Recovery> {
        &*self.recovery
    }

    fn facts(&self) -> LawFacts {
        use CongestionNotification::{Accurate, AccurateAce, PerSegment};
        LawFacts {
            slow_start: SlowStart::Doubles,
            ends_slow_start: false,
            has_reno_response: true,
            marks: ResponseToMarks::ByShare(&[PerSegment, Accurate, AccurateAce]),
            observes_deliveries: false,
            is_paced: false,
            leaves_pipe_idle: false,
            shrinks_without_loss: false,
        }
    }

    /// Marks keep the window from the saw-tooth of losses.
    fn after_loss(&self, segments: f64, round_trip_s: f64) -> AfterLoss {
        AfterLoss { regrowth: Regrowth::NoSawTooth, ..AfterLoss::reno(segments, round_trip_s) }
    }
}

/// Growth as in the classical law; marks reduce the window by half of the average share of marked bytes (section 3.3).
pub(super) struct Law {
    gain: f64,
    /// The average share of marked bytes (alpha).
    share: f64,
    /// Bytes acknowledged in this observation window, and those of them that were marked.
    acknowledged: u64,
    marked: u64,
    /// The observation window ends when bytes beyond this one are acknowledged.
    window_end: u64,
}

impl Law {
    /// With `gain` as the weight of a new share; the average begins at 1 (section 3.3).
    pub(super) fn new(gain: f64) -> Self {
        Self { gain, share: 1.0, acknowledged: 0, marked: 0, window_end: 0 }
    }
}

impl WindowLaw for Law {
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        Classical.on_acknowledgment(window, progress);
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        Classical.on_loss(window, flight);
    }

    fn observes_marks(&self) -> bool {
        true
    }

    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn observe_marks(&mut self, acknowledged: u64, marked: u64, unacknowledged: u64, highest: u64) {
        self.acknowledged += acknowledged;
        self.marked += marked.min(acknowledged);
        if unacknowledged > self.window_end && self.acknowledged > 0 {
            let share = self.marked as f64 / self.acknowledged as f64;
            self.share += self.gain * (share - self.share);
            (self.acknowledged, self.marked, self.window_end) = (0, 0, highest);
        }
    }

    fn on_mark(&mut self, window: &mut Window, _flight: u64) {
        window.cwnd = (window.cwnd * (1.0 - self.share / 2.0)).max(2.0 * window.mss());
        window.ssthresh = window.cwnd;
    }

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        Classical.on_timeout(window, flight);
    }
}

#[cfg(test)]
mod steps;
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_marked_bytes_is_averaged_once_for_a_window_of_data() {
        let mut law = Law::new(0.0625);
        law.share = 0.0;
        // A window of 10 segments of 100 bytes, of which 4 are marked, ends with the first acknowledgment beyond it.
        law.window_end = 1000;
        (1..=10).for_each(|segment| law.observe_marks(100, if segment <= 4 { 100 } else { 0 }, 100 * segment, 2000));
        assert_eq!(law.share, 0.0, "not before all of it is acknowledged");
        law.observe_marks(100, 0, 1100, 2100);
        let share = 400.0 / 1100.0;
        assert!((law.share - 0.0625 * share).abs() < 1e-12);
        assert_eq!(law.window_end, 2100);
    }
}
