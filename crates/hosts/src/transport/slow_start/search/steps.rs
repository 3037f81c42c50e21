//! SEARCH bin by bin; windows in segments of 1000 bytes.

use longfat_foundation::units::{Span, Time};

use super::{Search, SlowStartExit, Watch};
use crate::transport::Window;
use crate::transport::law::Progress;
use crate::transport::law::test_support::{window, written};

const ROUND_TRIP: Span = Span::from_microseconds(100_000);

/// A slow start with a window of 64 segments and an infinite threshold.
struct Bench {
    watch: Watch,
    window: Window,
    now: Time,
    sent: u64,
    delivered: u64,
}

impl Bench {
    fn new(settings: &str) -> Self {
        let settings: Search = written(&format!("{{ {settings} }}"));
        let mut window = window(64_000.0);
        window.ssthresh = f64::INFINITY;
        let watch = Watch { settings, bins: None, latest: None };
        let mut bench = Self { watch, window, now: Time::ZERO + ROUND_TRIP, sent: 0, delivered: 0 };
        // The first acknowledgment measures the initial round trip.
        bench.acknowledge(ROUND_TRIP);
        // From now on acknowledgments come just after the end of each bin.
        bench.now += Span(1);
        bench
    }

    fn acknowledge(&mut self, round_trip: Span) {
        let progress = Progress {
            now: self.now,
            sample: Some(round_trip),
            unacknowledged: 1000 * self.delivered,
            highest: 1000 * self.sent,
            ..Progress::default()
        };
        self.watch.on_growth(&mut self.window, &progress);
    }

    /// A bin of a round trip in which so many segments are sent and delivered; returns whether slow start is over.
    fn bin(&mut self, sent: u64, delivered: u64) -> bool {
        (self.sent, self.delivered, self.now) = (self.sent + sent, self.delivered + delivered, self.now + ROUND_TRIP);
        self.acknowledge(ROUND_TRIP);
        self.window.ssthresh.is_finite()
    }

    /// The number of the bin, from 1, after which slow start is over.
    fn ends_after(&mut self, bins: &[(u64, u64)]) -> Option<usize> {
        let found = bins.iter().position(|&(sent, delivered)| self.bin(sent, delivered));
        found.map(|index| index + 1)
    }
}

/// A window of four round trips in bins of one.
const FOUR: &str = "window = 4, bins = 4";

/// The example of the draft's section on THRESH: deliveries of 1, 2, 4, 8, 16 and 16 are 44 in the latest window against 2 x 30, of which
/// 16 / 60 = 0.267 are missing.
#[test]
fn twice_the_delivered_bytes_are_compared_as_in_the_draft() {
    let full: Vec<_> = [1, 2, 4, 8, 16, 16].map(|delivered| (0, delivered)).into();
    for (threshold, ends) in [("0.266", Some(6)), ("0.267", None)] {
        let settings = format!("{FOUR}, expectation = \"twice-delivered\", threshold = {threshold}");
        assert_eq!(Bench::new(&settings).ends_after(&full), ends, "{threshold}");
    }
    // 1, 2, 4, 8, 16 and 32: 60 are exactly twice 30.
    let doubling: Vec<_> = [1, 2, 4, 8, 16, 32].map(|delivered| (0, delivered)).into();
    let settings = format!("{FOUR}, expectation = \"twice-delivered\", threshold = 0.001");
    assert_eq!(Bench::new(&settings).ends_after(&doubling), None);
}

/// "After 5 more RTTs" all of both windows is at capacity: 64 against 2 x 64, of which a half is missing.
#[test]
fn half_of_twice_the_delivered_bytes_is_missing_long_after_the_path_is_full() {
    let full: Vec<_> = [1, 2, 4, 8, 16, 16, 16, 16, 16, 16, 16].map(|delivered| (0, delivered)).into();
    for (threshold, ends) in [("0.5", true), ("0.501", false)] {
        let settings = format!("{FOUR}, expectation = \"twice-delivered\", threshold = {threshold}");
        assert_eq!(Bench::new(&settings).ends_after(&full).is_some(), ends, "{threshold}");
    }
}

/// A path of 16 segments per round trip: what is sent in a round trip is delivered in the next, as far as it fits. With the last window
/// 44 of 4 + 8 + 16 + 32 = 60 are delivered: the first round trip in which the path is full and the sender is not.
#[test]
fn slow_start_ends_a_round_trip_after_the_path_is_full() {
    let path: Vec<_> = [(2, 1), (4, 2), (8, 4), (16, 8), (32, 16), (64, 16)].into();
    assert_eq!(Bench::new(FOUR).ends_after(&path), Some(6));
    assert_eq!(Bench::new(&format!("{FOUR}, threshold = 0.27")).ends_after(&path), None);
}

