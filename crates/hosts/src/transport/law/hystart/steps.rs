//! `HyStart++` as a sender meets it, acknowledgment by acknowledgment (RFC 9406 section 4.2); windows in segments, of 1000 bytes.

use longfat_foundation::units::{Span, Time};

use crate::transport::Window;
use crate::transport::law::test_support::law_and_window;
use crate::transport::law::{Progress, WindowLaw};

/// Segments under way, each of which is acknowledged: a round.
const ROUND: u64 = 8;

struct Bench {
    law: Box<dyn WindowLaw>,
    window: Window,
    acknowledged: u64,
    is_paced: bool,
}

impl Bench {
    /// A new connection with an initial window of eight segments.
    fn new() -> Self {
        let (law, window) =
            law_and_window("flavor = { kind = \"cubic\", slow_start_exit = \"hystart++\" }, timestamps = true");
        Self { law, window, acknowledged: 0, is_paced: false }
    }

    /// In conservative slow start, at the end of the round in which it began.
    fn in_conservative_slow_start() -> Self {
        let mut bench = Self::new();
        bench.round(80);
        assert_eq!(bench.round(100), 8.0, "all of the round that shows it");
        bench
    }

    /// An acknowledgment of so many segments that measures so many milliseconds; gives what the window grows by, in segments.
    fn acknowledge(&mut self, segments: u64, round_trip: Option<u64>) -> f64 {
        let before = self.window.cwnd;
        self.acknowledged += segments;
        let round_trip = round_trip.map(|milliseconds| Span::from_microseconds(1000 * milliseconds));
        let progress = Progress {
            acknowledged: 1000 * segments,
            sample: round_trip,
            is_paced: self.is_paced,
            unacknowledged: 1000 * self.acknowledged,
            // The first acknowledgment finds the initial window sent.
            highest: 1000 * if self.acknowledged == segments { ROUND } else { self.acknowledged + ROUND },
            window_is_used: true,
            ..Progress::default()
        };
        self.law.on_acknowledgment(&mut self.window, &progress);
        (self.window.cwnd - before) / 1000.0
    }

    /// A round of acknowledgments of a segment each; gives the growth.
    fn round(&mut self, round_trip: u64) -> f64 {
        (0..ROUND).map(|_| self.acknowledge(1, Some(round_trip))).sum()
    }
}

/// L = 8 without pacing, and infinity with it (RFC 9406 section 4.3).
#[test]
fn the_window_grows_by_what_is_acknowledged_but_unless_it_is_paced_eight_segments_at_most() {
    let mut bench = Bench::new();
    assert_eq!([7, 8, 9, 30].map(|segments| bench.acknowledge(segments, Some(80))), [7.0, 8.0, 8.0, 8.0]);
    bench.is_paced = true;
    assert_eq!(bench.acknowledge(30, Some(80)), 30.0);
}

/// `CSS_GROWTH_DIVISOR` = 4.
#[test]
fn in_conservative_slow_start_the_window_grows_by_a_quarter_of_that() {
    let mut bench = Bench::in_conservative_slow_start();
    assert_eq!([1, 4, 8, 30].map(|segments| bench.acknowledge(segments, Some(100))), [0.25, 1.0, 2.0, 2.0]);
}

/// `CSS_ROUNDS` = 5, the round in which it begins included.
#[test]
fn after_five_rounds_of_it_congestion_avoidance_begins() {
    let mut bench = Bench::in_conservative_slow_start();
    (0..3).for_each(|_| assert_eq!(bench.round(100), 2.0));
    (0..7).for_each(|_| _ = bench.acknowledge(1, Some(100)));
    assert!(bench.window.in_slow_start() && bench.window.ssthresh > bench.window.cwnd, "one more ends the fifth round");
    bench.acknowledge(1, Some(100));
    assert_eq!(bench.window.ssthresh, bench.window.cwnd);
}

/// A round trip below what it began with shows that the queue has gone: slow start goes on. One as long does not.
#[test]
fn shorter_round_trips_resume_slow_start() {
    let mut bench = Bench::in_conservative_slow_start();
    assert_eq!(bench.round(100), 2.0);
    assert_eq!(bench.round(99), 7.0 * 0.25 + 0.25);
    assert_eq!(bench.round(99), 8.0);
}

/// `N_RTT_SAMPLE` = 8 of a round, and a round ends with the acknowledgment of all that was sent when it began.
#[test]
fn rounds_of_seven_round_trips_tell_nothing() {
    let mut bench = Bench::new();
    bench.round(80);
    for _ in 0..4 {
        (0..6).for_each(|_| assert_eq!(bench.acknowledge(1, Some(200)), 1.0));
        assert_eq!(bench.acknowledge(2, Some(200)), 2.0, "the end of the round");
    }
}

/// Section 4.2: both rounds that are compared must have been measured.
#[test]
fn after_a_round_without_round_trips_there_is_nothing_to_compare_with() {
    let mut bench = Bench::new();
    bench.round(80);
    (0..ROUND).for_each(|_| _ = bench.acknowledge(1, None));
    bench.round(200);
    assert_eq!(bench.acknowledge(4, Some(200)), 4.0, "slow start goes on");
}

/// Acknowledgments that measure nothing do not count.
#[test]
fn without_round_trips_slow_start_goes_on() {
    let mut bench = Bench::new();
    bench.round(80);
    for _ in 0..4 {
        (0..7).for_each(|_| _ = bench.acknowledge(1, Some(200)));
        assert_eq!(bench.acknowledge(1, None), 1.0);
    }
    bench.round(80);
    assert_eq!(bench.round(80), 8.0);
}

/// The initial window is a round: its first acknowledgment tells nothing that later ones could be compared with.
#[test]
fn the_first_round_is_all_of_the_initial_window() {
    let mut bench = Bench::new();
    assert_eq!(bench.acknowledge(1, Some(80)), 1.0);
    let longer: Vec<f64> = (1..ROUND).map(|_| bench.acknowledge(1, Some(120))).collect();
    assert!(longer.iter().all(|&growth| growth == 1.0), "still the first round: {longer:?}");
    assert_eq!(bench.round(80), 8.0);
    assert_eq!(bench.round(100), 8.0, "all of the round that shows it");
    assert_eq!(bench.acknowledge(1, Some(100)), 0.25);
}

/// RFC 9406 section 4.3: only for the first slow start. What comes after a pause is none.
#[test]
fn a_threshold_that_it_has_set_is_not_set_again() {
    let mut bench = Bench::in_conservative_slow_start();
    (0..5).for_each(|_| _ = bench.round(100));
    let threshold = bench.window.ssthresh;
    assert!(!bench.window.in_slow_start());
    bench.window.cwnd = 10_000.0;
    bench.law.on_restart_from_idle(Time::ZERO);
    bench.acknowledge(1, Some(100));
    assert_eq!(bench.window.ssthresh, threshold);
}
