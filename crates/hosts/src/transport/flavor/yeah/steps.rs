//! YeAH round by round against its authors' module, with numbers worked by hand; windows in segments.

use longfat_foundation::units::{Span, Time};

use crate::transport::Window;
use crate::transport::law::test_support::law_and_window;
use crate::transport::law::{Arrivals, Progress, WindowLaw};

struct Bench {
    law: Box<dyn WindowLaw>,
    window: Window,
    edge: u64,
}

impl Bench {
    /// In congestion avoidance, with a first round of 39.999 ms, which the law takes for 40.
    fn new(segments: u64, settings: &str) -> Self {
        let (law, mut window) = law_and_window(&format!("flavor = {{ kind = \"yeah\"{settings} }}"));
        window.set_segments(segments);
        window.set_threshold_segments(2);
        let mut bench = Self { law, window, edge: 0 };
        bench.round(segments, 39_999);
        bench
    }

    /// Three samples of a round, the last of which ends it with a window of so many segments; returns the window then.
    fn round(&mut self, segments: u64, us: u64) -> u64 {
        let arrivals = Arrivals { segments: 1, round_trip: Some(Span::from_microseconds(us)), ..Arrivals::default() };
        (0..3).for_each(|_| self.law.on_arrivals(&mut self.window, &arrivals));
        self.window.set_segments(segments);
        self.window.end_growth();
        self.edge += 1_000_000;
        let (unacknowledged, highest) = (self.edge, self.edge + 80_000);
        let progress =
            Progress { acknowledged: 1000, unacknowledged, highest, window_is_used: true, ..Progress::default() };
        self.law.on_acknowledgment(&mut self.window, &progress);
        self.window.segments()
    }

    fn lose(&mut self) -> u64 {
        let flight = self.window.usable();
        self.law.on_loss(&mut self.window, flight);
        self.window.segments()
    }

    /// Acknowledgments until the window has grown by a segment; none ends a round.
    fn acknowledgments_for_one(&mut self) -> u64 {
        self.window.end_growth();
        let before = self.window.segments();
        let progress = Progress { acknowledged: 1000, window_is_used: true, ..Progress::default() };
        (1..1000)
            .find(|_| {
                self.law.on_acknowledgment(&mut self.window, &progress);
                self.window.segments() > before
            })
            .expect("it grows")
    }
}

/// An eighth of 40 ms is 5 ms.
#[test]
fn growth_is_scalable_while_queues_are_short_and_renos_while_they_are_long() {
    let mut bench = Bench::new(300, "");
    bench.round(300, 44_999);
    assert_eq!(bench.acknowledgments_for_one(), 100);
    bench.round(300, 45_000);
    assert_eq!(bench.acknowledgments_for_one(), 300);
    bench.round(300, 44_999);
    assert_eq!(bench.acknowledgments_for_one(), 100);
    bench.round(60, 44_999);
    assert_eq!(bench.acknowledgments_for_one(), 60, "a small window grows by one in a round trip");
}

/// Of 300 over 60 ms, 300 * 20 / 60 = 100 wait, more than 80: they go. Of 400 over 100 ms 240, but no more than half of the window goes.
#[test]
fn more_than_eighty_waiting_segments_are_taken_out_of_the_queue() {
    assert_eq!(Bench::new(300, "").round(300, 59_999), 200);
    assert_eq!(Bench::new(400, "").round(400, 99_999), 200);
    // 240 * 20 / 60 = 80.
    assert_eq!(Bench::new(240, "").round(240, 59_999), 240);
}

/// The first slow round takes half of the window, 100, for Reno's, and each of the next one segment more: 102 stay of 180 over 120 ms, of which
/// 120 wait and half may go.
#[test]
fn decongestion_leaves_the_window_that_reno_would_have() {
    let mut bench = Bench::new(200, "");
    assert_eq!(bench.round(200, 59_999), 200, "66 wait");
    assert_eq!(bench.round(200, 59_999), 200);
    assert_eq!(bench.round(200, 59_999), 200);
    assert_eq!(bench.round(180, 119_999), 102);
}

/// Of 90 over 60 ms 30 wait; with 41 ms it is 2, less than an eighth of 90, 11. After 16 slow rounds a loss takes half.
#[test]
fn a_loss_takes_what_waited_and_at_least_an_eighth_and_half_among_others() {
    let mut bench = Bench::new(90, "");
    bench.round(90, 59_999);
    assert_eq!(bench.lose(), 60);
    let mut bench = Bench::new(90, "");
    bench.round(90, 40_999);
    assert_eq!(bench.lose(), 79);
    let left = |rounds: u64| {
        let mut bench = Bench::new(90, "");
        (0..rounds).for_each(|_| _ = bench.round(90, 59_999));
        bench.lose()
    };
    assert_eq!([left(15), left(16)], [60, 45]);
}

/// After a slow round Reno's window is half of 520, 260, and 240 of 400 segments go down to that; after 51 fast ones it is forgotten, and half of the window
/// goes. The round before was fast, too.
#[test]
fn fast_rounds_make_it_forget_renos_window() {
    for (rounds, left) in [(49, 260), (50, 200)] {
        let mut bench = Bench::new(520, "");
        bench.round(520, 45_000);
        (0..rounds).for_each(|_| _ = bench.round(520, 40_000));
        assert_eq!(bench.round(400, 99_999), left, "{rounds}");
    }
}

#[test]
fn two_samples_are_too_few_to_judge() {
    let mut bench = Bench::new(300, "");
    let arrivals = Arrivals { round_trip: Some(Span::from_microseconds(59_999)), ..Arrivals::default() };
    bench.law.on_restart_from_idle(Time::ZERO);
    (0..2).for_each(|_| bench.law.on_arrivals(&mut bench.window, &arrivals));
    let progress = Progress {
        acknowledged: 1000,
        unacknowledged: 9_000_000,
        highest: 9_080_000,
        window_is_used: true,
        ..Progress::default()
    };
    bench.law.on_acknowledgment(&mut bench.window, &progress);
    assert_eq!(bench.acknowledgments_for_one(), 100);
}
