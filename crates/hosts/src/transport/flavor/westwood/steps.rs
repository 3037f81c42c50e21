//! TCP Westwood+ step by step against Grieco and Mascolo 2004, with numbers worked by hand: segments of 1000 bytes.

use longfat_foundation::units::{Span, Time};

use crate::transport::Window;
use crate::transport::law::test_support::law_and_window;
use crate::transport::law::{Progress, WindowLaw};

struct Bench {
    law: Box<dyn WindowLaw>,
    window: Window,
    now: Time,
    acknowledged: u64,
}

impl Bench {
    fn new(settings: &str) -> Self {
        let flavor = format!("flavor = {{ kind = \"westwood\"{settings} }}, slow_start_at_ssthresh = false");
        let (law, mut window) = law_and_window(&flavor);
        window.ssthresh = 2000.0;
        Self { law, window, now: Time::ZERO, acknowledged: 0 }
    }

    /// So many segments are acknowledged, one after each wait of so many milliseconds, with such a round trip.
    fn acknowledge(&mut self, segments: u64, wait: u64, round_trip: u64) {
        for _ in 0..segments {
            self.now += Span::from_microseconds(1000 * wait);
            self.acknowledged += 1000;
            let round_trip = Some(Span::from_microseconds(1000 * round_trip));
            let progress = Progress {
                now: self.now,
                acknowledged: 1000,
                sample: round_trip,
                smoothed_round_trip: round_trip,
                unacknowledged: self.acknowledged,
                window_is_used: true,
                ..Progress::default()
            };
            self.law.on_acknowledgment(&mut self.window, &progress);
        }
    }

    /// Threshold in segments that a loss leaves of a window of 100.
    fn lose(&mut self) -> f64 {
        self.window.cwnd = 100_000.0;
        self.law.on_loss(&mut self.window, 100_000);
        assert_eq!(self.window.cwnd, self.window.ssthresh);
        self.window.cwnd / 1000.0
    }
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9 * expected, "{found}, not {expected}");
}

/// 1000 bytes in 5 ms are 200 kB/s; the shortest round trip of 100 ms holds 20 segments, however long they have become.
#[test]
fn a_loss_leaves_the_bandwidth_times_the_shortest_round_trip() {
    let mut bench = Bench::new("");
    bench.acknowledge(21, 5, 100);
    assert_near(bench.lose(), 20.0);
    bench.acknowledge(80, 5, 200);
    assert_near(bench.lose(), 20.0);
    let mut opened = Bench::new("");
    opened.law.on_opened(Time::ZERO, Span::from_microseconds(50_000));
    opened.acknowledge(21, 5, 100);
    assert_near(opened.lose(), 10.0);
}

/// 100 kB/s and then twice as much: 0.9 * 100 + 0.1 * 200, or 0.875 * 100 + 0.125 * 200.
#[test]
fn bandwidth_is_averaged_once_in_a_round_trip() {
    for (settings, left) in [("", 11.0), (", memory = 0.875", 11.25)] {
        let mut bench = Bench::new(settings);
        bench.acknowledge(11, 10, 100);
        bench.acknowledge(19, 5, 100);
        assert_near(bench.lose(), 10.0);
        bench.acknowledge(1, 5, 100);
        assert_near(bench.lose(), left);
    }
}

/// Over 1 ms it is measured every 50 ms: 10 segments in the first, 20 in the next.
#[test]
fn it_is_not_measured_over_less_than_fifty_milliseconds() {
    let mut bench = Bench::new("");
    bench.acknowledge(50, 1, 1);
    assert_near(bench.lose(), 50.0);
    bench.acknowledge(1, 1, 1);
    // 1000 bytes in 1 ms over 1 ms are one segment: two are the least.
    assert_near(bench.lose(), 2.0);
}

#[test]
fn a_timeout_leaves_the_same_threshold_and_one_segment() {
    let mut bench = Bench::new("");
    bench.law.on_timeout(&mut bench.window, 8000);
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (1000.0, 4000.0), "nothing is known");
    bench.acknowledge(21, 5, 100);
    bench.law.on_timeout(&mut bench.window, 80_000);
    assert_eq!(bench.window.cwnd, 1000.0);
    assert_near(bench.window.ssthresh, 20_000.0);
}

#[test]
fn a_pause_tells_nothing_of_the_bandwidth_and_what_marks_have_taken_is_not_taken_again() {
    let mut bench = Bench::new("");
    bench.acknowledge(21, 5, 100);
    bench.now += Span::from_microseconds(60_000_000);
    bench.law.on_restart_from_idle(bench.now);
    bench.acknowledge(21, 5, 100);
    assert_near(bench.lose(), 20.0);
    bench.window.cwnd = 100_000.0;
    bench.law.on_mark(&mut bench.window, 100_000);
    bench.window.cwnd = 15_000.0;
    bench.law.on_loss_after_mark(&mut bench.window, 100_000);
    assert_eq!(bench.window.cwnd, 15_000.0);
}
