//! What BBR believes of the path (sections 5.5.2 to 5.5.9).

use crate::transport::Delivery;
use crate::transport::law::bandwidth::WindowedMaximum;
use crate::transport::law::rounds::Rounds;
use crate::units::{Span, Time};

/// `BBR.MaxBwFilterLen`, in cycles of bandwidth probes (section 2.11).
const BANDWIDTH_CYCLES: u64 = 2;
/// `BBR.MinRTTFilterLen` (section 2.16.1).
const ROUND_TRIP_LIFETIME: Span = Span::from_microseconds(10_000_000);
/// `BBR.ProbeRTTInterval` (section 2.16.2).
const PROBE_INTERVAL: Span = Span::from_microseconds(5_000_000);
/// `BBR.ExtraAckedFilterLen`, in rounds.
const AGGREGATION_ROUNDS: u64 = 10;

/// A round trip and when it was measured.
type Stamped = Option<(Span, Time)>;

/// Bandwidth, round trip, and how unevenly acknowledgments come.
#[derive(Debug)]
pub(super) struct Path {
    /// `BBR.max_bw`, by cycles.
    bandwidth: WindowedMaximum,
    cycles: u64,
    /// `BBR.min_rtt`, and the shortest of late that decides when it is probed (`BBR.probe_rtt_min_delay`).
    round_trip: Stamped,
    recent: Stamped,
    /// `BBR.extra_acked`, by rounds; since when it is counted, and what was delivered since.
    extra: WindowedMaximum,
    counted_since: Option<Time>,
    delivered_since: f64,
}

impl Path {
    pub fn new() -> Self {
        Self {
            bandwidth: WindowedMaximum::new(BANDWIDTH_CYCLES),
            cycles: 0,
            round_trip: None,
            recent: None,
            extra: WindowedMaximum::new(AGGREGATION_ROUNDS),
            counted_since: None,
            delivered_since: 0.0,
        }
    }

    /// `BBR.max_bw` in bytes per second.
    pub fn bandwidth(&self) -> f64 {
        self.bandwidth.get()
    }

    /// `BBR.min_rtt`.
    pub fn round_trip(&self) -> Option<Span> {
        self.round_trip.map(|(round_trip, _)| round_trip)
    }

    /// `BBR.extra_acked` in bytes.
    pub fn extra(&self) -> f64 {
        self.extra.get()
    }

    /// `UpdateMaxBw` (section 5.5.5).
    pub fn note_rate(&mut self, delivery: &Delivery) {
        if let Some(rate) =
            delivery.rate.filter(|rate| *rate >= self.bandwidth.get() || !delivery.is_application_limited)
        {
            self.bandwidth.add(self.cycles, rate);
        }
    }

    /// Another cycle: what was measured before the last one is forgotten with the next sample (section 5.5.6).
    pub fn begin_cycle(&mut self) {
        self.cycles += 1;
    }

    /// `UpdateMinRTT` (section 5.3.4.3); tells whether the shortest round trip of late is too old.
    pub fn note_round_trip(&mut self, delivery: &Delivery) -> bool {
        let is_old = |stamped: Stamped, age| stamped.is_some_and(|(_, at)| delivery.now > at + age);
        let is_due = is_old(self.recent, PROBE_INTERVAL);
        let is_shorter = |sample: Span, than: Stamped| than.is_none_or(|(shortest, _)| sample < shortest);
        if let Some(sample) = delivery.round_trip.filter(|sample| is_due || is_shorter(*sample, self.recent)) {
            self.recent = Some((sample, delivery.now));
        }
        let is_expired = is_old(self.round_trip, ROUND_TRIP_LIFETIME);
        if let Some((recent, _)) = self.recent
            && (is_expired || is_shorter(recent, self.round_trip))
        {
            self.round_trip = self.recent;
        }
        is_due
    }

    /// A probe of the round trip is over: the next one is due after another interval.
    pub fn end_round_trip_probe(&mut self, now: Time) {
        if let Some((_, at)) = &mut self.recent {
            *at = now;
        }
    }

    /// `UpdateACKAggregation` (section 5.5.9): what is delivered beyond what `bandwidth` would have delivered, at most a window.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    pub fn note_aggregation(
        &mut self,
        delivery: &Delivery,
        rounds: &Rounds,
        bandwidth: f64,
        window: f64,
        is_full: bool,
    ) {
        let since = self.counted_since.get_or_insert(delivery.now);
        let mut expected = bandwidth * (delivery.now - *since).as_seconds();
        if self.delivered_since <= expected {
            (self.delivered_since, *since, expected) = (0.0, delivery.now, 0.0);
        }
        self.delivered_since += delivery.bytes as f64;
        let extra = (self.delivered_since - expected).min(window);
        self.extra.set_length(if is_full { AGGREGATION_ROUNDS } else { 1 });
        self.extra.add(rounds.count, extra);
    }

    /// Counts aggregation anew, after a pause.
    pub fn restart_aggregation(&mut self) {
        (self.counted_since, self.delivered_since) = (None, 0.0);
    }
}
