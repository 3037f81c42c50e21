//! The window of TCP Vegas (Brakmo and Peterson 1995, "TCP Vegas: end to end congestion avoidance on a global Internet").

use longfat_foundation::units::{Span, Time};

use super::measured_round::MeasuredRound;
use super::{Classical, Progress, Window, WindowLaw};

/// What is chosen for a Vegas. Segments are those in queues: what is under way beyond what the path holds (`Diff`, times `BaseRTT`).
#[derive(Clone, Copy, Debug)]
pub struct VegasSettings {
    /// With fewer the window grows.
    pub alpha: f64,
    /// With more it shrinks.
    pub beta: f64,
    /// With more segments than this in queues, slow start ends.
    pub gamma: f64,
    /// Whether a round trip is the shortest of its samples, and not their mean.
    pub goes_by_shortest: bool,
    /// Whether slow start grows in every second round trip.
    pub starts_cautiously: bool,
    /// What a loss leaves of the window.
    pub share_left: f64,
}

/// The window goes by what waits in queues, judged once in a round trip.
pub struct Vegas {
    settings: VegasSettings,
    /// The shortest round trip (`BaseRTT`).
    base: Option<Span>,
    round: Option<MeasuredRound>,
    /// Whether slow start grows in this round trip: in the other the window is compared with what it brings.
    grows: bool,
}

impl Vegas {
    /// Of a new connection.
    #[must_use]
    pub fn new(settings: VegasSettings) -> Self {
        Self { settings, base: None, round: None, grows: true }
    }

    /// Segments in queues in a round trip: (Expected - Actual) * `BaseRTT`, where Expected is a window in `BaseRTT` and Actual one in the round
    /// trip. `None` if none was measured.
    fn waiting(&self, window: &Window, round: &MeasuredRound) -> Option<f64> {
        let (base, shortest) = self.base.zip(round.shortest())?;
        let round_trip = if self.settings.goes_by_shortest { shortest.as_seconds() } else { round.mean_seconds()? };
        Some(window.cwnd / window.mss() * (1.0 - base.as_seconds() / round_trip))
    }

    /// A round trip is over.
    fn judge(&mut self, window: &mut Window, round: &MeasuredRound, window_is_used: bool) {
        let waiting = self.waiting(window, round);
        if window.in_slow_start() {
            if waiting.is_some_and(|waiting| waiting > self.settings.gamma) {
                end_slow_start(window);
            }
            self.grows = !(self.grows && self.settings.starts_cautiously);
            return;
        }
        let Some(waiting) = waiting else { return };
        if waiting > self.settings.beta {
            window.cwnd = (window.cwnd - window.mss()).max(2.0 * window.mss()).min(window.cwnd);
            end_slow_start(window);
        } else if waiting < self.settings.alpha && window_is_used {
            window.grow(window.mss());
        }
    }

    /// What was measured is of another time.
    fn forget_round(&mut self) {
        self.round = None;
        self.grows = true;
    }
}

/// The threshold is below the window, whether slow start takes place at the threshold or not, but two segments at least (RFC 5681 equation 4).
fn end_slow_start(window: &mut Window) {
    window.ssthresh = window.ssthresh.min((window.cwnd - window.mss()).max(2.0 * window.mss()));
}

impl WindowLaw for Vegas {
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        let window_is_used = progress.window_is_used || window.grows_unused();
        if let Some(over) = MeasuredRound::take_in(&mut self.round, progress) {
            self.judge(window, &over, window_is_used);
        }
        if let Some(sample) = progress.sample {
            self.base = Some(self.base.map_or(sample, |base| base.min(sample)));
        }
        if window.in_slow_start() && self.grows && window_is_used {
            Classical.on_acknowledgment(window, progress);
        }
    }

    fn on_restart_from_idle(&mut self, _now: Time) {
        self.forget_round();
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        self.forget_round();
        window.reduce(self.settings.share_left, flight);
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        self.forget_round();
        Classical.on_timeout(window, flight);
    }
}
