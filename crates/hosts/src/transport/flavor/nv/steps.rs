//! TCP-NV decision by decision against the module of Linux, with numbers worked by hand; segments of 1000 bytes.

use longfat_foundation::units::{Span, Time};

use super::Law;
use crate::transport::law::test_support::{Module, law_and_window, with_defaults, written};
use crate::transport::law::{Arrivals, Progress, WindowLaw};
use crate::transport::{TimeoutKind, Window};

/// A window in congestion avoidance.
fn window(segments: u64) -> Window {
    let (_, mut window) =
        law_and_window("window_arithmetic = \"whole-segments\", ssthresh_rule = \"congestion-window\"");
    window.set_segments(segments);
    window.set_threshold_segments(5);
    window
}

/// After so many samples and rounds at 60,000 hundreds of bits per second, where the shortest round trip is 40 ms: 60,000 * 40,000 / 80,000 are 30,000 bytes, so
/// the largest window is 30 + 10 segments.
fn judged(settings: &str, segments: u64, samples: u64, rounds: u64) -> (Law, Window) {
    let mut law = Law { fastest: 60_000, shortest: 40_000, samples, rounds, ..Law::new(written(settings)) };
    let mut window = window(segments);
    law.judge(&mut window);
    (law, window)
}

/// 20 too many: 20 * 38 / 128 = 5.9. 7 too many: two at least. Two too many: both.
#[test]
fn a_decision_takes_three_tenths_of_what_is_too_much() {
    for (segments, left) in [(60, 55), (47, 45), (42, 40), (41, 40)] {
        let (law, window) = judged("{}", segments, 60, 2);
        assert_eq!((window.segments(), window.threshold_segments(), law.may_grow), (left, 40, false), "{segments}");
        assert_eq!((law.samples, law.rounds, law.fastest), (0, 0, 0));
    }
    assert_eq!(judged("{ decrease = 0.5 }", 60, 60, 2).1.segments(), 50);
    assert_eq!(judged("{ most_waiting = 20 }", 60, 60, 2).1.segments(), 58);
}

#[test]
fn it_takes_sixty_samples_and_two_round_trips() {
    for (samples, rounds) in [(59, 2), (60, 1)] {
        let (law, window) = judged("{}", 60, samples, rounds);
        assert_eq!((window.segments(), law.samples), (60, samples), "nothing is decided");
    }
    let stops = |rounds| !judged("{}", 60, 59, rounds).0.may_grow;
    assert_eq!([stops(10), stops(11)], [false, true]);
}

#[test]
fn the_first_slow_start_ends_after_thirty_samples() {
    for (samples, left) in [(29, 60), (30, 55)] {
        let mut law = Law { fastest: 60_000, shortest: 40_000, samples, rounds: 2, ..Law::new(with_defaults()) };
        let mut window = window(60);
        window.ssthresh = f64::INFINITY;
        law.judge(&mut window);
        assert_eq!(window.segments(), left);
    }
}

/// 38 is 40 less a margin of two; 39 is neither too much nor too little.
#[test]
fn the_window_may_grow_again_when_it_is_smaller_than_the_largest_by_the_margin() {
    let grows = |segments, samples| {
        let mut law = Law { fastest: 60_000, shortest: 40_000, samples, may_grow: false, ..Law::new(with_defaults()) };
        law.judge(&mut window(segments));
        law.may_grow
    };
    assert_eq!([grows(38, 20), grows(38, 19), grows(39, 60)], [true, false, false]);
}

/// Halves of both: 40, 40 / 2 + 60 / 2, 50 / 2 + 60 / 2.
#[test]
fn round_trips_are_smoothed_by_halves_and_the_shortest_is_that_of_the_mean() {
    let mut law = Law::new(with_defaults());
    let means = [40_000, 60_000, 60_000].map(|us| law.note_round_trip(Time::ZERO, us));
    assert_eq!((means, law.shortest), ([40_000, 50_000, 55_000], 40_000));
}

/// 500 jiffies after the beginning, and then 1250 * (384 + 128) / 512 without chance. The first renewal takes the shortest since the beginning, the second
/// that since the first.
#[test]
fn the_shortest_round_trip_is_forgotten() {
    let mut law = Law { mean: Some(1), ..Law::new(written("{ smoothing = 1 }")) };
    let at = |milliseconds: u64| Time::ZERO + Span::from_microseconds(1000 * milliseconds);
    law.on_opened(at(0), Span::from_microseconds(40_000));
    let mut shortest_after = |milliseconds, us| {
        law.note_round_trip(at(milliseconds), us);
        law.shortest
    };
    assert_eq!(shortest_after(0, 40_000), 40_000);
    assert_eq!(shortest_after(2_000, 60_000), 40_000);
    assert_eq!(shortest_after(6_999, 60_000), 40_000);
    assert_eq!(shortest_after(7_000, 70_000), 60_000);
}

/// 80 * 819 / 1024 = 63.98. Growth is Reno's again after eight more decisions to grow than the first.
#[test]
fn a_loss_takes_a_fifth_and_a_timeout_halves_growth_for_a_while() {
    let mut module = Module::with("nv", "", 80);
    assert_eq!(module.lose(), 63);
    let (mut law, mut window) = judged("{}", 30, 20, 1);
    window.set_segments(80);
    window.note_timeout(TimeoutKind::First);
    law.on_timeout(&mut window, 80_000);
    assert_eq!((window.segments(), window.threshold_segments(), law.may_grow, law.halvings), (1, 63, false, 1));
    let grown: Vec<u32> = (0..9)
        .map(|_| {
            (law.fastest, law.samples, law.shortest) = (60_000, 20, 40_000);
            law.judge(&mut super::steps::window(30));
            law.halvings
        })
        .collect();
    assert_eq!(grown, [1, 1, 1, 1, 1, 1, 1, 0, 0], "the first decision was before the timeout");
}

/// 20 segments over 40 ms, of which 30 fit: 20 acknowledgments are a segment. After a loss it does not grow until 20 samples are in a decision.
#[test]
fn it_grows_as_reno_while_queues_are_short_and_not_after_a_loss_until_it_has_decided() {
    let mut module = Module::with("nv", "", 20);
    (0..20).for_each(|_| module.acknowledge(1, 40_000));
    assert_eq!(module.window.segments(), 21);
    module.lose();
    assert_eq!(module.window.segments(), 16);
    let recovered =
        Progress { acknowledged: 1000, unacknowledged: 20_000, window_is_used: true, ..Progress::default() };
    module.law.on_acknowledgment(&mut module.window, &recovered);
    (0..18).for_each(|_| module.acknowledge(1, 40_000));
    assert_eq!(module.window.segments(), 16, "one round trip has fewer than twenty samples");
    (0..60).for_each(|_| module.acknowledge(1, 40_000));
    assert!(module.window.segments() > 16);
}

/// One acknowledgment of four segments in a round trip: the window that counts as small becomes six, and the next round is as much longer.
#[test]
fn a_window_with_one_acknowledgment_in_a_round_trip_may_grow() {
    let mut law = Law { may_grow: false, ..Law::new(with_defaults()) };
    let arrivals = Arrivals {
        segments: 4,
        bytes: 4000,
        round_trip: Some(Span::from_microseconds(40_000)),
        delivered_since: 4000,
        unacknowledged: 4000,
        highest: 8000,
        ..Arrivals::default()
    };
    law.on_arrivals(&mut window(4), &arrivals);
    assert_eq!((law.small, law.round_end, law.may_grow, law.samples), (6, 14_000, true, 0));
}
