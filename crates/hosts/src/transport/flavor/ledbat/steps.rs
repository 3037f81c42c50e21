//! LEDBAT step by step against RFC 6817 section 2.4.2, with numbers worked by hand; windows in segments, of 1000 bytes.

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

fn ms(milliseconds: u64) -> Span {
    Span::from_microseconds(1000 * milliseconds)
}

impl Bench {
    /// With a window of so many segments and a threshold.
    fn new(segments: f64, threshold: f64, settings: &str) -> Self {
        let flavor = format!("flavor = {{ kind = \"ledbat\"{settings} }}, slow_start_at_ssthresh = false");
        let (law, mut window) = law_and_window(&flavor);
        (window.cwnd, window.ssthresh) = (1000.0 * segments, 1000.0 * threshold);
        Self { law, window, now: Time::ZERO, acknowledged: 0 }
    }

    /// Past slow start, with a hundred segments, and a way to the receiver that took 20 ms.
    fn avoiding(settings: &str) -> Self {
        let mut bench = Self::new(100.0, 2.0, settings);
        bench.acknowledge(10, 20, 50);
        bench
    }

    /// After `wait` milliseconds a segment of a full window is acknowledged, which took so many to the receiver, with such a round trip.
    fn acknowledge(&mut self, wait: u64, one_way: u64, round_trip: u64) {
        self.acknowledge_of(wait, Some(ms(one_way)), round_trip, self.window.usable());
    }

    fn acknowledge_of(&mut self, wait: u64, one_way_delay: Option<Span>, round_trip: u64, flight: u64) {
        self.now += ms(wait);
        let highest = self.acknowledged + flight;
        self.acknowledged += 1000;
        let progress = Progress {
            now: self.now,
            acknowledged: 1000,
            sample: Some(ms(round_trip)),
            one_way_delay,
            smoothed_round_trip: Some(ms(50)),
            unacknowledged: self.acknowledged,
            highest,
            window_is_used: true,
            ..Progress::default()
        };
        self.law.on_acknowledgment(&mut self.window, &progress);
    }

    /// By how many segments a window of a hundred grows in a round trip, when each takes so long to the receiver.
    fn growth(&mut self, one_way: u64) -> f64 {
        // The four that are looked at.
        (0..4).for_each(|_| self.acknowledge(10, one_way, 50));
        self.window.cwnd = 100_000.0;
        self.acknowledge(10, one_way, 50);
        (self.window.cwnd - 100_000.0) / 1000.0 * 100.0
    }

    fn segments(&self) -> f64 {
        self.window.cwnd / 1000.0
    }
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found}, not {expected}");
}

/// 20 ms are none in a queue. 45 are 25 of the 100 that are to be: 1 - 0.25. 120 are the target, and 220 twice that.
#[test]
fn it_grows_in_proportion_to_what_packets_wait_less_than_the_target_and_shrinks_likewise() {
    for (settings, of_one) in [("", 1.0), (", gain = 0.5", 0.5)] {
        let mut bench = Bench::avoiding(settings);
        for (one_way, growth) in [(20, 1.0), (45, 0.75), (120, 0.0), (220, -1.0), (520, -4.0)] {
            assert_near(bench.growth(one_way), of_one * growth);
        }
    }
    // 30 ms of 60.
    assert_near(Bench::avoiding(", target = \"60 ms\"").growth(50), 0.5);
}

/// The way to the receiver has taken 20 ms longer, and the way back 30 ms more.
#[test]
fn it_goes_by_the_way_to_the_receiver_or_by_round_trips_where_that_is_not_told() {
    for (settings, told, growth) in [("", true, 0.8), (", delay = \"round-trip\"", true, 0.5), ("", false, 0.5)] {
        let mut bench = Bench::new(100.0, 2.0, settings);
        let one_way = |milliseconds| told.then(|| ms(milliseconds));
        bench.acknowledge_of(10, one_way(20), 50, 100_000);
        (0..4).for_each(|_| bench.acknowledge_of(10, one_way(40), 100, 100_000));
        bench.window.cwnd = 100_000.0;
        bench.acknowledge_of(10, one_way(40), 100, 100_000);
        assert_near(bench.segments() - 100.0, growth / 100.0);
    }
}

