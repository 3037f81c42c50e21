//! Constants and steps of laws that are made of BBR and differ from it.

use longfat_foundation::units::{Span, Time};

use super::Law;
use crate::transport::Delivery;

/// Constants of BBR that other laws have otherwise, and what they tell it.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Variant {
    /// `RTpropFilterLen` and `ProbeRTTInterval` (sections 4.1.2.2 and 4.3.5).
    pub round_trip_lifetime: Span,
    /// `ProbeRTTDuration` (section 4.3.5).
    pub probe_duration: Span,
    /// Bandwidth-delay products in flight while the round trip is probed, at least four segments.
    pub probe_products: f64,
    /// The pacing gain of the phase that probes for more bandwidth (section 4.3.4.1).
    pub probing_gain: f64,
    /// `ProbeRTT` begins only in `ProbeBW`, and ends with its last round-trip sample as the shortest round trip, even if that is longer than before.
    pub measures_round_trip_anew: bool,
    /// The path becomes another: the round trip is to be probed, and then Startup begins with this bandwidth. BBR removes it once the pipe is full.
    pub starts_anew: Option<f64>,
}

impl Default for Variant {
    fn default() -> Self {
        Self {
            round_trip_lifetime: Span::from_microseconds(10_000_000),
            probe_duration: Span::from_microseconds(200_000),
            probe_products: 0.0,
            probing_gain: 1.25,
            measures_round_trip_anew: false,
            starts_anew: None,
        }
    }
}

/// Steps that a law adds to BBR.
pub(in super::super) trait Addition: Send {
    /// The handshake is over.
    fn open(&mut self, now: Time);
    /// Takes a delivery before BBR does.
    fn before(&mut self, bbr: &mut Law, delivery: &Delivery);
    /// The bandwidth that rate and window go by, once BBR has taken a delivery.
    fn bandwidth(&mut self, bbr: &mut Law, delivery: &Delivery) -> f64;
}
