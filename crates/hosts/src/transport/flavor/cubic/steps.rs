//! CUBIC step by step against RFC 9438, with numbers worked by hand; windows in segments, of 1000 bytes.

use longfat_foundation::units::{Span, Time};

use crate::transport::law::test_support::law_and_window;
use crate::transport::law::{Progress, WindowLaw};
use crate::transport::{TimeoutKind, Window};

struct Bench {
    law: Box<dyn WindowLaw>,
    window: Window,
    now: Time,
    /// The average round trip, if one was measured.
    smoothed_round_trip: Option<Span>,
    window_is_used: bool,
}

impl Bench {
    /// In congestion avoidance with a window of so many segments, and these settings of the flavor besides.
    fn new(segments: f64, settings: &str) -> Self {
        let (law, mut window) =
            law_and_window(&format!("flavor = {{ kind = \"cubic\"{settings} }}, slow_start_at_ssthresh = false"));
        (window.cwnd, window.ssthresh) = (1000.0 * segments, 1000.0 * segments.min(10.0));
        Self { law, window, now: Time::ZERO, smoothed_round_trip: None, window_is_used: true }
    }

    /// After a loss in a window of so many segments.
    fn after_loss(segments: f64, settings: &str) -> Self {
        let mut bench = Self::new(segments, settings);
        bench.lose(segments);
        bench
    }

    /// A loss while the window is so many segments, and as many are under way.
    fn lose(&mut self, segments: f64) {
        self.window.cwnd = 1000.0 * segments;
        let flight = self.window.usable();
        self.law.on_loss(&mut self.window, flight);
    }

    /// After `wait` milliseconds so many bytes are acknowledged; gives what the window grows by, in segments.
    fn acknowledge(&mut self, wait: u64, acknowledged: u64) -> f64 {
        self.now += Span::from_microseconds(1000 * wait);
        let (before, smoothed_round_trip) = (self.window.cwnd, self.smoothed_round_trip);
        let progress = Progress {
            now: self.now,
            acknowledged,
            smoothed_round_trip,
            window_is_used: self.window_is_used,
            ..Progress::default()
        };
        self.law.on_acknowledgment(&mut self.window, &progress);
        (self.window.cwnd - before) / 1000.0
    }

    /// Acknowledges one segment after `wait` milliseconds, from a window of `segments` segments.
    fn acknowledge_at(&mut self, wait: u64, segments: f64) -> f64 {
        self.window.cwnd = 1000.0 * segments;
        self.acknowledge(wait, 1000)
    }

    /// Window and threshold.
    fn segments(&self) -> (f64, f64) {
        (self.window.cwnd / 1000.0, self.window.ssthresh / 1000.0)
    }
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{found}, not {expected}");
}

/// Sections 4.2, 4.4 and 4.5: after a loss at 100 segments W(t) = 0.4 (t - K)^3 + 100, with K = cbrt(30 / 0.4) = 4.217 s.
#[test]
fn the_window_follows_a_cubic_function_of_the_time_since_the_first_acknowledgment_after_a_loss() {
    let mut bench = Bench::after_loss(100.0, "");
    assert_eq!(bench.segments(), (70.0, 70.0));
    // Epochs begin with the first acknowledgment, however late. W(0) = 70 is below Reno's estimate of 70 + 0.9 / 1.7 / 70.
    assert_near(bench.acknowledge(5000, 1000), 0.9 / 1.7 / 70.0);
    // W(1) = 86.681; for each segment that is acknowledged a part of the way there.
    assert_near(bench.acknowledge_at(1000, 80.0), (86.680_763_835 - 80.0) / 80.0);
    // W(4.2) is 2 billionths of a segment below 100, where the function is flat.
    assert_near(bench.acknowledge_at(3200, 99.0), (99.999_997_978 - 99.0) / 99.0);
    // W(K + 5) = 150.
    assert_near(bench.acknowledge_at(5017, 120.0), (149.995_100_365 - 120.0) / 120.0);
}

/// Section 4.2: the target is where the function will be in a round trip, as it is on average (section 4.1.2).
#[test]
fn the_window_aims_a_round_trip_ahead() {
    let mut bench = Bench::after_loss(100.0, "");
    bench.acknowledge(0, 1000);
    bench.smoothed_round_trip = Some(Span::from_microseconds(100_000));
    // W(1.1) = 87.885.
    assert_near(bench.acknowledge_at(1000, 80.0), (87.884_574_660 - 80.0) / 80.0);
}

/// Section 4.2: the target is between the window and one and a half of it.
#[test]
fn the_window_grows_by_half_a_segment_for_each_at_most_and_never_shrinks() {
    let mut bench = Bench::new(20.0, "");
    bench.acknowledge(0, 1000);
    // W(100) = 0.4 * 100^3 + 20.
    assert_near(bench.acknowledge_at(100_000, 20.0), 0.5);
    assert_near(bench.acknowledge(0, 2000), 1.0);
    let mut bench = Bench::new(20.0, "");
    bench.acknowledge(0, 1000);
    // W(2) = 23.2.
    assert_eq!(bench.acknowledge_at(2000, 24.0), 0.0);
}

