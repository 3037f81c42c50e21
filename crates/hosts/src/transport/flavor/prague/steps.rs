//! Prague step by step, with numbers worked by hand: segments of 1000 bytes.

use longfat_foundation::units::Span;

use crate::transport::Window;
use crate::transport::law::test_support::law_and_window;
use crate::transport::law::{Progress, WindowLaw};

struct Bench {
    law: Box<dyn WindowLaw>,
    window: Window,
    acknowledged: u64,
}

impl Bench {
    /// Past slow start, with a window of so many segments.
    fn new(segments: u32, parameters: &str) -> Self {
        let flavor = format!("flavor = {{ kind = \"prague\"{parameters} }}, ecn = \"accurate\"");
        let (law, mut window) = law_and_window(&flavor);
        window.cwnd = 1000.0 * f64::from(segments);
        window.ssthresh = 2000.0;
        Self { law, window, acknowledged: 0 }
    }

    /// A window of segments is acknowledged, this many of them marked, with this round trip.
    fn round(&mut self, segments: u64, marked: u64, round_trip_milliseconds: u64) {
        for number in 0..segments {
            self.acknowledged += 1000;
            let is_marked = number < marked;
            let highest = self.acknowledged + 1000 * segments;
            self.law.observe_marks(1000, if is_marked { 1000 } else { 0 }, self.acknowledged, highest);
            if !is_marked {
                let round_trip = Some(Span::from_microseconds(1000 * round_trip_milliseconds));
                self.law.on_acknowledgment(
                    &mut self.window,
                    &Progress {
                        acknowledged: 1000,
                        sample: round_trip,
                        unacknowledged: self.acknowledged,
                        highest,
                        window_is_used: true,
                        ..Progress::default()
                    },
                );
            }
        }
    }

    fn segments(&self) -> f64 {
        self.window.cwnd / 1000.0
    }
}

/// A segment for a window of data: 10, then about 11.
#[test]
fn a_window_grows_by_a_segment_in_a_round_trip() {
    let mut bench = Bench::new(10, "");
    bench.round(10, 0, 50);
    assert!((bench.segments() - 11.0).abs() < 0.06, "{}", bench.segments());
}

/// A round trip of 5 ms is a fifth of 25 ms: after the first rounds the window grows by a twenty-fifth of a segment.
#[test]
fn after_some_rounds_a_short_round_trip_grows_no_faster_than_one_of_25_ms() {
    let mut bench = Bench::new(10, ", rounds_before = 3");
    (0..4).for_each(|_| bench.round(10, 0, 5));
    let before = bench.segments();
    bench.round(bench.window.whole_cwnd() / 1000, 0, 5);
    let grown = bench.segments() - before;
    assert!((grown - 0.04).abs() < 0.005, "{grown}");
    let mut longer = Bench::new(10, ", rounds_before = 3");
    (0..4).for_each(|_| longer.round(10, 0, 25));
    let before = longer.segments();
    longer.round(longer.window.whole_cwnd() / 1000, 0, 25);
    assert!((longer.segments() - before - 1.0).abs() < 0.1, "{}", longer.segments() - before);
}

/// alpha is 1 at first: the first mark halves. What marks have taken, a loss of the same round trip does not take again.
#[test]
fn a_mark_takes_half_of_the_share_and_a_loss_in_the_same_round_trip_half_of_what_was_before() {
    let mut bench = Bench::new(10, "");
    bench.law.on_mark(&mut bench.window, 10_000);
    assert_eq!(bench.segments(), 5.0);
    bench.law.on_loss(&mut bench.window, 10_000);
    assert_eq!(bench.segments(), 5.0, "half of 10, not of 5");
    bench.round(30, 0, 50);
    let before = bench.window.cwnd;
    let flight = bench.window.usable();
    bench.law.on_loss(&mut bench.window, flight);
    assert!((bench.window.cwnd / before - 0.5).abs() < 0.01);
}

#[test]
fn a_window_is_spread_over_a_round_trip_and_over_half_of_one_in_slow_start() {
    let mut bench = Bench::new(10, "");
    assert_eq!(bench.law.pacing_rate(&bench.window), None, "before a round trip is known");
    bench.round(1, 0, 50);
    let rate = bench.law.pacing_rate(&bench.window).expect("a rate");
    assert!((rate / (bench.window.cwnd / 0.05) - 1.0).abs() < 1e-9);
    bench.window.ssthresh = 1e9;
    assert!((bench.law.pacing_rate(&bench.window).expect("a rate") / rate - 2.0).abs() < 1e-9);
}
