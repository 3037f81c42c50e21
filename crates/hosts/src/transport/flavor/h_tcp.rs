//! H-TCP (Leith and Shorten 2004, "H-TCP: TCP for high-speed and long-distance networks"; draft-leith-tcp-htcp-06).

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

longfat_foundation::model! {
    /// H-TCP: for a second after a loss the classical law; from then on the window grows faster the longer ago the loss is. A loss removes
    /// the share of the round trip that queueing has added, between a fifth and a half of the window.
    #[name = "h-tcp"]
    #[source = "draft-leith-tcp-htcp-06; Leith and Shorten 2004, PFLDnet"]
    pub struct HTcp: dyn Flavor {
        /// How losses are detected and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// How long after a loss it grows like the classical law (Delta_L).
        low_speed: PositiveSpan = "1 s",
        /// Whether a loss removes the share of the round trip that queueing has added, with growth slowed in proportion (adaptive backoff).
        /// If not, a loss halves the window, as in FreeBSD by default. Round trips are measured better with `timestamps`.
        adaptive_backoff: bool = "true" or ["false"],
        /// Whether growth is in proportion to the round trip, so that it is the same per second for all connections. The draft leaves it
        /// open, Linux does it.
        round_trip_scaling: bool = "false" or ["true"],
        /// The reference round trip, at which scaling changes nothing.
        reference_round_trip: PositiveSpan = "100 ms",
        /// How the law computes: in real numbers as above, or as the module of the Linux kernel does.
        arithmetic: Arithmetic = "real" or ["linux"],
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for HTcp {
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

    /// The classical law for the first seconds, then 10 segments per round trip more with each second.
    ///
    /// A loss is taken to halve the window, the most that it removes. The term with the square of the time, which makes growth faster
    /// still, is left out.
    fn after_loss(&self, segments: f64, round_trip_s: f64) -> AfterLoss {
        let left = if self.adaptive_backoff { MOST_SHARE } else { LEAST_SHARE };
        let (low_speed_s, classical_s) = (self.low_speed.0.as_seconds(), segments / 2.0 * round_trip_s);
        let beyond_s = (classical_s - low_speed_s).max(0.0);
        let regrowth_s = classical_s.min(low_speed_s) + ((1.0 + 20.0 * beyond_s).sqrt() - 1.0) / 10.0;
        AfterLoss { left, left_after_timeout: left, regrowth: Regrowth::ByTime(regrowth_s) }
    }
}

/// Smallest and largest share of the window that remains after a loss with adaptive backoff (`beta`).
const LEAST_SHARE: f64 = 0.5;
const MOST_SHARE: f64 = 0.8;
/// If throughput changes by more than this share between two losses, the connection is not alone on the path, and a loss halves the window.
const STEADY_THROUGHPUT: f64 = 0.2;
/// Limits of the ratio between the round trip and the reference, as in Linux and FreeBSD.
const LEAST_SCALE: f64 = 0.1;
const MOST_SCALE: f64 = 2.0;

/// Growth that becomes faster with the time since the last loss.
struct Law {
    settings: HTcp,
    /// The last loss, or the first acknowledgment.
    last_loss: Option<Time>,
    /// The latest acknowledgment.
    now: Time,
    shortest: Option<Span>,
    /// Since the last loss.
    longest: Option<Span>,
    /// The share of the window that remains after a loss (`beta`).
    share: f64,
    throughput: Throughput,
    /// Bytes per second before the last loss.
    throughput_before: Option<f64>,
}

/// The rate of acknowledgments over the latest whole window of data.
#[derive(Clone, Copy, Debug, Default)]
struct Throughput {
    began: Option<(Time, u64)>,
    end: u64,
    bytes_per_second: Option<f64>,
}

impl Throughput {
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn note(&mut self, progress: &Progress) {
        if progress.unacknowledged < self.end {
            return;
        }
        if let Some((time, acknowledged)) = self.began
            && progress.now > time
        {
            let bytes = (progress.unacknowledged - acknowledged) as f64;
            self.bytes_per_second = Some(bytes / (progress.now - time).as_seconds());
        }
        self.began = Some((progress.now, progress.unacknowledged));
        self.end = progress.highest;
    }
}

impl Law {
    fn new(settings: HTcp) -> Self {
        Self {
            settings,
            last_loss: None,
            now: Time::ZERO,
            shortest: None,
            longest: None,
            share: LEAST_SHARE,
            throughput: Throughput::default(),
            throughput_before: None,
        }
    }

    fn note(&mut self, progress: &Progress) {
        self.now = progress.now;
        self.last_loss.get_or_insert(progress.now);
        if let Some(sample) = progress.sample {
            self.shortest = Some(self.shortest.map_or(sample, |shortest| shortest.min(sample)));
            self.longest = Some(self.longest.map_or(sample, |longest| longest.max(sample)));
        }
        self.throughput.note(progress);
    }

    /// Segments per round trip at this time after the last loss (`alpha(Delta)`): 1 + 10 (Delta - Delta_L) + ((Delta - Delta_L) / 2)^2.
    fn increase(&self) -> f64 {
        let since = self.last_loss.map_or(Span::ZERO, |last| self.now - last);
        let beyond = (since.as_seconds() - self.settings.low_speed.0.as_seconds()).max(0.0);
        let increase = 1.0 + 10.0 * beyond + 0.25 * beyond * beyond;
        // Slower in proportion to a smaller reduction, to be fair to connections whose window was halved.
        2.0 * (1.0 - self.share) * (increase * self.scale()).max(1.0)
    }

    fn scale(&self) -> f64 {
        let Some(shortest) = self.shortest.filter(|_| self.settings.round_trip_scaling) else { return 1.0 };
        (shortest.as_seconds() / self.settings.reference_round_trip.0.as_seconds()).clamp(LEAST_SCALE, MOST_SCALE)
    }

    /// The share that remains after this loss: what the path holds without its queue, if throughput is steady.
    fn share_left(&self) -> f64 {
        let is_steady = self.throughput_before.zip(self.throughput.bytes_per_second).is_some_and(|(before, latest)| {
            let change = (latest - before).abs();
            change <= STEADY_THROUGHPUT * before
        });
        match self.shortest.zip(self.longest) {
            Some((shortest, longest)) if self.settings.adaptive_backoff && is_steady => {
                (shortest.as_seconds() / longest.as_seconds()).clamp(LEAST_SHARE, MOST_SHARE)
            }
            _ => LEAST_SHARE,
        }
    }

    fn note_loss(&mut self) {
        self.share = self.share_left();
        self.throughput_before = self.throughput.bytes_per_second;
        self.longest = None;
        self.last_loss = Some(self.now);
    }
}

impl WindowLaw for Law {
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        self.note(progress);
        if window.in_slow_start() {
            Classical.on_acknowledgment(window, progress);
        } else if progress.window_is_used || window.grows_unused() {
            // At most one segment for each segment acknowledged.
            let most = window.cwnd / window.mss();
            window.grow_linearly_by(self.increase().min(most), progress.acknowledged);
        }
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        self.note_loss();
        window.reduce(self.share, flight);
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        self.note_loss();
        window.reduce_threshold_at_timeout(self.share, flight);
        window.collapse();
    }

    /// A pause does not count as time since the last loss.
    fn on_restart_from_idle(&mut self, now: Time) {
        if let Some(last) = &mut self.last_loss {
            *last += now - self.now;
        }
        self.now = now;
        self.throughput = Throughput::default();
    }
}

#[cfg(test)]
mod steps;
