//! TCP Hybla (Caini and Firrincieli 2004, "TCP Hybla: a TCP enhancement for heterogeneous networks"); names in code font are the paper's.

mod kernel;

use longfat_foundation::config::PositiveSpan;
use longfat_foundation::registry::{Chosen, Plan};
use longfat_foundation::units::{Span, Time};

use super::Flavor;
use crate::transport::Window;
use crate::transport::law::{
    AfterLoss, Arithmetic, Classical, LawFacts, Progress, Regrowth, ResponseToMarks, SlowStart, WindowLaw,
};
use crate::transport::recovery::Recovery;

longfat_foundation::choice! {
    /// The round trip that Hybla goes by.
    pub enum HyblaRoundTrip {
        /// The minimum of the smoothed round trips so far, so that queueing does not make it faster.
        Shortest = "shortest",
        /// The smoothed round trip itself.
        Smoothed = "smoothed",
    }
}

longfat_foundation::model! {
    /// TCP Hybla, made for satellites: over a long round trip its rate grows like that of a connection with a round trip of 25 ms.
    #[name = "hybla"]
    #[source = "Caini and Firrincieli 2004, International Journal of Satellite Communications and Networking 22(5)"]
    pub struct Hybla: dyn Flavor {
        /// How losses are detected and repaired. HighSpeed TCP is meant to be used with selective acknowledgments, because it loses many
        /// segments at once.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// The reference round trip: a connection with a longer one grows as fast as a connection with this one (RTT0). Shorter round trips
        /// are left as they are.
        reference_round_trip: PositiveSpan = "25 ms",
        /// Which round trip it uses, as in Linux or ns-3.
        round_trip: HyblaRoundTrip = "shortest" or ["smoothed"],
        /// Whether the initial window and threshold are also scaled by the round trip, as the paper's equations have it. The round trip is
        /// known only from the first acknowledgment on, so they are not scaled before. Linux scales the window alone.
        scales_start: bool = "true" or ["false"],
        /// How the law computes: in real numbers as above, or as the module of the Linux kernel does.
        arithmetic: Arithmetic = "real" or ["linux"],
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Hybla {
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
            slow_start: SlowStart::Faster,
            ends_slow_start: false,
            has_reno_response: false,
            marks: ResponseToMarks::AsLoss,
            observes_deliveries: false,
            is_paced: false,
            leaves_pipe_idle: false,
            shrinks_without_loss: false,
        }
    }

    /// Half of the window is regained at rho^2 segments per round trip.
    fn after_loss(&self, segments: f64, round_trip_s: f64) -> AfterLoss {
        let rho = self.rho(round_trip_s);
        let round_trips = match self.arithmetic {
            Arithmetic::Real => segments / 2.0 / (rho * rho),
            Arithmetic::Kernel => kernel::regrowth(segments, rho),
        };
        let regrowth = Regrowth::ByAcknowledgments(round_trips * round_trip_s);
        AfterLoss { regrowth, ..AfterLoss::reno(segments, round_trip_s) }
    }
}

impl Hybla {
    /// The normalized round trip (`rho`), at least 1: a connection that is faster than the reference stays so.
    fn rho(&self, round_trip_s: f64) -> f64 {
        (round_trip_s / self.reference_round_trip.0.as_seconds()).max(1.0)
    }
}

/// Growth like that of a connection with a shorter round trip.
struct Law {
    settings: Hybla,
    /// The smoothed round trip that `rho` is computed from.
    round_trip: Option<Span>,
    has_started: bool,
}

impl Law {
    fn new(settings: Hybla) -> Self {
        Self { round_trip: None, has_started: !settings.scales_start, settings }
    }

    fn note(&mut self, smoothed: Span) {
        let shortest = self.round_trip.map_or(smoothed, |round_trip| round_trip.min(smoothed));
        self.round_trip = Some(if self.settings.round_trip == HyblaRoundTrip::Shortest { shortest } else { smoothed });
    }

    fn rho(&self) -> f64 {
        self.round_trip.map_or(1.0, |round_trip| self.settings.rho(round_trip.as_seconds()))
    }

    /// Scales the first window and threshold by `rho`, so that the rate is that of the reference from the beginning.
    fn start(&mut self, window: &mut Window, rho: f64) {
        self.has_started = true;
        window.ssthresh *= rho;
        window.grow((rho - 1.0) * window.cwnd);
    }

    /// Adds 2^rho - 1 segments where the classical law adds one, up to the threshold and the receiver window, beyond which no window can be
    /// used.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn start_slowly(window: &mut Window, rho: f64, acknowledged: u64) {
        let before = window.cwnd;
        window.grow_exponentially(acknowledged);
        let classical = window.cwnd - before;
        let most = window.ssthresh.min(window.receiver_window() as f64).max(window.cwnd);
        let grown = before + (libm::exp2(rho) - 1.0) * classical;
        // An initial window may be larger than the receiver window: leave it as it is.
        if most > window.cwnd {
            window.set(grown.clamp(window.cwnd, most));
        }
    }
}

impl WindowLaw for Law {
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if let Some(smoothed) = progress.smoothed_round_trip {
            self.note(smoothed);
        }
        if !(progress.window_is_used || window.grows_unused()) {
            return;
        }
        let rho = self.rho();
        if !self.has_started && self.round_trip.is_some() {
            self.start(window, rho);
        }
        if window.in_slow_start() {
            Self::start_slowly(window, rho, progress.acknowledged);
        } else {
            window.grow_linearly_by(rho * rho, progress.acknowledged);
        }
    }

    fn on_opened(&mut self, _now: Time, round_trip: Span) {
        self.note(round_trip);
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        Classical.on_loss(window, flight);
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        Classical.on_timeout(window, flight);
    }
}

#[cfg(test)]
mod steps;
