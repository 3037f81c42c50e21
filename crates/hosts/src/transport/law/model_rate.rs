//! The pacing rate of laws that model the path, BBR in all its versions, from the first segment on.

use longfat_foundation::units::Span;

use super::Window;

/// The round trip, in seconds, that the initial rate is computed with until one is measured (BBR version 1: section 4.2.1 of
/// draft-cardwell-iccrg-bbr-congestion-control-00; version 3: section 5.6.2 of draft-ietf-ccwg-bbr).
const NOMINAL_ROUND_TRIP: f64 = 0.001;

/// A pacing rate that starts as the initial window per round trip.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport) struct ModelRate {
    /// The factor between the initial rate and the initial window per round trip.
    gain: f64,
    pub(in crate::transport) bytes_per_second: f64,
    /// Whether the rate was computed with the nominal round trip.
    pub(in crate::transport) is_nominal: bool,
    /// In bytes; `None` until the connection first asks for the rate.
    pub(in crate::transport) initial_window: Option<f64>,
}

impl ModelRate {
    /// The rate of a new connection: `gain` times the initial window per round trip.
    pub(in crate::transport) fn new(gain: f64) -> Self {
        Self { gain, bytes_per_second: 0.0, is_nominal: true, initial_window: None }
    }

    /// Bytes per second; initially computed from the window and from `round_trip`, if it is known.
    pub(in crate::transport) fn get(&mut self, window: &Window, round_trip: Option<Span>) -> f64 {
        if self.initial_window.is_none() {
            self.initial_window = Some(window.cwnd);
            self.is_nominal = round_trip.is_none();
            self.bytes_per_second = self.first(round_trip.map_or(NOMINAL_ROUND_TRIP, Span::as_seconds));
        }
        self.bytes_per_second
    }

    /// Sets the rate, but to no lower one before the pipe is full. The first measured round trip replaces the nominal one.
    pub(in crate::transport) fn set(&mut self, rate: f64, round_trip: Option<Span>, pipe_is_full: bool) {
        if let Some(round_trip) = round_trip.filter(|_| self.is_nominal) {
            self.is_nominal = false;
            self.bytes_per_second = self.first(round_trip.as_seconds());
        }
        if pipe_is_full || rate > self.bytes_per_second {
            self.bytes_per_second = rate;
        }
    }

    /// The initial window: the present one until the connection first asks for the rate.
    pub(in crate::transport) fn initial_window(&self, window: &Window) -> f64 {
        self.initial_window.unwrap_or(window.cwnd)
    }

    fn first(&self, round_trip_seconds: f64) -> f64 {
        self.gain * self.initial_window.unwrap_or(0.0) / round_trip_seconds
    }
}
