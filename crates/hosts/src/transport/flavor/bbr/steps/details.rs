//! BBR's conditions, each on both sides of its limit.

use std::collections::BTreeSet;

use longfat_foundation::units::Time;

use super::{Bench, HIGH_GAIN, RATE, SEGMENT, assert_near, milliseconds};
use crate::transport::Standing;

/// Nothing lost, and all acknowledged but what is in flight.
fn standing(bench: &Bench, in_flight: u64) -> Standing {
    Standing {
        in_flight_before: in_flight * SEGMENT,
        in_flight: in_flight * SEGMENT,
        lost: 0,
        is_recovering: false,
        unacknowledged: bench.total,
        highest: bench.total + in_flight * SEGMENT,
        ..Standing::default()
    }
}

/// In the phase of the cycle that probes for more.
fn probing_for_more() -> Bench {
    let mut bench = Bench::in_probe_bandwidth();
    let probes = |bench: &mut Bench| {
        bench.segment(101, 110);
        bench.gain() == 1.25
    };
    assert!(bench.gain() == 1.25 || (0..8).any(|_| probes(&mut bench)));
    bench
}

/// Section 4.1.1.3: a round begins when something is delivered that was sent after the last round began.
#[test]
fn acknowledgments_within_a_round_and_those_that_deliver_nothing_do_not_fill_the_pipe() {
    let mut bench = Bench::new();
    bench.pacing_rate();
    bench.round(200);
    for _ in 0..10 {
        bench.deliver(milliseconds(1), 0, 0, RATE, 200);
        bench.deliver(milliseconds(1), 1, 50, RATE, 200);
    }
    assert!(bench.window.in_slow_start(), "one round");
    (0..3).for_each(|_| bench.round(200));
    assert_eq!(bench.window.ssthresh, 2.0 * 1000.0, "what ends slow start for those who ask");
}

/// Section 4.1.1.2.
#[test]
fn the_bandwidth_is_the_largest_of_ten_rounds() {
    let mut bench = probing_for_more();
    // The round of the fastest delivery, and nine more.
    bench.deliver(milliseconds(1), 1, 0, 2.0 * RATE, 300);
    (0..9).for_each(|_| bench.deliver(milliseconds(1), 1, 0, RATE, 300));
    assert!(bench.pacing_rate() >= 1.5 * RATE, "{}", bench.pacing_rate());
    bench.deliver(milliseconds(1), 1, 0, RATE, 300);
    assert!(bench.pacing_rate() <= 1.25 * RATE, "{}", bench.pacing_rate());
}

/// Section 4.3.4.3: a queue that overflows before there is five quarters in flight ends the phase as well, but not within a round trip.
#[test]
fn losses_end_the_phase_that_probes_for_more() {
    for (wait, lost, gain) in [(101, 1, 0.75), (101, 0, 1.25), (99, 1, 1.25)] {
        let mut bench = probing_for_more();
        let after = Standing { lost: lost * SEGMENT, ..standing(&bench, 110) };
        bench.deliver_with(milliseconds(wait), 1, 0, RATE, after);
        assert_eq!(bench.gain(), gain, "{lost} lost after {wait} ms");
    }
}

/// Section 4.3.4.2: it would be of no use to begin with the phase that drains.
#[test]
fn the_cycle_begins_with_any_phase_but_the_one_that_drains() {
    let phases = |seed| {
        let mut bench = Bench::with("flavor = \"bbr\"", seed).filled();
        let mut phases = 0;
        while bench.gain() != 1.25 && phases < 8 {
            assert_eq!(bench.gain(), 1.0);
            bench.segment(101, 110);
            phases += 1;
        }
        phases
    };
    // As far as it is to the first phase of the next cycle.
    assert_eq!((1..=60).map(phases).collect::<BTreeSet<_>>(), (0..=6).collect());
}

/// Section 4.1.2.2: older than ten seconds. The text says that a lower round trip keeps it young, the pseudocode an equal one.
#[test]
fn equal_round_trips_keep_the_shortest_young_if_they_are_to() {
    for (refresh, round_trip, probes) in [(false, 100, true), (true, 100, false), (true, 101, true), (false, 99, true)]
    {
        let settings = format!("flavor = {{ kind = \"bbr\", equal_round_trips_refresh = {refresh} }}");
        let mut bench = Bench::with(&settings, 1).filled();
        bench.round_trip = milliseconds(round_trip);
        let mut has_probed = false;
        for _ in 0..120 {
            bench.deliver(milliseconds(100), 100, 100, RATE, 100);
            has_probed |= bench.law.sends_less_than_it_could();
        }
        assert_eq!(has_probed, probes, "refresh: {refresh}, {round_trip} ms");
    }
}

