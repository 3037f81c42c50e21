//! TCP Hybla step by step against Caini and Firrincieli 2004, with numbers worked by hand; windows in segments, of 1000 bytes.

use longfat_foundation::units::{Span, Time};

use crate::transport::Window;
use crate::transport::law::test_support::law_and_window;
use crate::transport::law::{Progress, WindowLaw};

struct Bench {
    law: Box<dyn WindowLaw>,
    window: Window,
}

impl Bench {
    fn new(segments: f64, threshold: f64, settings: &str) -> Self {
        let flavor = format!("flavor = {{ kind = \"hybla\"{settings} }}, slow_start_at_ssthresh = false");
        let (law, mut window) = law_and_window(&flavor);
        (window.cwnd, window.ssthresh) = (1000.0 * segments, 1000.0 * threshold);
        Self { law, window }
    }

    /// Of a connection that was there before.
    fn going_on(segments: f64, threshold: f64) -> Self {
        Self::new(segments, threshold, ", scales_start = false")
    }

    /// A segment is acknowledged where the smoothed round trip is so many milliseconds; gives the growth.
    fn acknowledge(&mut self, round_trip: u64) -> f64 {
        let before = self.window.cwnd;
        let smoothed_round_trip = Some(Span::from_microseconds(1000 * round_trip));
        let progress =
            Progress { acknowledged: 1000, smoothed_round_trip, window_is_used: true, ..Progress::default() };
        self.law.on_acknowledgment(&mut self.window, &progress);
        (self.window.cwnd - before) / 1000.0
    }
}

/// rho = 50 / 25 = 2: 2^2 - 1, and 2^2 / 100.
#[test]
fn over_twice_the_reference_an_acknowledgment_adds_three_segments_and_four_over_the_window() {
    assert_eq!(Bench::going_on(2.0, 500.0).acknowledge(50), 3.0);
    assert_eq!(Bench::going_on(100.0, 2.0).acknowledge(50), 0.04);
    // 2^1.5 - 1 and 1.5^2 / 100.
    assert!((Bench::going_on(2.0, 500.0).acknowledge(37) - (libm::exp2(1.48) - 1.0)).abs() < 1e-9);
    assert!((Bench::going_on(100.0, 2.0).acknowledge(37) - 1.48 * 1.48 / 100.0).abs() < 1e-9);
}

#[test]
fn over_less_than_the_reference_it_is_the_classical_law() {
    assert_eq!(Bench::new(2.0, 500.0, "").acknowledge(5), 1.0);
    assert_eq!(Bench::going_on(100.0, 2.0).acknowledge(5), 0.01);
}

/// Queues make the smoothed round trip longer, from 50 to 75 ms.
#[test]
fn it_goes_by_the_shortest_round_trip_or_by_the_smoothed_one() {
    for (settings, grown) in [("", 0.04), (", round_trip = \"smoothed\"", 0.09)] {
        let mut bench = Bench::new(100.0, 2.0, &format!(", scales_start = false{settings}"));
        bench.acknowledge(50);
        bench.window.cwnd = 100_000.0;
        assert!((bench.acknowledge(75) - grown).abs() < 1e-9, "{settings}");
    }
}

/// Over 100 ms a first window of 10 segments and a threshold of 100 become 40 and 400; then 2^4 - 1 more.
#[test]
fn the_first_window_and_threshold_are_in_proportion_to_the_round_trip() {
    let mut bench = Bench::new(10.0, 100.0, "");
    bench.acknowledge(100);
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (55_000.0, 400_000.0));
    bench.acknowledge(100);
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (70_000.0, 400_000.0), "once");
}

#[test]
fn the_opening_tells_the_round_trip_before_any_acknowledgment() {
    let mut bench = Bench::going_on(2.0, 500.0);
    bench.law.on_opened(Time::ZERO, Span::from_microseconds(75_000));
    // Of 3, and not of 4.
    assert!((bench.acknowledge(100) - 7.0).abs() < 1e-9);
}

/// Over half a second an acknowledgment would add a million segments: no more than slow start may have, nor than the receiver allows.
#[test]
fn slow_start_stops_at_the_threshold_and_at_the_receivers_window() {
    let mut bench = Bench::going_on(2.0, 300.0);
    bench.acknowledge(500);
    assert_eq!(bench.window.cwnd, 300_000.0);
    let mut bench = Bench::going_on(2.0, f64::INFINITY);
    bench.acknowledge(500);
    assert_eq!(bench.window.cwnd, 1_000_000.0);
    bench.acknowledge(500);
    assert!(bench.window.cwnd >= 1_000_000.0);
}

#[test]
fn losses_and_timeouts_take_what_they_take_from_the_classical_law() {
    let mut bench = Bench::going_on(100.0, 2.0);
    bench.law.on_loss(&mut bench.window, 100_000);
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (50_000.0, 50_000.0));
    bench.law.on_timeout(&mut bench.window, 50_000);
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (1000.0, 25_000.0));
}
