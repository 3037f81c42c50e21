//! The window of H-TCP (Leith and Shorten 2004, "H-TCP: TCP for high-speed and long-distance networks"; draft-leith-tcp-htcp-06).

use longfat_foundation::units::{Span, Time};

use super::{Classical, Progress, Window, WindowLaw};

/// What a loss leaves of the window at least and at most, where it goes by round trips.
const LEAST_SHARE: f64 = 0.5;
const MOST_SHARE: f64 = 0.8;
/// The throughput that changes by more than this share between two losses tells that the path is not the connection's alone: then a loss
/// takes half.
const STEADY_THROUGHPUT: f64 = 0.2;
/// Round trips count within these multiples of the reference, as in Linux and FreeBSD.
const LEAST_SCALE: f64 = 0.1;
const MOST_SCALE: f64 = 2.0;

/// What is chosen for an H-TCP.
#[derive(Clone, Copy, Debug)]
pub struct HTcpSettings {
    /// For so long after a loss it grows as the classical law (`Delta_L`).
    pub low_speed: Span,
    /// Whether a loss takes no more than what fills the queue.
    pub adaptive_backoff: bool,
    /// Whether growth is scaled by the round trip, and which one is left as it is.
    pub reference_round_trip: Option<Span>,
}

/// Growth that is the faster the longer the last loss is ago.
pub struct HTcp {
    settings: HTcpSettings,
    /// When the last loss came, or the first acknowledgment.
    last_loss: Option<Time>,
    /// The latest acknowledgment.
    now: Time,
    shortest: Option<Span>,
    /// Since the last loss.
    longest: Option<Span>,
    /// What a loss leaves (`beta`).
    share: f64,
    throughput: Throughput,
    /// Bytes per second before the last loss.
    throughput_before: Option<f64>,
}

/// How much was acknowledged in the latest whole window of data.
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

impl HTcp {
    /// Of a new connection.
    #[must_use]
    pub fn new(settings: HTcpSettings) -> Self {
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

    /// Segments in a round trip, so long after the last loss (`alpha(Delta)`): 1 + 10 (Delta - Delta_L) + ((Delta - Delta_L) / 2)^2.
    fn increase(&self) -> f64 {
        let since = self.last_loss.map_or(Span::ZERO, |last| self.now - last);
        let beyond = (since.as_seconds() - self.settings.low_speed.as_seconds()).max(0.0);
        let increase = 1.0 + 10.0 * beyond + 0.25 * beyond * beyond;
        // As much as a loss has taken less, so that it is fair to those of which it has taken half.
        2.0 * (1.0 - self.share) * (increase * self.scale()).max(1.0)
    }

    fn scale(&self) -> f64 {
        let Some((reference, shortest)) = self.settings.reference_round_trip.zip(self.shortest) else { return 1.0 };
        (shortest.as_seconds() / reference.as_seconds()).clamp(LEAST_SCALE, MOST_SCALE)
    }

    /// What this loss leaves: what the path holds without its queue, if the throughput is what it was before the last.
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

impl WindowLaw for HTcp {
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        self.note(progress);
        if window.in_slow_start() {
            Classical.on_acknowledgment(window, progress);
        } else if progress.window_is_used || window.grows_unused() {
            // No faster than one segment for each that was acknowledged.
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

    /// A pause tells nothing of the path: it is no time since a loss.
    fn on_restart_from_idle(&mut self, now: Time) {
        if let Some(last) = &mut self.last_loss {
            *last += now - self.now;
        }
        self.now = now;
        self.throughput = Throughput::default();
    }
}