#[test]
fn a_round_trip_is_too_old_after_ten_seconds_and_not_at_ten() {
    let mut bench = Bench::in_probe_bandwidth();
    bench.round_trip = milliseconds(90);
    bench.segment(1, 100);
    bench.round_trip = milliseconds(100);
    bench.segment(10_000, 100);
    assert!(!bench.law.sends_less_than_it_could());
    bench.segment(1, 100);
    assert!(bench.law.sends_less_than_it_could());
}

/// Section 4.3.5: from when no more than four segments are in flight.
#[test]
fn the_200_milliseconds_begin_when_four_segments_are_in_flight() {
    let mut bench = Bench::in_probe_bandwidth();
    bench.segment(10_001, 100);
    assert!(bench.law.sends_less_than_it_could());
    (0..5).for_each(|_| bench.segment(100, 5));
    bench.segment(100, 4);
    // 200 ms from here, and a round that begins with what is delivered now.
    bench.segment(100, 3);
    bench.segment(100, 3);
    assert!(bench.law.sends_less_than_it_could());
    bench.segment(1, 3);
    assert!(!bench.law.sends_less_than_it_could());
}

/// Before the pipe is full there is nothing to come back to but the search for it.
#[test]
fn after_a_probe_of_the_round_trip_startup_goes_on_where_the_pipe_was_not_full() {
    let mut bench = Bench::new();
    bench.pacing_rate();
    bench.round(200);
    bench.deliver(milliseconds(10_001), 1, 50, RATE, 4);
    assert!(bench.law.sends_less_than_it_could());
    bench.segment(201, 4);
    bench.deliver(milliseconds(1), 1, 0, 2.0 * RATE, 4);
    assert!(!bench.law.sends_less_than_it_could());
    assert_near(bench.pacing_rate(), HIGH_GAIN * 2.0 * RATE);
}

/// Section 4.3.4.4: after a pause it sends at the rate of the path, and needs no probe of the round trip: the path is empty.
#[test]
fn a_connection_that_was_idle_does_not_probe_and_sends_at_the_bandwidth() {
    let mut bench = probing_for_more();
    assert_eq!(bench.gain(), 1.25);
    bench.law.on_restart_from_idle(Time::ZERO);
    assert_eq!(bench.gain(), 1.0);
    // What delivers nothing does not end the pause.
    bench.deliver(milliseconds(1), 0, 1, RATE, 1);
    bench.segment(20_000, 1);
    assert!(!bench.law.sends_less_than_it_could());
    // It is over with the first segment that is delivered.
    bench.segment(10_100, 100);
    assert!(bench.law.sends_less_than_it_could());
}

#[test]
fn in_startup_a_pause_does_not_lower_the_rate() {
    let mut bench = Bench::new();
    bench.pacing_rate();
    bench.round(200);
    bench.law.on_restart_from_idle(Time::ZERO);
    assert_near(bench.pacing_rate(), HIGH_GAIN * RATE);
}

/// Section 4.2.3.6: up to the target, but by what is delivered in any case until an initial window has been.
#[test]
fn before_the_pipe_is_full_the_window_grows_up_to_its_target_or_by_an_initial_window() {
    let mut bench = Bench::new();
    bench.pacing_rate();
    // The target is 2.885 * 10^4 B/s * 0.1 s, and three segments: 5.9. The initial window is ten.
    bench.deliver(milliseconds(100), 5, 5, 1e4, 10);
    assert_eq!(bench.segments(), 15.0);
    bench.deliver(milliseconds(1), 5, 5, 1e4, 10);
    assert_eq!(bench.segments(), 15.0, "an initial window is delivered now");
    bench.deliver(milliseconds(1), 5, 5, 1e4, 10);
    assert_eq!(bench.segments(), 15.0);
}

