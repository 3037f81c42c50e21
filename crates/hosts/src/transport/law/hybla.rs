//! The window of TCP Hybla (Caini and Firrincieli 2004, "TCP Hybla: a TCP enhancement for heterogeneous networks").

use longfat_foundation::units::{Span, Time};

use super::{Classical, Progress, Window, WindowLaw};

/// What is chosen for a Hybla.
#[derive(Clone, Copy, Debug)]
pub struct HyblaSettings {
    /// The round trip of the connection that it is to be as fast as (`RTT0`).
    pub reference_round_trip: Span,
    /// Whether rho goes by the shortest of the smoothed round trips so far, and not by the latest.
    pub goes_by_shortest: bool,
    /// Whether the first window and threshold are rho times as large.
    pub scales_start: bool,
}

/// Growth as that of a connection with a shorter round trip.
pub struct Hybla {
    settings: HyblaSettings,
    /// Round trips, smoothed: the one that rho goes by.
    round_trip: Option<Span>,
    has_started: bool,
}

impl Hybla {
    /// Of a new connection.
    #[must_use]
    pub fn new(settings: HyblaSettings) -> Self {
        Self { settings, round_trip: None, has_started: !settings.scales_start }
    }

    fn note(&mut self, smoothed: Span) {
        let shortest = self.round_trip.map_or(smoothed, |round_trip| round_trip.min(smoothed));
        self.round_trip = Some(if self.settings.goes_by_shortest { shortest } else { smoothed });
    }

    /// The normalized round trip, 1 at least: a connection that is faster than the reference stays so (`rho`).
    fn rho(&self) -> f64 {
        let reference = self.settings.reference_round_trip.as_seconds();
        self.round_trip.map_or(1.0, |round_trip| (round_trip.as_seconds() / reference).max(1.0))
    }

    /// The window begins at rho times what it would, and slow start ends at rho times as much, so that the rates are those of the reference
    /// from the beginning.
    fn start(&mut self, window: &mut Window, rho: f64) {
        self.has_started = true;
        window.ssthresh *= rho;
        window.grow((rho - 1.0) * window.cwnd);
    }

    /// 2^rho - 1 segments for each that would add one, up to the threshold, and to what the receiver allows: more can not be used.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn start_slowly(window: &mut Window, rho: f64, acknowledged: u64) {
        let before = window.cwnd;
        window.grow_exponentially(acknowledged);
        let classical = window.cwnd - before;
        let most = window.ssthresh.min(window.receiver_window() as f64).max(window.cwnd);
        let grown = before + (libm::exp2(rho) - 1.0) * classical;
        // A first window may be larger than all that the receiver allows: that is left as it is.
        if most > window.cwnd {
            window.set(grown.clamp(window.cwnd, most));
        }
    }
}

impl WindowLaw for Hybla {
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