/// The window is 44 segments in four round trips, of which 16 in the last and 32 in the last two.
#[test]
fn the_window_at_the_exit_is_kept_rolled_back_or_what_was_delivered() {
    let path: Vec<_> = [(2, 1), (4, 2), (8, 4), (16, 8), (32, 16), (64, 16)].into();
    for (at_exit, left) in [("keep", 64_000.0), ("roll-back", 32_000.0), ("delivered", 16_000.0)] {
        let mut bench = Bench::new(&format!("{FOUR}, at_exit = \"{at_exit}\""));
        assert!(bench.ends_after(&path).is_some());
        assert_eq!((bench.window.cwnd, bench.window.ssthresh), (left, left), "{at_exit}");
    }
    // A threshold has two segments (RFC 5681 equation 4).
    let mut bench = Bench::new(FOUR);
    bench.window.cwnd = 1000.0;
    assert!(bench.ends_after(&path).is_some());
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (1000.0, 2000.0));
    // 64 - 32 segments would be left of 40: the initial window has 10.
    let mut bench = Bench::new(&format!("{FOUR}, at_exit = \"roll-back\""));
    bench.window.cwnd = 40_000.0;
    assert!(bench.ends_after(&path).is_some());
    assert_eq!(bench.window.cwnd, 10_000.0);
}

/// Two round trips are two bins, three bins, and more than are kept: 32 segments were delivered in the latest two, 40 in three.
#[test]
fn a_window_rolls_back_by_what_two_of_the_latest_round_trips_delivered() {
    let mut bench = Bench::new(&format!("{FOUR}, at_exit = \"roll-back-latest\", threshold = 1.0"));
    let path: Vec<_> = [(2, 1), (4, 2), (8, 4), (16, 8), (32, 16), (64, 16)].into();
    assert_eq!(bench.ends_after(&path), None);
    for (round_trip_ms, left) in [(100, 32_000.0), (199, 24_000.0), (2000, 64_000.0)] {
        bench.watch.latest = Some(Span::from_microseconds(1000 * round_trip_ms));
        let bins = bench.watch.bins.as_ref().expect("bins");
        assert_eq!(bench.watch.window_at_exit(&bench.window, bins), left, "{round_trip_ms} ms");
    }
}

/// Bins of 35 ms, of which a round trip of 100 ms has 2.857: the window that ended a round trip before lies between two ends of bins.
#[test]
fn counts_between_two_bins_are_interpolated() {
    let mut bench = Bench::new("");
    for bin in 1..=13 {
        bench.now += Span::from_microseconds(35_000);
        (bench.sent, bench.delivered) = (10 * bin * bin, 10 * bin * bin);
        bench.acknowledge(ROUND_TRIP);
    }
    let bins = bench.watch.bins.as_ref().expect("bins");
    assert_eq!(bins.length(), Span::from_microseconds(35_000));
    assert_eq!((bins.current(), bins.sent(0.0)), (13, 1_690_000.0));
    // At 13 - 2.75: a quarter of 11^2 and three of 10^2.
    assert_eq!(bins.sent(2.75), 10_000.0 * 105.25);
}

/// Section 3: a window of bins, and those of the latest round trip before it, must have ended.
#[test]
fn nothing_is_judged_before_there_are_bins_enough() {
    let mut bench = Bench::new(FOUR);
    assert!(!(1..=5).any(|_| bench.bin(100, 1)), "the sixth bin is the first with a window a round trip before");
    assert!(bench.bin(100, 1));
}

/// `EXTRA_BINS`: the round trip has grown to more bins than are kept.
#[test]
fn round_trips_of_more_than_the_extra_bins_are_not_judged() {
    for (extra, ends) in [(3, false), (4, true)] {
        let mut bench = Bench::new(&format!("{FOUR}, extra_bins = {extra}"));
        for _ in 0..12 {
            (bench.sent, bench.delivered, bench.now) = (bench.sent + 100, bench.delivered + 1, bench.now + ROUND_TRIP);
            bench.acknowledge(Span(3 * ROUND_TRIP.0));
        }
        assert_eq!(bench.window.ssthresh.is_finite(), ends, "{extra}");
    }
}

#[test]
fn after_too_many_bins_without_an_acknowledgment_search_begins_anew() {
    for (passed, is_kept) in [(10, true), (11, false)] {
        let mut bench = Bench::new(FOUR);
        bench.now += Span(passed * ROUND_TRIP.0);
        bench.acknowledge(ROUND_TRIP);
        assert_eq!(bench.watch.bins.is_some(), is_kept, "{passed}");
    }
    let mut bench = Bench::new(FOUR);
    bench.watch.on_restart_from_idle();
    assert!(bench.watch.bins.is_none());
}
