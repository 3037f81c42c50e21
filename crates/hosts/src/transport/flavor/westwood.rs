//! TCP Westwood+ (Grieco and Mascolo 2004, "Performance evaluation and comparison of Westwood+, New Reno, and Vegas TCP congestion
//! control"); names in code font are the paper's.

mod kernel;

use longfat_foundation::config::Fraction;
use longfat_foundation::registry::{Chosen, Plan};
use longfat_foundation::units::{Span, Time};

use super::Flavor;
use crate::transport::Window;
use crate::transport::law::{
    AfterLoss, Arithmetic, Classical, LawFacts, Progress, Regrowth, ResponseToMarks, SlowStart, WindowLaw,
};
use crate::transport::recovery::Recovery;

longfat_foundation::model! {
    /// TCP Westwood+: the classical law, except that a loss reduces the window to the measured bandwidth times the minimum round trip, not
    /// to a half. So a loss that is not due to congestion costs little.
    #[name = "westwood"]
    #[source = "Grieco and Mascolo 2004, ACM Computer Communication Review 34(2); Mascolo et al. 2001"]
    pub struct Westwood: dyn Flavor {
        /// How losses are detected and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// The weight of the old average when a new bandwidth sample arrives, once per round trip. Linux filters twice, with 7/8.
        memory: Fraction = "0.9" or ["0.875"],
        /// How the law computes: in real numbers as above, or as the module of the Linux kernel does.
        arithmetic: Arithmetic = "real" or ["linux"],
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Westwood {
    fn law(&self) -> Box<dyn WindowLaw> {
        match self.arithmetic {
            Arithmetic::Real => Box::new(Law::new(self.memory.0)),
            Arithmetic::Kernel => Box::new(kernel::Law::new(self.memory.0)),
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

    /// The measured bandwidth says how much remains.
    fn after_loss(&self, _segments: f64, _round_trip_s: f64) -> AfterLoss {
        AfterLoss { left: 1.0, left_after_timeout: 1.0, regrowth: Regrowth::NoSawTooth }
    }
}

/// Shortest interval of a bandwidth sample, as in Linux: a few acknowledgments say more about bursts than about the path.
const LEAST_INTERVAL: Span = Span::from_microseconds(50_000);

/// The classical law, except that a loss reduces the window to what the path was found to carry.
struct Law {
    /// The weight of the old average when a new sample arrives.
    memory: f64,
    /// The average rate of acknowledged data, in bytes per second (`BWE`).
    bandwidth: Option<f64>,
    /// The beginning of the present sample, and the bytes acknowledged by then.
    began: Option<(Time, u64)>,
    /// The minimum round trip (`RTTmin`).
    shortest: Option<Span>,
}

impl Law {
    fn new(memory: f64) -> Self {
        Self { memory, bandwidth: None, began: None, shortest: None }
    }

    /// Samples the bandwidth once per round trip: bytes acknowledged, over the time that has passed.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn measure(&mut self, progress: &Progress) {
        let Some((time, acknowledged)) = self.began else {
            self.began = Some((progress.now, progress.unacknowledged));
            return;
        };
        let interval = progress.now - time;
        let least = progress.smoothed_round_trip.map_or(LEAST_INTERVAL, |round_trip| round_trip.max(LEAST_INTERVAL));
        if interval < least {
            return;
        }
        let sample = (progress.unacknowledged - acknowledged) as f64 / interval.as_seconds();
        self.bandwidth =
            Some(self.bandwidth.map_or(sample, |before| self.memory * before + (1.0 - self.memory) * sample));
        self.began = Some((progress.now, progress.unacknowledged));
    }

    /// Bytes that the path holds without a queue, at least two segments; `None` without a measurement.
    fn path(&self, window: &Window) -> Option<f64> {
        let (bandwidth, shortest) = self.bandwidth.zip(self.shortest)?;
        Some((bandwidth * shortest.as_seconds()).max(2.0 * window.mss()))
    }
}

impl WindowLaw for Law {
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if let Some(sample) = progress.sample {
            self.shortest = Some(self.shortest.map_or(sample, |shortest| shortest.min(sample)));
        }
        self.measure(progress);
        Classical.on_acknowledgment(window, progress);
    }

    fn on_opened(&mut self, _now: Time, round_trip: Span) {
        self.shortest = Some(round_trip);
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        let Some(path) = self.path(window) else { return Classical.on_loss(window, flight) };
        window.ssthresh = path;
        window.cwnd = window.cwnd.min(path);
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        let Some(path) = self.path(window) else { return Classical.on_timeout(window, flight) };
        window.ssthresh = path;
        window.collapse();
    }

    /// A pause would count as low bandwidth.
    fn on_restart_from_idle(&mut self, _now: Time) {
        self.began = None;
    }
}

#[cfg(test)]
mod steps;