/// Of 20, 90, 90, 90 ms the shortest is 20, but after three more of 90 ms it is not looked at any more; nor is it after a round trip of 50 ms.
#[test]
fn the_shortest_of_the_latest_delays_counts() {
    for (settings, wait, grown) in [
        ("", 10, [1.0, 1.0, 1.0, 0.3]),
        (", current_filter = 2", 10, [1.0, 0.3, 0.3, 0.3]),
        ("", 26, [1.0, 0.3, 0.3, 0.3]),
        ("", 51, [0.3, 0.3, 0.3, 0.3]),
    ] {
        let mut bench = Bench::avoiding(settings);
        for growth in grown {
            bench.window.cwnd = 100_000.0;
            bench.acknowledge(wait, 90, 50);
            assert_near(bench.segments() - 100.0, growth / 100.0);
        }
    }
}

/// The path has become 60 ms longer: that looks like a queue until the minutes are over in which it was shorter, and a path that becomes shorter
/// is one at once.
#[test]
fn a_longer_path_is_believed_after_as_many_minutes_as_shortest_delays_are_kept() {
    for (settings, minutes) in [("", 10), (", base_history = 2", 2)] {
        let mut bench = Bench::avoiding(settings);
        for _ in 1..minutes {
            bench.now += ms(60_000);
            assert_near(bench.growth(80), 0.4);
        }
        bench.now += ms(60_000);
        assert_near(bench.growth(80), 1.0);
        bench.growth(50);
        assert_near(bench.growth(80), 0.7);
    }
}

/// A window of a hundred segments of which 40 are under way becomes 41, and 42 where two are allowed.
#[test]
fn a_window_is_no_larger_than_what_was_under_way_and_what_may_be_added() {
    for (settings, segments) in [("", 41.0), (", allowed_increase = 2", 42.0)] {
        let mut bench = Bench::avoiding(settings);
        bench.acknowledge_of(10, Some(ms(20)), 50, 40_000);
        assert_eq!(bench.segments(), segments);
    }
}

#[test]
fn two_segments_stay_however_long_packets_wait() {
    for (settings, segments) in [("", 2.0), (", minimum_window = 5", 5.0)] {
        let mut bench = Bench::avoiding(settings);
        (0..400).for_each(|_| bench.acknowledge(1, 2000, 2100));
        assert_eq!(bench.segments(), segments);
        // From one segment it is back with what is acknowledged.
        bench.law.on_timeout(&mut bench.window, 2000);
        let ssthresh = std::mem::replace(&mut bench.window.ssthresh, 1000.0);
        assert_eq!((bench.segments(), ssthresh), (1.0, 2000.0));
        bench.acknowledge(1, 2000, 2100);
        assert_eq!(bench.segments(), 2.0);
    }
}

/// 74 of 100 ms are no three quarters, 76 are.
#[test]
fn slow_start_ends_when_packets_wait_for_three_quarters_of_the_target() {
    for (settings, one_way, starts) in [
        ("", 94, true),
        ("", 96, false),
        (", slow_start_share = 0.5", 70, false),
        (", slow_start = \"classical\"", 300, true),
        (", slow_start = \"none\"", 20, false),
    ] {
        let mut bench = Bench::new(10.0, 1000.0, settings);
        bench.acknowledge(10, 20, 50);
        bench.law.on_restart_from_idle(bench.now);
        bench.window.cwnd = 10_000.0;
        bench.acknowledge(10, one_way, 50);
        assert_eq!(bench.segments() == 11.0, starts, "{settings} {one_way}: {}", bench.segments());
        assert_eq!(bench.window.in_slow_start(), starts, "{settings} {one_way}");
    }
}

#[test]
fn a_loss_takes_half_and_what_marks_have_taken_is_not_taken_again() {
    let mut bench = Bench::avoiding("");
    bench.window.cwnd = 100_000.0;
    bench.law.on_mark(&mut bench.window, 100_000);
    bench.law.on_loss_after_mark(&mut bench.window, 100_000);
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (50_000.0, 50_000.0));
    bench.law.on_timeout(&mut bench.window, 40_000);
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (1000.0, 20_000.0));
}
