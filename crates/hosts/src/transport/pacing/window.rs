//! Pacing at one window per round trip.

use longfat_foundation::config::Gain;
use longfat_foundation::units::Span;

use super::{Pacing, PacingTimer, Window};

longfat_foundation::model! {
    /// Spreads the window over a smoothed round trip, with a gain above 1 so that the window can grow. Nothing is paced before a round trip
    /// has been measured.
    #[name = "window-per-round-trip"]
    #[source = "Aggarwal, Savage and Anderson 2000; Linux, tcp_update_pacing_rate"]
    pub struct WindowPerRoundTrip: dyn Pacing {
        /// The pacing rate in slow start, relative to window over round trip: faster, because the window doubles per round trip (Linux:
        /// tcp_pacing_ss_ratio, 200 %).
        slow_start_gain: Gain = "2.0",
        /// The pacing rate otherwise, relative to window over round trip (Linux: tcp_pacing_ca_ratio, 120 %).
        gain: Gain = "1.2",
        /// When the next segment may go.
        timer: PacingTimer = "exact" or ["linux", "linux-fq"],
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Pacing for WindowPerRoundTrip {
    fn rate(&self, window: &Window, smoothed_round_trip: Span) -> Option<f64> {
        // Linux uses the larger gain only up to half of the threshold, so that the last doubling arrives at the lower rate.
        let gain = if window.cwnd < window.ssthresh / 2.0 { self.slow_start_gain } else { self.gain };
        (smoothed_round_trip > Span::ZERO).then(|| gain.0 * window.cwnd / smoothed_round_trip.as_seconds())
    }

    fn timer(&self) -> PacingTimer {
        self.timer
    }
}
