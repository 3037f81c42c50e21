//! The model of the path (sections 5.5.2 to 5.5.9).

use longfat_foundation::units::{Span, Time};

use crate::transport::Delivery;
use crate::transport::law::{Rounds, WindowedMaximum};

/// `BBR.MaxBwFilterLen`, in cycles of bandwidth probes (section 2.11).
const BANDWIDTH_CYCLES: u64 = 2;
/// `BBR.MinRTTFilterLen` (section 2.16.1).
const ROUND_TRIP_LIFETIME: Span = Span::from_microseconds(10_000_000);
/// `BBR.ProbeRTTInterval` (section 2.16.2).
const PROBE_INTERVAL: Span = Span::from_microseconds(5_000_000);
/// `BBR.ExtraAckedFilterLen`, in rounds.
const AGGREGATION_ROUNDS: u64 = 10;

/// A round trip and the time of its sample.
type Stamped = Option<(Span, Time)>;

/// Bandwidth, round trip, and aggregation of acknowledgments.
#[derive(Debug)]
pub(super) struct Path {
    /// `BBR.max_bw`, by cycles.
    bandwidth: WindowedMaximum,
    cycles: u64,
    /// `BBR.min_rtt`, and the recent minimum whose age decides when it is probed (`BBR.probe_rtt_min_delay`).
    round_trip: Stamped,
    recent: Stamped,
    /// `BBR.extra_acked`, by rounds; the beginning of the interval, and bytes delivered since.
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

    /// Begins with the round trip of the handshake.
    pub fn begin(&mut self, now: Time, round_trip: Span) {
        (self.round_trip, self.recent) = (Some((round_trip, now)), Some((round_trip, now)));
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

    /// Begins a cycle: samples from before the last cycle expire with the next one (section 5.5.6).
    pub fn begin_cycle(&mut self) {
        self.cycles += 1;
    }

    /// `UpdateMinRTT` (section 5.3.4.3); returns whether the recent minimum has expired.
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

    /// Ends a probe of the round trip: the next one is due after another interval.
    pub fn end_round_trip_probe(&mut self, now: Time) {
        if let Some((_, at)) = &mut self.recent {
            *at = now;
        }
    }

    /// `UpdateACKAggregation` (section 5.5.9): bytes delivered beyond those expected at `bandwidth`, at most a window.
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

    /// Restarts the interval of aggregation after a pause.
    pub fn restart_aggregation(&mut self) {
        (self.counted_since, self.delivered_since) = (None, 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{at, delivery, span};
    use super::*;

    fn path() -> Path {
        let mut path = Path::new();
        path.note_rate(&delivery());
        path
    }

    #[test]
    fn a_rate_that_the_application_has_limited_counts_only_if_it_is_no_less() {
        let noted = |share: f64, is_application_limited| {
            let mut path = path();
            path.begin_cycle();
            path.begin_cycle();
            path.note_rate(&Delivery { rate: Some(share * 1e6), is_application_limited, ..delivery() });
            path.bandwidth()
        };
        assert_eq!((noted(0.5, true), noted(0.5, false)), (1e6, 0.5e6));
        assert_eq!((noted(1.5, true), noted(1.5, false)), (1.5e6, 1.5e6));
    }

    #[test]
    fn the_bandwidth_is_the_largest_of_two_cycles() {
        let mut path = path();
        let noted = |path: &mut Path, rate| {
            path.begin_cycle();
            path.note_rate(&Delivery { rate: Some(rate), ..delivery() });
            path.bandwidth()
        };
        assert_eq!([0.7e6, 0.6e6, 0.5e6].map(|rate| noted(&mut path, rate)), [1e6, 0.7e6, 0.6e6]);
    }

    /// Round trips of 100 ms at first, and of 120 ms from then on.
    #[test]
    fn the_shortest_round_trip_lives_for_ten_seconds_and_is_to_be_probed_after_five() {
        let mut path = Path::new();
        let mut note = |milliseconds, round_trip| {
            let round_trip = Some(span(round_trip));
            let is_due = path.note_round_trip(&Delivery { now: at(milliseconds), round_trip, ..delivery() });
            (is_due, path.round_trip(), path.recent)
        };
        assert_eq!(note(1000, 100), (false, Some(span(100)), Some((span(100), at(1000)))));
        assert_eq!(note(6000, 120), (false, Some(span(100)), Some((span(100), at(1000)))));
        assert_eq!(note(6001, 120), (true, Some(span(100)), Some((span(120), at(6001)))));
        assert_eq!(note(11_000, 130), (false, Some(span(100)), Some((span(120), at(6001)))));
        assert_eq!(note(11_001, 130), (false, Some(span(120)), Some((span(120), at(6001)))));
        assert_eq!(note(11_002, 110), (true, Some(span(110)), Some((span(110), at(11_002)))));
    }

    #[test]
    fn after_a_probe_of_the_round_trip_the_next_one_is_due_five_seconds_later() {
        let mut path = Path::new();
        path.note_round_trip(&delivery());
        path.end_round_trip_probe(at(4000));
        assert_eq!(path.recent, Some((span(100), at(4000))));
    }

    /// At 1000 bytes in a millisecond: 5000 bytes come at once, 3000 a millisecond later, of which one was to be expected.
    #[test]
    fn what_comes_faster_than_the_bandwidth_is_added_up_until_the_bandwidth_has_caught_up() {
        let mut path = Path::new();
        let mut rounds = Rounds::default();
        let mut note = |milliseconds, bytes, window, is_full| {
            rounds.count += 1;
            path.note_aggregation(
                &Delivery { now: at(milliseconds), bytes, ..delivery() },
                &rounds,
                1e6,
                window,
                is_full,
            );
            path.extra()
        };
        assert_eq!(note(1000, 5000, 1e9, true), 5000.0);
        assert_eq!(note(1001, 3000, 1e9, true), 7000.0);
        assert_eq!(note(1008, 4000, 1e9, true), 7000.0, "8 ms have been worth 8000 bytes: counted anew, from 4000 on");
        assert_eq!(note(1009, 6000, 1e9, true), 9000.0);
        assert_eq!(note(1010, 6000, 1e9, false), 14_000.0);
        assert_eq!(note(1010, 1000, 2000.0, false), 2000.0, "of this round, and no more than the window");
    }

    #[test]
    fn a_pause_is_not_waited_for() {
        let mut path = Path::new();
        let mut rounds = Rounds::default();
        path.note_aggregation(&Delivery { bytes: 5000, ..delivery() }, &rounds, 1e6, 1e9, true);
        path.restart_aggregation();
        rounds.count = 99;
        path.note_aggregation(&Delivery { bytes: 3000, ..delivery() }, &rounds, 1e6, 1e9, true);
        assert_eq!(path.extra(), 3000.0);
    }
}
