//! BIC TCP step by step against Xu, Harfoush and Rhee 2004 with the parameters of Linux, numbers worked by hand; windows in segments, of 1000 bytes.

use crate::transport::Window;
use crate::transport::law::test_support::law_and_window;
use crate::transport::law::{Progress, WindowLaw};

struct Bench {
    law: Box<dyn WindowLaw>,
    window: Window,
}

impl Bench {
    /// Past slow start.
    fn new(settings: &str) -> Self {
        let flavor = format!("flavor = {{ kind = \"bic\"{settings} }}, slow_start_at_ssthresh = false");
        let (law, mut window) = law_and_window(&flavor);
        window.ssthresh = 2000.0;
        Self { law, window }
    }

    /// After a loss in a window of so many segments.
    fn after_loss(segments: f64, settings: &str) -> Self {
        let mut bench = Self::new(settings);
        bench.lose(segments);
        bench
    }

    /// A loss in a window of so many segments; gives what it leaves.
    fn lose(&mut self, segments: f64) -> f64 {
        self.window.cwnd = 1000.0 * segments;
        let flight = self.window.usable();
        self.law.on_loss(&mut self.window, flight);
        assert_eq!(self.window.cwnd, self.window.ssthresh);
        self.window.cwnd / 1000.0
    }

    /// By how many segments a window of so many grows in a round trip.
    fn growth(&mut self, segments: f64) -> f64 {
        (self.window.cwnd, self.window.ssthresh) = (1000.0 * segments, 2000.0);
        let progress = Progress { acknowledged: 1000, window_is_used: true, ..Progress::default() };
        self.law.on_acknowledgment(&mut self.window, &progress);
        (self.window.cwnd - 1000.0 * segments) / 1000.0 * segments
    }
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6 * expected, "{found}, not {expected}");
}

/// The last loss came at 500 segments. At 400 a quarter of the way is 25, of which 16 are allowed; at 460 it is 10, at 480 it is 5.
/// From 496 to 504 it takes five round trips for each segment. At 512 a third of the way back is 4, at 590 it is 30, of which 16 are allowed.
#[test]
fn growth_is_fast_far_from_the_last_loss_and_slow_near_it() {
    let cases = [(400.0, 16.0), (460.0, 10.0), (480.0, 5.0), (498.0, 0.2), (503.0, 0.2), (512.0, 4.0), (590.0, 16.0)];
    let mut bench = Bench::after_loss(500.0, "");
    cases.into_iter().for_each(|(segments, growth)| assert_near(bench.growth(segments), growth));
}

/// Half of the way, up to 32 segments: 32 at 420, 30 at 440, 10 at 480; the last two segments in 20 round trips; beyond it the way itself.
#[test]
fn with_two_as_divisor_the_search_is_the_papers_binary_one() {
    let mut bench = Bench::after_loss(500.0, ", search_divisor = 2, max_increment = 32, beta = 0.875");
    for (segments, growth) in [(420.0, 32.0), (440.0, 30.0), (480.0, 10.0), (499.0, 0.1), (510.0, 10.0), (540.0, 32.0)]
    {
        assert_near(bench.growth(segments), growth);
    }
    assert_eq!(bench.lose(500.0), 437.5);
}

/// At 48 a third of it is 16; beyond 320 a twentieth is more than 16.
#[test]
fn before_a_loss_and_after_a_timeout_it_grows_by_sixteen_or_a_twentieth() {
    let mut bench = Bench::new("");
    for (segments, growth) in [(30.0, 10.0), (48.0, 16.0), (320.0, 16.0), (800.0, 40.0)] {
        assert_near(bench.growth(segments), growth);
    }
    bench.lose(800.0);
    assert_near(bench.growth(799.0), 0.2);
    bench.window.cwnd = 800_000.0;
    bench.law.on_timeout(&mut bench.window, 600_000);
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (1000.0, 480_000.0));
    assert_near(bench.growth(799.0), 39.95);
}

#[test]
fn up_to_the_low_window_it_is_the_classical_law() {
    let mut bench = Bench::after_loss(500.0, "");
    assert_near(bench.growth(14.0), 1.0);
    assert_eq!((bench.lose(14.0), bench.lose(15.0)), (7.0, 12.0));
    let mut lower = Bench::new(", low_window = 10");
    assert_near(lower.lose(14.0), 11.2);
}

/// 400 (1 + 0.8) / 2 = 360: a search for that reaches 359 with 0.2 segments in a round trip; without, 400 is 41 away from there, 10.25.
#[test]
fn a_window_that_did_not_reach_the_last_maximum_searches_for_less() {
    for (settings, growth) in [("", 0.2), (", fast_convergence = false", 10.25)] {
        let mut bench = Bench::after_loss(500.0, settings);
        assert_eq!(bench.lose(400.0), 320.0);
        assert_near(bench.growth(359.0), growth);
    }
    let mut farther = Bench::after_loss(500.0, "");
    farther.lose(520.0);
    assert_near(farther.growth(519.0), 0.2);
}

#[test]
fn a_window_that_is_not_used_waits_and_what_marks_have_taken_is_not_taken_again() {
    let (mut law, mut window) = law_and_window("flavor = \"bic\", cwnd_limit = \"used\"");
    (window.cwnd, window.ssthresh) = (100_000.0, 2000.0);
    law.on_acknowledgment(&mut window, &Progress { acknowledged: 1000, ..Progress::default() });
    assert_eq!(window.cwnd, 100_000.0);
    law.on_mark(&mut window, 100_000);
    law.on_loss_after_mark(&mut window, 100_000);
    assert_eq!(window.cwnd, 80_000.0);
}
