//! The rate at which a law sends that models the path, also before it knows any of it.

use longfat_foundation::units::Span;

use super::Window;

/// The round trip that the first rate is computed with before one is measured, in seconds (BBR: section 4.2.1 of
/// draft-cardwell-iccrg-bbr-congestion-control-00; section 5.6.2 of draft-ietf-ccwg-bbr).
const NOMINAL_ROUND_TRIP: f64 = 0.001;

/// By the initial window at first, as the drafts of all versions of BBR have it.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport) struct ModelRate {
    /// By how much the first rate is above what the initial window needs.
    gain: f64,
    pub(in crate::transport) bytes_per_second: f64,
    /// Whether that rate is made of no round trip yet.
    pub(in crate::transport) is_nominal: bool,
    /// In bytes; the connection has not asked for a rate without.
    pub(in crate::transport) initial_window: Option<f64>,
}

impl ModelRate {
    /// Of a new connection, whose first rate is above what its window needs by this gain.
    pub(in crate::transport) fn new(gain: f64) -> Self {
        Self { gain, bytes_per_second: 0.0, is_nominal: true, initial_window: None }
    }

    /// Bytes per second; at first those of the initial window in the round trip that is known, if one is.
    pub(in crate::transport) fn get(&mut self, window: &Window, round_trip: Option<Span>) -> f64 {
        if self.initial_window.is_none() {
            self.initial_window = Some(window.cwnd);
            self.is_nominal = round_trip.is_none();
            self.bytes_per_second = self.first(round_trip.map_or(NOMINAL_ROUND_TRIP, Span::as_seconds));
        }
        self.bytes_per_second
    }

    /// Goes to this rate, but not to a lower one before the pipe is full. The first round trip makes the first rate anew.
    pub(in crate::transport) fn set(&mut self, rate: f64, round_trip: Option<Span>, pipe_is_full: bool) {
        if let Some(round_trip) = round_trip.filter(|_| self.is_nominal) {
            self.is_nominal = false;
            self.bytes_per_second = self.first(round_trip.as_seconds());
        }
        if pipe_is_full || rate > self.bytes_per_second {
            self.bytes_per_second = rate;
        }
    }

    /// The initial window, which is the present one as long as no rate was asked for.
    pub(in crate::transport) fn initial_window(&self, window: &Window) -> f64 {
        self.initial_window.unwrap_or(window.cwnd)
    }

    fn first(&self, round_trip_seconds: f64) -> f64 {
        self.gain * self.initial_window.unwrap_or(0.0) / round_trip_seconds
    }
}