/// Section 4.3: by 3 (1 - 0.7) / (1 + 0.7) for a window of segments acknowledged, and by 1 once it is where the loss came. With a small C
/// the function stays where it began.
#[test]
fn in_the_reno_friendly_region_the_window_is_renos_estimate() {
    let mut bench = Bench::after_loss(10.0, ", c = 0.000001");
    assert_near(bench.acknowledge(0, 14_000), 0.9 / 1.7 * 14.0 / 7.0);
    let window = 7.0 + 1.8 / 1.7;
    assert_near(bench.acknowledge(100, 36_000), 0.9 / 1.7 * 36.0 / window);
    let window = window + 0.9 / 1.7 * 36.0 / window;
    assert!(window > 10.0, "{window}");
    assert_near(bench.acknowledge(100, 3000), 3.0 / window);
}

/// Section 4.3: "less than". Without a loss before, Reno's estimate grows by one for a window of segments.
#[test]
fn where_renos_estimate_equals_the_function_the_function_counts() {
    let mut bench = Bench::new(16.0, ", c = 1.0");
    bench.smoothed_round_trip = Some(Span::from_microseconds(1_000_000));
    // W(0) = 16 is less than 16.5.
    assert_eq!(bench.acknowledge(0, 8000), 0.5);
    // 16.5 + 8.25 / 16.5 = W(1) = 17. One and a half of the window is less than W(2) = 24.
    assert_eq!(bench.acknowledge(1000, 8250), (24.0 - 16.5) / 16.5 * 8.25);
}

#[test]
fn a_window_that_is_ahead_of_renos_estimate_waits_for_it() {
    let mut bench = Bench::after_loss(10.0, ", c = 0.000001");
    bench.acknowledge(0, 1000);
    assert_eq!(bench.acknowledge_at(100, 8.0), 0.0);
}

#[test]
fn no_more_is_added_than_was_acknowledged() {
    let mut bench = Bench::after_loss(10.0, ", c = 0.000001");
    bench.acknowledge(0, 1000);
    // Reno's estimate is beyond seven segments.
    assert_eq!(bench.acknowledge_at(100, 4.0), 1.0);
}

/// Section 4.7: a window that did not reach the last maximum of 100 has its own lowered from 80 to 80 (1 + 0.7) / 2 = 68.
#[test]
fn fast_convergence_gives_way_when_the_last_maximum_was_not_reached() {
    // K after 80 segments, from 56 on, is cbrt(12 / 0.4) or cbrt(24 / 0.4); from 70 on after 100, cbrt(30 / 0.4).
    for (setting, second, k, flat) in [
        ("", 80.0, 3.107, 68.0),
        (", fast_convergence = false", 80.0, 3.915, 80.0),
        ("", 100.0, 4.217, 100.0),
        ("", 101.0, 4.231, 101.0),
    ] {
        let mut bench = Bench::after_loss(100.0, setting);
        bench.lose(second);
        assert_near(bench.segments().0, 0.7 * second);
        bench.acknowledge(0, 1000);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "milliseconds")]
        let grown = bench.acknowledge_at((1000.0 * k) as u64, flat - 1.0);
        assert!((grown * (flat - 1.0) - 1.0).abs() < 1e-6, "{setting} {second}: {grown}");
    }
}

/// Section 4.6: of what is under way, where that is less than the window; two segments at least.
#[test]
fn a_loss_leaves_seven_tenths_of_what_is_under_way() {
    for (window, flight, left) in [(20.0, 20_000, 14.0), (20.0, 10_000, 7.0), (20.0, 30_000, 14.0), (2.0, 2000, 2.0)] {
        let mut bench = Bench::new(window, "");
        bench.law.on_loss(&mut bench.window, flight);
        assert_eq!(bench.segments(), (left, left), "{window} segments, {flight} bytes under way");
    }
}

/// Section 4.6: a mark leaves as much as a loss, but one segment is enough.
#[test]
fn a_mark_leaves_seven_tenths_and_a_single_segment_at_least() {
    for (window, flight, left, threshold) in
        [(20.0, 20_000, 14.0, 14.0), (2.0, 2000, 1.4, 2.0), (1.4, 1000, 1.0, 2.0), (1.0, 1000, 1.0, 2.0)]
    {
        let mut bench = Bench::new(window, "");
        bench.law.on_mark(&mut bench.window, flight);
        assert_near(bench.segments().0, left);
        assert_eq!(bench.segments().1, threshold, "{window} segments");
    }
}

/// Section 4.8: one segment, slow start up to the threshold, and from there on the function from its flat place.
#[test]
fn after_a_timeout_the_function_begins_where_slow_start_ends() {
    let mut bench = Bench::after_loss(100.0, "");
    bench.law.on_timeout(&mut bench.window, 50_000);
    assert_eq!(bench.segments(), (1.0, 35.0));
    assert_eq!(bench.acknowledge(100, 1000), 1.0, "slow start");
    bench.acknowledge_at(100, 36.0);
    // W(5) = 0.4 * 5^3 + 36 = 86, and 1.5 * 60 is more.
    assert_near(bench.acknowledge_at(5000, 60.0), 26.0 / 60.0);
}