#[test]
fn a_window_at_its_target_stands_still() {
    for (below, grown) in [(0.0, 0.0), (1.0, 1000.0)] {
        let mut bench = Bench::new();
        bench.pacing_rate();
        bench.round(200);
        bench.window.cwnd = HIGH_GAIN * RATE * 0.1 + 3.0 * 1000.0 - below;
        let before = bench.window.cwnd;
        bench.deliver(milliseconds(1), 1, 50, RATE, 200);
        assert_eq!(bench.window.cwnd - before, grown, "{below} below");
    }
}

/// Section 4.2.3.4: after the first round of a recovery the window gives way by what is lost, and grows by what is delivered.
#[test]
fn after_a_round_of_recovery_the_window_gives_way_to_losses() {
    let mut bench = Bench::in_probe_bandwidth();
    bench.round(100);
    bench.law.on_loss(&mut bench.window, 100 * SEGMENT);
    let recovering = |bench: &Bench, in_flight, lost| Standing {
        lost: lost * SEGMENT,
        is_recovering: true,
        ..standing(bench, in_flight)
    };
    let begins = recovering(&bench, 95, 4);
    bench.deliver_with(milliseconds(1), 1, 50, RATE, begins);
    assert_eq!(bench.segments(), 96.0);
    // Still in the first round: what is lost is not sent again beyond what is delivered, and that is.
    let conserves = recovering(&bench, 90, 5);
    bench.deliver_with(milliseconds(1), 2, 50, RATE, conserves);
    assert_eq!(bench.segments(), 92.0, "96 - 5 would be less");
    let second_round = recovering(&bench, 80, 5);
    bench.deliver_with(milliseconds(1), 2, 0, RATE, second_round);
    assert_eq!(bench.segments(), 92.0 - 5.0 + 2.0);
    // No less than a segment before what is delivered is added, and no less than four after.
    let all_lost = recovering(&bench, 1, 1000);
    bench.deliver_with(milliseconds(1), 5, 50, RATE, all_lost);
    assert_eq!(bench.segments(), 6.0);
}

/// A timeout during a recovery leaves the window alone that the loss has saved; the larger one is restored.
#[test]
fn the_window_before_the_first_of_several_losses_is_restored() {
    let mut bench = Bench::in_probe_bandwidth();
    bench.round(100);
    assert_near(bench.segments(), 203.0);
    bench.law.on_loss(&mut bench.window, 100 * SEGMENT);
    let begins = Standing { is_recovering: true, ..standing(&bench, 95) };
    bench.deliver_with(milliseconds(1), 1, 50, RATE, begins);
    assert_eq!(bench.segments(), 96.0);
    bench.law.on_timeout(&mut bench.window, 100 * SEGMENT);
    assert_eq!(bench.segments(), 1.0);
    let highest = bench.total + 100 * SEGMENT;
    let after = |bench: &Bench, unacknowledged| Standing { unacknowledged, highest, ..standing(bench, 1) };
    let one = after(&bench, highest - 1);
    bench.deliver_with(milliseconds(1), 1, 50, RATE, one);
    assert_eq!(bench.segments(), 4.0);
    let all = after(&bench, highest);
    bench.deliver_with(milliseconds(1), 1, 50, RATE, all);
    assert_near(bench.segments(), 203.0);
}

/// Outside of recovery the window is saved as it is, even if it was larger at the last loss.
#[test]
fn what_is_restored_is_the_window_of_the_latest_recovery() {
    let mut bench = Bench::in_probe_bandwidth();
    bench.round(100);
    let lose_and_repair = |bench: &mut Bench| {
        bench.law.on_loss(&mut bench.window, 50 * SEGMENT);
        let begins = Standing { is_recovering: true, ..standing(bench, 50) };
        bench.deliver_with(milliseconds(1), 1, 50, RATE, begins);
        let over = standing(bench, 40);
        bench.deliver_with(milliseconds(1), 1, 50, RATE, over);
        bench.segments()
    };
    assert_near(lose_and_repair(&mut bench), 203.0);
    bench.window.cwnd = 100_000.0;
    assert_eq!(lose_and_repair(&mut bench), 101.0, "and one that is delivered");
}

#[test]
fn marks_and_acknowledgments_by_themselves_change_nothing() {
    let mut bench = Bench::in_probe_bandwidth();
    let before = (bench.segments(), bench.pacing_rate(), bench.now);
    bench.law.on_mark(&mut bench.window, 100 * SEGMENT);
    assert_eq!((bench.segments(), bench.pacing_rate(), bench.now), before);
    assert!(bench.now > Time::ZERO);
}
