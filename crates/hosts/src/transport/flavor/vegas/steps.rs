//! TCP Vegas step by step against Brakmo and Peterson 1995, with numbers worked by hand; windows in segments, of 1000 bytes.

use longfat_foundation::units::{Span, Time};

use crate::transport::Window;
use crate::transport::law::test_support::law_and_window;
use crate::transport::law::{Progress, WindowLaw};

struct Bench {
    law: Box<dyn WindowLaw>,
    window: Window,
    acknowledged: u64,
}

impl Bench {
    /// With a window of so many segments and a threshold.
    fn new(segments: f64, threshold: f64, settings: &str) -> Self {
        let flavor = format!("flavor = {{ kind = \"vegas\"{settings} }}");
        let (law, mut window) = law_and_window(&flavor);
        (window.cwnd, window.ssthresh) = (1000.0 * segments, 1000.0 * threshold);
        Self { law, window, acknowledged: 0 }
    }

    /// Past slow start, with a hundred segments, and a shortest round trip of 100 ms.
    fn avoiding(settings: &str) -> Self {
        let mut bench = Self::new(100.0, 2.0, settings);
        bench.acknowledge(100_000, true);
        bench
    }

    /// A segment of a full window is acknowledged after so many microseconds, and another one is sent.
    fn acknowledge(&mut self, round_trip: u64, window_is_used: bool) {
        let highest = self.acknowledged + self.window.usable();
        self.acknowledged += 1000;
        let progress = Progress {
            acknowledged: 1000,
            sample: Some(Span::from_microseconds(round_trip)),
            unacknowledged: self.acknowledged,
            highest,
            window_is_used,
            ..Progress::default()
        };
        self.law.on_acknowledgment(&mut self.window, &progress);
    }

    /// Acknowledges every segment of a window and returns the new window in segments.
    fn round(&mut self, round_trips: &[u64]) -> f64 {
        let segments = self.window.whole_cwnd() / 1000;
        (0..segments).for_each(|number| {
            self.acknowledge(round_trips[usize::try_from(number).expect("few") % round_trips.len()], true);
        });
        self.segments()
    }

    fn segments(&self) -> f64 {
        self.window.cwnd / 1000.0
    }
}

/// 100 (1 - 100 / 100.5) = 0.5; over 102 ms 1.96, over 102.5 ms 2.44, over 104 ms 3.85, over 105 ms 4.8 segments wait.
#[test]
fn once_in_a_round_trip_the_window_goes_by_the_segments_that_wait() {
    let after = |settings: &str, round_trip: u64| {
        let mut bench = Bench::avoiding(settings);
        bench.law.on_restart_from_idle(Time::ZERO);
        bench.acknowledge(round_trip, true);
        bench.round(&[round_trip])
    };
    let with_two_and_four = ", alpha = 2, beta = 4";
    assert_eq!([100_500, 102_000, 104_000].map(|round_trip| after("", round_trip)), [101.0, 100.0, 99.0]);
    let found = [102_000, 102_500, 104_000, 105_000].map(|round_trip| after(with_two_and_four, round_trip));
    assert_eq!(found, [101.0, 100.0, 100.0, 99.0]);
}

/// Half of the samples are 100 ms and half 108: 104 on average, of which 3.85 segments wait, and none by the shortest.
#[test]
fn it_goes_by_the_mean_or_by_the_shortest_round_trip() {
    for (settings, window) in [("", 99.0), (", round_trip = \"shortest\"", 101.0)] {
        let mut bench = Bench::avoiding(settings);
        bench.law.on_restart_from_idle(Time::ZERO);
        bench.acknowledge(108_000, true);
        assert_eq!(bench.round(&[100_000, 108_000]), window, "{settings}");
    }
}

/// 10, 20, 20, 40, 40: with what the round before has brought.
#[test]
fn slow_start_doubles_in_every_second_round_trip_or_in_each() {
    for (settings, windows) in
        [("", [20.0, 20.0, 40.0, 40.0, 80.0]), (", cautious_slow_start = false", [20.0, 40.0, 80.0, 160.0, 320.0])]
    {
        let mut bench = Bench::new(10.0, 1000.0, settings);
        assert_eq!([(); 5].map(|()| bench.round(&[100_000])), windows, "{settings}");
    }
}

/// Of 20 segments 20 (1 - 100 / 107) = 1.31 wait over 107 ms, and 0.77 over 104 ms.
#[test]
fn slow_start_ends_with_more_than_gamma_waiting() {
    for (settings, round_trip, ends) in [("", 104_000, false), ("", 107_000, true), (", gamma = 2", 107_000, false)] {
        let mut bench = Bench::new(10.0, 1000.0, settings);
        bench.round(&[100_000]);
        bench.round(&[round_trip]);
        bench.acknowledge(round_trip, true);
        assert_eq!(!bench.window.in_slow_start(), ends, "{settings} {round_trip}");
        if ends {
            assert_eq!((bench.segments(), bench.window.ssthresh), (20.0, 19_000.0));
        }
    }
}

#[test]
fn a_window_that_is_not_used_may_wait_and_two_segments_stay() {
    let mut bench = Bench::avoiding("");
    (0..300).for_each(|_| bench.acknowledge(100_000, true));
    let grown = bench.segments();
    assert_eq!(grown, 102.0, "after 100 and 101 acknowledgments");
    let (law, mut window) = law_and_window("flavor = \"vegas\", cwnd_limit = \"used\"");
    (window.cwnd, window.ssthresh) = (100_000.0, 2000.0);
    let mut unused = Bench { law, window, acknowledged: 0 };
    (0..300).for_each(|_| unused.acknowledge(100_000, false));
    assert_eq!(unused.segments(), 100.0);
    let mut small = Bench::new(4.0, 2.0, "");
    small.acknowledge(100_000, true);
    (0..100).for_each(|_| small.acknowledge(1_000_000, true));
    assert!(small.segments() >= 2.0 && small.segments() < 4.0, "{}", small.segments());
}

#[test]
fn losses_and_timeouts_take_what_they_take_from_others() {
    for (settings, left) in [("", 50_000.0), (", share_after_loss = 0.75", 75_000.0)] {
        let mut bench = Bench::avoiding(settings);
        bench.law.on_loss(&mut bench.window, 100_000);
        assert_eq!((bench.window.cwnd, bench.window.ssthresh), (left, left));
        bench.law.on_loss_after_mark(&mut bench.window, 100_000);
        assert_eq!(bench.window.cwnd, left);
        bench.law.on_timeout(&mut bench.window, 50_000);
        assert_eq!((bench.window.cwnd, bench.window.ssthresh), (1000.0, 25_000.0));
    }
}