/// RFC 9406 section 4.3: only for the first slow start. There one acknowledgment adds eight segments at most.
#[test]
fn a_loss_or_a_timeout_ends_the_watch_over_slow_start() {
    let (mut law, mut window) = law_and_window(
        "flavor = { kind = \"cubic\", slow_start_exit = \"hystart++\" }, timestamps = true, slow_start_growth = \"per-segment\"",
    );
    let progress = |acknowledged| Progress { acknowledged, window_is_used: true, ..Progress::default() };
    law.on_acknowledgment(&mut window, &progress(9000));
    assert_eq!(window.cwnd, 18_000.0);
    law.on_timeout(&mut window, 100_000);
    law.on_acknowledgment(&mut window, &progress(9000));
    assert_eq!(window.cwnd, 10_000.0);
}

/// RFC 5681 section 3.1: the threshold stays where the first timeout has put it until something new is acknowledged.
#[test]
fn a_second_timeout_in_a_row_leaves_the_threshold() {
    let mut bench = Bench::new(100.0, "");
    for kind in [TimeoutKind::First, TimeoutKind::Again, TimeoutKind::Again] {
        bench.window.note_timeout(kind);
        bench.law.on_timeout(&mut bench.window, 100_000);
        assert_eq!(bench.segments(), (1.0, 70.0));
    }
    bench.acknowledge(100, 1000);
    bench.window.note_timeout(TimeoutKind::First);
    bench.law.on_timeout(&mut bench.window, 2_000);
    assert_eq!(bench.segments(), (1.0, 2.0), "seven tenths of two segments, and two at least");
}

/// Sections 4.6 and 4.8: seven tenths of what is under way, also where a recovery has reduced the window for the same losses before; but no
/// more than that has left, where the recovery has sent much besides.
#[test]
fn a_timeout_in_a_recovery_does_not_reduce_the_threshold_twice() {
    for (flight, threshold) in [(100_000, 70.0), (300_000, 70.0), (50_000, 35.0)] {
        let mut bench = Bench::new(100.0, "");
        bench.law.on_loss(&mut bench.window, 100_000);
        assert_eq!(bench.segments(), (70.0, 70.0));
        bench.window.note_timeout(TimeoutKind::InRecovery);
        bench.law.on_timeout(&mut bench.window, flight);
        assert_eq!(bench.segments(), (1.0, threshold));
    }
}

/// Section 5.8: a window that is not used does not grow, and the time in which it is not counts for nothing.
#[test]
fn a_window_that_keeps_nothing_back_waits_where_it_is() {
    let (mut one, mut other) = (Bench::after_loss(100.0, ""), Bench::after_loss(100.0, ""));
    for bench in [&mut one, &mut other] {
        (0..20).for_each(|_| _ = bench.acknowledge(100, 1000));
    }
    other.window_is_used = false;
    (0..20).for_each(|_| assert_eq!(other.acknowledge(1000, 1000), 0.0));
    other.window_is_used = true;
    for _ in 0..20 {
        assert_near(one.acknowledge(100, 1000), other.acknowledge(100, 1000));
    }
}

/// Nor in slow start.
#[test]
fn slow_start_waits_for_a_window_that_is_used_as_well() {
    let mut bench = Bench::new(5.0, "");
    bench.window.ssthresh = 50_000.0;
    bench.window_is_used = false;
    assert_eq!(bench.acknowledge(100, 1000), 0.0);
    bench.window_is_used = true;
    assert_eq!(bench.acknowledge(100, 1000), 1.0);
}

/// RFC 3168 section 6.1.2: marks and losses of one window of data reduce it once.
#[test]
fn a_loss_after_a_mark_in_the_same_window_takes_nothing_more() {
    let mut bench = Bench::new(100.0, "");
    bench.law.on_mark(&mut bench.window, 100_000);
    bench.law.on_loss_after_mark(&mut bench.window, 100_000);
    assert_eq!(bench.segments(), (70.0, 70.0));
}

/// Section 5.8 and Linux's `bictcp_cwnd_event`: neither a pause counts nor the slow start after it.
#[test]
fn a_pause_is_no_time_of_growth() {
    let (mut one, mut other) = (Bench::after_loss(100.0, ""), Bench::after_loss(100.0, ""));
    for bench in [&mut one, &mut other] {
        (0..20).for_each(|_| _ = bench.acknowledge(100, 1000));
    }
    let window = other.window.cwnd;
    other.now += Span::from_microseconds(30_000_000);
    other.law.on_restart_from_idle(other.now);
    other.window.cwnd = 10_000.0;
    (0..20).for_each(|_| _ = other.acknowledge(100, 1000));
    other.window.cwnd = window;
    for _ in 0..20 {
        assert_near(one.acknowledge(100, 1000), other.acknowledge(100, 1000));
    }
}
