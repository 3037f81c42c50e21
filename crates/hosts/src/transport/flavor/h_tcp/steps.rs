//! H-TCP step by step against Leith and Shorten 2004, with numbers worked by hand; windows in segments, of 1000 bytes.

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
    /// Of a hundred segments, past slow start.
    fn new(settings: &str) -> Self {
        let flavor = format!("flavor = {{ kind = \"h-tcp\"{settings} }}, slow_start_at_ssthresh = false");
        let (law, mut window) = law_and_window(&flavor);
        (window.cwnd, window.ssthresh) = (100_000.0, 2000.0);
        Self { law, window, now: Time::ZERO, acknowledged: 0 }
    }

    /// After so many milliseconds a segment is acknowledged with a round trip of so many; gives how much a window of them would grow.
    fn acknowledge(&mut self, wait: u64, round_trip: u64) -> f64 {
        self.window.cwnd = 100_000.0;
        self.now += Span::from_microseconds(1000 * wait);
        self.acknowledged += 1000;
        let progress = Progress {
            now: self.now,
            acknowledged: 1000,
            sample: Some(Span::from_microseconds(1000 * round_trip)),
            unacknowledged: self.acknowledged,
            highest: self.acknowledged + 10_000,
            window_is_used: true,
            ..Progress::default()
        };
        self.law.on_acknowledgment(&mut self.window, &progress);
        (self.window.cwnd - 100_000.0) / 1000.0 * 100.0
    }

    /// A loss; gives the share of the window that it leaves.
    fn lose(&mut self) -> f64 {
        self.window.cwnd = 100_000.0;
        self.law.on_loss(&mut self.window, 100_000);
        self.window.cwnd / 100_000.0
    }
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6 * expected, "{found}, not {expected}");
}

/// 1 + 10 * 2 + 0.25 * 2^2 = 22 three seconds after a loss, with Delta_L 1 s; 1 + 10 * 2.5 + 0.25 * 2.5^2 with half a second.
#[test]
fn growth_is_a_function_of_the_time_since_the_last_loss() {
    for (settings, grown) in [("", [1.0, 1.0, 22.0]), (", low_speed = \"500 ms\"", [1.0, 6.0625, 27.5625])] {
        let mut bench = Bench::new(settings);
        bench.acknowledge(0, 100);
        bench.lose();
        assert_near(bench.acknowledge(500, 100), grown[0]);
        assert_near(bench.acknowledge(500, 100), grown[1]);
        assert_near(bench.acknowledge(2000, 100), grown[2]);
        bench.lose();
        assert_near(bench.acknowledge(100, 100), 1.0);
    }
}

/// The round trip of 50 ms is half of the reference, that of 400 ms four times as much, of which twice counts; never less than the classical law.
#[test]
fn round_trip_scaling_makes_growth_the_same_in_time() {
    for (round_trip, grown, soon) in [(50, 11.0, 1.0), (100, 22.0, 1.0), (400, 44.0, 2.0)] {
        let mut bench = Bench::new(", round_trip_scaling = true, adaptive_backoff = false");
        bench.acknowledge(0, round_trip);
        bench.lose();
        assert_near(bench.acknowledge(100, round_trip), soon);
        assert_near(bench.acknowledge(2900, round_trip), grown);
    }
}

/// 100 / 125 = 0.8, 100 / 150 = 2/3; between a half and four fifths.
#[test]
fn a_loss_takes_what_the_queue_has_added_to_the_round_trip() {
    for (longest, share) in [(101, 0.8), (125, 0.8), (150, 2.0 / 3.0), (300, 0.5)] {
        for (settings, left) in [("", share), (", adaptive_backoff = false", 0.5)] {
            let mut bench = Bench::new(settings);
            (0..30).for_each(|_| _ = bench.acknowledge(10, 100));
            assert_near(bench.lose(), 0.5);
            (0..30).for_each(|_| _ = bench.acknowledge(10, longest));
            assert_near(bench.lose(), left);
            // As much as the loss has taken less.
            assert_near(bench.acknowledge(10, 100), 2.0 * (1.0 - left));
        }
    }
}

/// 1000 bytes in 10 ms before the first loss; in 12 ms, 17 % less, and in 13 ms, 23 % less.
#[test]
fn where_throughput_has_changed_by_more_than_a_fifth_a_loss_takes_half() {
    for (wait, left) in [(12, 0.8), (13, 0.5)] {
        let mut bench = Bench::new("");
        (0..30).for_each(|_| _ = bench.acknowledge(10, 100));
        bench.lose();
        (0..30).for_each(|_| _ = bench.acknowledge(wait, 110));
        assert_near(bench.lose(), left);
    }
}

#[test]
fn a_timeout_is_a_loss_that_leaves_one_segment_and_what_marks_have_taken_is_not_taken_again() {
    let mut bench = Bench::new("");
    bench.acknowledge(0, 100);
    bench.acknowledge(5000, 100);
    bench.law.on_timeout(&mut bench.window, 80_000);
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (1000.0, 40_000.0));
    bench.window.ssthresh = 2000.0;
    assert_near(bench.acknowledge(500, 100), 1.0);
    bench.window.cwnd = 100_000.0;
    bench.law.on_mark(&mut bench.window, 100_000);
    bench.law.on_loss_after_mark(&mut bench.window, 100_000);
    assert_eq!(bench.window.cwnd, 50_000.0);
}

#[test]
fn a_pause_is_no_time_since_a_loss() {
    let mut bench = Bench::new("");
    bench.acknowledge(0, 100);
    bench.lose();
    bench.acknowledge(400, 100);
    bench.now += Span::from_microseconds(60_000_000);
    bench.law.on_restart_from_idle(bench.now);
    assert_near(bench.acknowledge(600, 100), 1.0);
    assert_near(bench.acknowledge(2000, 100), 22.0);
}

/// A minute after a loss 1 + 10 * 59 + 0.25 * 59^2 = 1461 segments in a round trip, of a hundred.
#[test]
fn a_window_grows_by_no_more_than_was_acknowledged() {
    let mut bench = Bench::new("");
    bench.acknowledge(0, 100);
    assert_near(bench.acknowledge(60_000, 100), 100.0);
}
