//! The window of TCP Westwood+ (Grieco and Mascolo 2004, "Performance evaluation and comparison of Westwood+, New Reno, and Vegas TCP
//! congestion control").

use longfat_foundation::units::{Span, Time};

use super::{Classical, Progress, Window, WindowLaw};

/// Bandwidth is not measured over less time, as in Linux: a few acknowledgments tell more of bursts than of the path.
const LEAST_INTERVAL: Span = Span::from_microseconds(50_000);

/// The classical law, but that a loss leaves what the path was found to carry.
pub struct Westwood {
    /// What a new sample leaves of the average.
    memory: f64,
    /// The average of what was acknowledged, in bytes per second (`BWE`).
    bandwidth: Option<f64>,
    /// When the sample began that is being measured, and what was acknowledged then.
    began: Option<(Time, u64)>,
    /// The shortest round trip (`RTTmin`).
    shortest: Option<Span>,
}

impl Westwood {
    /// Of a new connection.
    #[must_use]
    pub fn new(memory: f64) -> Self {
        Self { memory, bandwidth: None, began: None, shortest: None }
    }

    /// Once in a round trip: bytes acknowledged, over the time that has passed.
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

    /// What the path holds without a queue, at least two segments; none if nothing was measured.
    fn path(&self, window: &Window) -> Option<f64> {
        let (bandwidth, shortest) = self.bandwidth.zip(self.shortest)?;
        Some((bandwidth * shortest.as_seconds()).max(2.0 * window.mss()))
    }
}

impl WindowLaw for Westwood {
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

    /// What was acknowledged in a pause tells nothing of the path.
    fn on_restart_from_idle(&mut self, _now: Time) {
        self.began = None;
    }
}
