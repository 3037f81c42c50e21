//! Veno acknowledgment by acknowledgment against Fu and Liew 2003 and the module of Linux, with numbers worked by hand.

use longfat_foundation::units::Span;

use crate::transport::law::test_support::Module;
use crate::transport::law::{Arrivals, Phase, Progress};

const MODULE: &str = "arithmetic = \"linux\", base_round_trip = \"connection\"";

/// So many segments over 40 ms; then acknowledgments with this round trip.
fn after(settings: &str, segments: u64, round_trip_us: u64) -> Module {
    let mut module = Module::with("veno", settings, segments);
    module.acknowledge(1, 40_000);
    module.acknowledge(1, 40_000);
    module.acknowledge(1, round_trip_us);
    module
}

/// Thirty segments: 30 (1 - 40 / 44.4) = 2.97 wait, and with 44.5 ms 3.03.
#[test]
fn a_loss_takes_a_fifth_while_fewer_than_three_segments_wait_and_half_otherwise() {
    let left = |us| after("", 30, us).lose();
    assert_eq!([left(40_000), left(44_400), left(44_500), left(80_000)], [24, 24, 15, 15]);
}

/// The module counts halves of segments and rounds up: of 60, 60 * 40,001 / 43,637 = 55.0 are under way, so 2.5 segments wait; with 43,638 it is 54, and
/// 3.
#[test]
fn the_module_rounds_what_waits_up_to_half_a_segment() {
    let left = |us| after(MODULE, 30, us).lose();
    assert_eq!([left(43_636), left(43_637)], [24, 15]);
}

/// 20 segments of which 10 wait: growth by one needs two times 20 acknowledgments. The module lets the first of two segments count, and needs one
/// acknowledgment more for each.
#[test]
fn the_window_of_a_congested_path_grows_by_a_segment_in_two_round_trips() {
    let acknowledgments = |settings: &str| {
        let mut module = after(settings, 20, 80_000);
        let before = module.window.cwnd;
        module.window.end_growth();
        (1..100).find(|_| {
            module.acknowledge(1, 80_000);
            module.window.cwnd >= before + 1000.0
        })
    };
    assert_eq!(acknowledgments(""), Some(40));
    assert_eq!(acknowledgments(MODULE), Some(21), "the first of two counts");
    let mut module = after(MODULE, 20, 80_000);
    module.window.end_growth();
    let grown: Vec<usize> = (1..=84)
        .filter(|_| {
            let before = module.window.segments();
            module.acknowledge(1, 80_000);
            module.window.segments() > before
        })
        .collect();
    assert_eq!(grown, [21, 21 + 22 + 22]);
}

#[test]
fn slow_start_and_growth_while_anything_is_missing_are_renos() {
    let mut module = after("", 20, 80_000);
    module.window.set_threshold_segments(1000);
    (0..5).for_each(|_| module.acknowledge(1, 80_000));
    assert_eq!(module.window.segments(), 25);
    module.window.set_threshold_segments(2);
    module.window.end_growth();
    (0..25).for_each(|_| module.acknowledge_in(Phase::Disorder, 1, 80_000));
    assert_eq!(module.window.segments(), 26);
}

/// After a loss at 80 ms the next round trips of 80 ms are the shortest, and none of the segments waits.
#[test]
fn the_shortest_round_trip_is_that_since_the_latest_loss_or_that_of_the_connection() {
    for (base, left) in [("since-loss", 16), ("connection", 10)] {
        let mut module = after(&format!("base_round_trip = \"{base}\""), 30, 80_000);
        assert_eq!(module.lose(), 15);
        module.window.set_segments(20);
        module.acknowledge(1, 80_000);
        assert_eq!(module.lose(), left, "{base}");
    }
}

/// The loss comes between the round trip of an acknowledgment and the growth for it.
#[test]
fn an_acknowledgment_that_shows_a_loss_is_not_judged_without_a_shortest_round_trip() {
    let mut module = after("", 30, 80_000);
    let arrivals = Arrivals { round_trip: Some(Span::from_microseconds(80_000)), ..Arrivals::default() };
    module.law.on_arrivals(&mut module.window, &arrivals);
    module.lose();
    let progress = Progress { acknowledged: 1000, window_is_used: true, ..Progress::default() };
    module.law.on_acknowledgment(&mut module.window, &progress);
    assert_eq!(module.window.segments(), 15);
}

#[test]
fn a_timeout_leaves_the_threshold_that_a_loss_leaves() {
    assert_eq!(after("", 30, 40_000).time_out(), 24);
    assert_eq!(after("", 30, 80_000).time_out(), 15);
}
