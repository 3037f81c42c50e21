//! DCTCP step by step against RFC 8257 section 3.3, with numbers worked by hand; windows in segments, of 1000 bytes.

use crate::transport::Window;
use crate::transport::law::WindowLaw;
use crate::transport::law::test_support::law_and_window;

struct Bench {
    law: Box<dyn WindowLaw>,
    window: Window,
    acknowledged: u64,
}

impl Bench {
    /// A new connection; g = 1/16.
    fn new() -> Self {
        let (law, window) = law_and_window("flavor = \"dctcp\", ecn = \"accurate\"");
        Self { law, window, acknowledged: 0 }
    }

    /// Ten segments are acknowledged, so many of them marked; ten more are under way, and so ends a window of data.
    fn window_of_data(&mut self, marked: u64) {
        self.acknowledged += 10_000;
        self.law.observe_marks(10_000, 1000 * marked, self.acknowledged, self.acknowledged + 9_000);
    }

    /// Window in segments that a mark leaves of `segments`; the threshold is equal.
    fn mark(&mut self, segments: f64) -> f64 {
        self.window.cwnd = 1000.0 * segments;
        self.law.on_mark(&mut self.window, 0);
        assert_eq!(self.window.ssthresh, self.window.cwnd);
        self.window.cwnd / 1000.0
    }
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-12, "{found}, not {expected}");
}

/// alpha begins at 1; cwnd (1 - alpha / 2).
#[test]
fn the_first_mark_halves_the_window() {
    assert_eq!(Bench::new().mark(10.0), 5.0);
}

/// alpha + (M - alpha) / 16: by steps of M = 0.4, 0.4, 0 and 1.
#[test]
fn a_mark_takes_away_half_of_the_average_share_of_marked_bytes() {
    let mut bench = Bench::new();
    for (marked, share) in [(4, 0.9625), (4, 0.927_343_75), (0, 0.869_384_765_625), (10, 0.877_548_217_773_437_5)] {
        bench.window_of_data(marked);
        assert_near(bench.mark(100.0), 100.0 * (1.0 - share / 2.0));
    }
}

#[test]
fn after_many_windows_without_marks_one_costs_next_to_nothing() {
    let mut bench = Bench::new();
    (0..100).for_each(|_| bench.window_of_data(0));
    // (15 / 16)^100.
    assert_near(bench.mark(100.0), 100.0 * (1.0 - 0.001_574_445_529_014_492_9 / 2.0));
}

/// Section 3.3, steps 4 to 8: a window of data ends when more is acknowledged than was sent when it began.
#[test]
fn the_share_is_averaged_once_for_a_window_of_data() {
    let mut bench = Bench::new();
    bench.window_of_data(0);
    let once = 15.0 / 16.0;
    // 19000 bytes were sent by then.
    bench.law.observe_marks(9000, 0, 19_000, 30_000);
    assert_near(bench.mark(100.0), 100.0 * (1.0 - once / 2.0));
    bench.law.observe_marks(1000, 0, 20_000, 30_000);
    assert_near(bench.mark(100.0), 100.0 * (1.0 - once * once / 2.0));
}

#[test]
fn no_more_is_marked_than_was_acknowledged_and_nothing_acknowledged_tells_of_no_share() {
    let mut bench = Bench::new();
    bench.law.observe_marks(0, 1000, 1000, 10_000);
    assert_eq!(bench.mark(10.0), 5.0);
    bench.window_of_data(20);
    assert_eq!(bench.mark(10.0), 5.0, "all of it");
}

#[test]
fn two_segments_are_left_at_least_and_losses_halve() {
    let mut bench = Bench::new();
    assert_eq!([6.0, 4.0, 3.0].map(|segments| bench.mark(segments)), [3.0, 2.0, 2.0]);
    (0..100).for_each(|_| bench.window_of_data(0));
    bench.window.cwnd = 10_000.0;
    bench.law.on_loss(&mut bench.window, 10_000);
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (5000.0, 5000.0));
    bench.law.on_timeout(&mut bench.window, 5000);
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (1000.0, 2500.0));
}
