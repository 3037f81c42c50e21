//! TCP-Illinois step by step against Liu, Basar and Srikant 2008, with numbers worked by hand; windows in segments, of 1000 bytes.

use longfat_foundation::units::{Span, Time};

use crate::transport::Window;
use crate::transport::law::test_support::law_and_window;
use crate::transport::law::{Progress, WindowLaw};

struct Bench {
    law: Box<dyn WindowLaw>,
    window: Window,
    segments: f64,
    acknowledged: u64,
}

impl Bench {
    /// Past slow start, with a window that stays as it is, and round trips of 100 to 200 ms so far.
    fn new(segments: f64, settings: &str) -> Self {
        let flavor = format!("flavor = {{ kind = \"illinois\"{settings} }}, slow_start_at_ssthresh = false");
        let (law, mut window) = law_and_window(&flavor);
        window.ssthresh = 2000.0;
        let mut bench = Self { law, window, segments, acknowledged: 0 };
        [100, 200].into_iter().for_each(|round_trip| _ = bench.acknowledge(round_trip));
        bench.law.on_restart_from_idle(Time::ZERO);
        bench
    }

    /// A segment of a full window is acknowledged after so many milliseconds; gives by how many it would grow in a round trip.
    fn acknowledge(&mut self, round_trip: u64) -> f64 {
        self.window.cwnd = 1000.0 * self.segments;
        let highest = self.acknowledged + self.window.usable();
        self.acknowledged += 1000;
        let progress = Progress {
            acknowledged: 1000,
            sample: Some(Span::from_microseconds(1000 * round_trip)),
            unacknowledged: self.acknowledged,
            highest,
            window_is_used: true,
            ..Progress::default()
        };
        self.law.on_acknowledgment(&mut self.window, &progress);
        (self.window.cwnd - 1000.0 * self.segments) / 1000.0 * self.segments
    }

    /// A whole round trip with such delays, and the acknowledgment that ends it; gives by how many segments the window grows then.
    fn round(&mut self, round_trips: &[u64]) -> f64 {
        self.window.cwnd = 1000.0 * self.segments;
        let segments = self.window.whole_cwnd() / 1000;
        let cycle = round_trips.iter().cycle();
        (0..segments).zip(cycle).for_each(|(_, &round_trip)| _ = self.acknowledge(round_trip));
        self.acknowledge(round_trips[0])
    }

    /// The share of the window that a loss leaves.
    fn lose(&mut self) -> f64 {
        self.window.cwnd = 1000.0 * self.segments;
        let flight = self.window.usable();
        self.law.on_loss(&mut self.window, flight);
        self.window.cwnd / 1000.0 / self.segments
    }
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6 * expected, "{found}, not {expected}");
}

/// Delays of 1, 10, 45, 80 and 100 ms of 100. At 45 the way from 1 to 100 is 4/9: 10 / (1 + 4/9 * 97/3) = 0.6506, and from 10 to 80 it is half:
/// (0.125 + 0.5) / 2.
#[test]
fn the_mean_delay_of_a_round_trip_says_how_much_it_grows_and_what_a_loss_takes() {
    let hyperbola = |way: f64| 10.0 / (1.0 + way * 97.0 / 3.0);
    let cases = [
        (101, 10.0, 0.875),
        (110, hyperbola(9.0 / 99.0), 0.875),
        (145, hyperbola(4.0 / 9.0), 1.0 - 0.3125),
        (180, hyperbola(79.0 / 99.0), 0.5),
        (200, 0.3, 0.5),
    ];
    for (round_trip, growth, left) in cases {
        let mut bench = Bench::new(100.0, "");
        assert_near(bench.round(&[round_trip]), growth);
        assert_near(bench.lose(), left);
    }
}

/// 130 and 160 ms are 145 on average.
#[test]
fn it_goes_by_the_mean_of_the_round_trips_of_a_window() {
    let mut bench = Bench::new(100.0, "");
    assert_near(bench.round(&[130, 160]), 10.0 / (1.0 + 4.0 / 9.0 * 97.0 / 3.0));
}

#[test]
fn until_a_round_trip_is_over_it_is_as_fast_as_it_can_be_and_a_loss_takes_half() {
    let mut bench = Bench::new(100.0, "");
    assert_near(bench.acknowledge(200), 10.0);
    assert_near(bench.lose(), 0.5);
}

#[test]
fn empty_queues_are_believed_after_five_round_trips_in_a_row() {
    for (settings, rounds) in [("", 5), (", patience = 1", 1)] {
        let mut bench = Bench::new(100.0, settings);
        assert_near(bench.round(&[200]), 0.3);
        (1..rounds).for_each(|_| assert_near(bench.round(&[100]), 0.3));
        assert_near(bench.round(&[100]), 10.0);
        assert_near(bench.lose(), 0.875);
    }
}

/// Of fourteen segments; nor does a window grow by more than was acknowledged, be it as small as eight.
#[test]
fn a_small_window_is_one_of_the_classical_law() {
    let mut bench = Bench::new(14.0, "");
    assert_near(bench.round(&[100]), 1.0);
    assert_near(bench.lose(), 0.5);
    let mut smaller = Bench::new(14.0, ", window_threshold = 4");
    assert_near(smaller.round(&[100]), 10.0);
    smaller.segments = 8.0;
    assert_near(smaller.acknowledge(100), 8.0);
}

/// The loss still takes the share that the earlier round trips gave.
#[test]
fn after_a_timeout_it_is_the_classical_law_until_a_round_trip_is_over() {
    let mut bench = Bench::new(100.0, "");
    bench.round(&[100]);
    bench.window.cwnd = 100_000.0;
    bench.law.on_timeout(&mut bench.window, 80_000);
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (1000.0, 70_000.0));
    bench.window.ssthresh = 2000.0;
    assert_near(bench.acknowledge(100), 1.0);
    assert_near(bench.lose(), 0.5);
    assert_near(bench.round(&[100]), 10.0);
}

#[test]
fn what_marks_have_taken_is_not_taken_again() {
    let mut bench = Bench::new(100.0, "");
    bench.round(&[100]);
    bench.window.cwnd = 100_000.0;
    bench.law.on_mark(&mut bench.window, 100_000);
    bench.law.on_loss_after_mark(&mut bench.window, 100_000);
    assert_eq!(bench.window.cwnd, 87_500.0);
}
