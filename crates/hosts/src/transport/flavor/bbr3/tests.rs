//! The steps of BBR v3 that the whole does not show one by one.

use longfat_foundation::random::Chance;

use super::test_support::{PROBING, RATE, assert_near, at, delivery, in_state, lost, window};
use super::*;

/// Section 5.6.1, as a table.
#[test]
fn every_state_has_its_gains() {
    let gains = [
        (State::Startup, 2.77, 2.0, false),
        (State::Drain { since: 0 }, 0.5, 2.0, false),
        (State::Down, 0.9, 2.0, true),
        (State::Cruise, 1.0, 2.0, true),
        (State::Refill, 1.0, 2.0, true),
        (State::Up, 1.25, 2.25, true),
        (PROBING, 1.0, 0.5, false),
    ];
    for (state, pacing, of_window, probes_bandwidth) in gains {
        let law = in_state(state);
        assert_eq!((law.pacing_gain(), law.window_gain()), (pacing, of_window), "{state:?}");
        assert_eq!(law.probes_bandwidth_by_cycles(), probes_bandwidth, "{state:?}");
    }
}

/// Section 5.6.4.2: no less than four segments, and two more in UP.
#[test]
fn the_budget_is_four_segments_at_least_and_two_more_while_bandwidth_is_probed() {
    let window = window(10_000.0);
    let budget = |state, volume| in_state(state).with_budget(volume, &window);
    assert_eq!((budget(State::Cruise, 1000.0), budget(State::Cruise, 50_000.0)), (4000.0, 50_000.0));
    assert_eq!((budget(State::Up, 1000.0), budget(State::Up, 50_000.0)), (6000.0, 52_000.0));
}

#[test]
fn the_headroom_is_fifteen_percent_or_a_segment_and_leaves_four_segments() {
    let window = window(10_000.0);
    let left = |long_term| Law { long_term, ..in_state(State::Cruise) }.long_term_with_headroom(&window);
    assert_eq!(left(f64::INFINITY), f64::INFINITY);
    assert_near(left(100_000.0), 85_000.0);
    assert_near(left(6000.0), 5000.0);
    assert_near(left(3000.0), 4000.0);
}

/// `C.is_cwnd_limited`: with another segment in flight there would be more than the window allows.
#[test]
fn a_window_that_kept_data_back_is_remembered_for_a_round() {
    let window = window(100_000.0);
    let seen = |in_flight_before: u64| {
        let mut law = in_state(State::Up);
        let mut now = Delivery { total_when_sent: 0, ..delivery() };
        law.rounds.begin(1);
        now.standing.in_flight_before = in_flight_before;
        law.update_model(&window, &now);
        law
    };
    assert!(!seen(99_000).window_limits());
    assert!(seen(99_001).window_limits());
    let mut law = seen(99_001);
    let mut calm = delivery();
    calm.standing.in_flight_before = 10_000;
    law.update_model(&window, &calm);
    assert!(law.rounds.starts && law.window_limits(), "the round before");
    law.update_model(&window, &Delivery { total: 1_200_000, total_when_sent: 1_000_000, ..calm });
    assert!(law.rounds.starts && !law.window_limits());
}

#[test]
fn rounds_since_the_last_probe_are_counted() {
    let mut law = in_state(State::Cruise);
    law.probe.rounds = 3;
    law.update_model(&window(100_000.0), &delivery());
    assert_eq!(law.probe.rounds, 4);
}

/// Section 5.3.1.3: six ranges or more were lost in a round of a repair, and more than 2 %.
#[test]
fn startup_ends_when_too_much_was_lost_in_six_places() {
    let ends = |state, repair, ranges, lost_since_sent| {
        let mut law = Law { state, repair, ..in_state(State::Startup) };
        law.full.was_ever = false;
        law.losses.ranges = ranges;
        law.losses.in_flight = 120_000.0;
        law.check_startup_losses(&window(200_000.0), &Delivery { lost_since_sent, ..delivery() });
        assert_eq!(law.long_term.is_finite(), law.full.was_ever);
        law.full.was_ever
    };
    assert!(ends(State::Startup, Repair::Losses, 6, 2001));
    assert!(!ends(State::Startup, Repair::Losses, 5, 2001));
    assert!(!ends(State::Startup, Repair::Losses, 6, 2000));
    assert!(!ends(State::Startup, Repair::None, 6, 2001));
    assert!(!ends(State::Drain { since: 0 }, Repair::Losses, 6, 2001));
}

#[test]
fn losses_that_end_startup_bound_what_is_in_flight_by_the_product_or_what_was_delivered() {
    for (in_flight, bound) in [(120_000.0, 120_000.0), (80_000.0, 100_000.0)] {
        let mut law = Law { repair: Repair::Losses, ..in_state(State::Startup) };
        (law.losses.ranges, law.losses.in_flight) = (6, in_flight);
        law.check_startup_losses(&window(200_000.0), &Delivery { lost_since_sent: 5000, ..delivery() });
        assert_near(law.long_term, bound);
    }
}

/// The signals of a round are looked at when it is over: a sixth range in the same round counts, one in the next does not.
#[test]
fn losses_of_startup_are_judged_at_the_end_of_their_round() {
    let mut law = Law { repair: Repair::Losses, ..in_state(State::Startup) };
    law.full.was_ever = false;
    let mut window = window(200_000.0);
    law.on_delivery(&mut window, &delivery());
    for number in 0..6 {
        law.on_lost_segment(&mut window, &LostSegment { begin: 3000 * (number + 1), ..lost(100_000, 5000) }, at(1000));
    }
    let during = Delivery { total: 1_050_000, total_when_sent: 950_000, lost_since_sent: 6000, ..delivery() };
    law.on_delivery(&mut window, &during);
    assert!(!law.full.was_ever);
    law.repair = Repair::Losses;
    law.on_delivery(&mut window, &Delivery { total: 1_100_000, total_when_sent: 1_000_000, ..during });
    assert!(law.full.was_ever);
}

/// Section 5.3.1.2: only rounds count that the application has not limited, and none once the pipe is full.
#[test]
fn the_pipe_is_judged_once_in_a_round_by_what_the_application_has_not_limited() {
    let is_full = |starts, is_application_limited| {
        let mut law = Law { full: FullPipe::default(), ..in_state(State::Startup) };
        law.full.look_anew(RATE);
        law.rounds.starts = starts;
        for _ in 0..3 {
            law.check_startup_and_drain(&mut window(200_000.0), &Delivery { is_application_limited, ..delivery() });
        }
        law.full.is_now
    };
    assert!(is_full(true, false));
    assert!(!is_full(false, false));
    assert!(!is_full(true, true));
    let mut law = in_state(State::Cruise);
    law.full.is_now = true;
    law.rounds.starts = true;
    law.check_startup_and_drain(&mut window(200_000.0), &Delivery { rate: Some(9.0 * RATE), ..delivery() });
    assert!(law.full.is_now, "it does not begin anew");
}

/// Section 5.3.2: a product in flight, or three rounds and one more.
#[test]
fn drain_ends_with_a_product_in_flight_or_in_the_fourth_round() {
    let ends = |rounds, in_flight| {
        let mut law = in_state(State::Drain { since: 5 });
        law.rounds.count = rounds;
        let mut now = delivery();
        now.standing.in_flight = in_flight;
        law.check_startup_and_drain(&mut window(200_000.0), &now);
        law.state == State::Down
    };
    assert!(ends(5, 100_000) && !ends(5, 100_001));
    assert!(!ends(8, 150_000) && ends(9, 150_000));
}

#[test]
fn a_full_pipe_ends_startup_and_what_may_be_called_its_slow_start() {
    let mut law = in_state(State::Startup);
    law.rounds.count = 7;
    let mut window = window(200_000.0);
    let mut now = delivery();
    now.standing.in_flight = 150_000;
    law.check_startup_and_drain(&mut window, &now);
    assert_eq!((law.state, window.ssthresh), (State::Drain { since: 7 }, 2000.0));
}

/// Section 5.6.2.
#[test]
fn the_rate_only_rises_before_the_pipe_is_full() {
    for (is_full, before, after) in
        [(false, 2e6, 2e6), (false, 0.5e6, 0.99e6), (true, 2e6, 0.99e6), (true, 0.5e6, 0.99e6)]
    {
        let mut law = in_state(State::Cruise);
        (law.rate.is_nominal, law.rate.bytes_per_second) = (false, before);
        law.full.was_ever = is_full;
        law.set_pacing_rate(1.0);
        assert_near(law.rate.bytes_per_second, after);
    }
}

/// Section 5.4.1.
#[test]
fn a_restart_from_idle_goes_at_the_rate_of_the_path_if_bandwidth_is_probed_by_cycles() {
    for (state, rate) in [(State::Up, 0.99e6), (State::Startup, 3e6), (PROBING, 3e6)] {
        let mut law = in_state(state);
        (law.rate.is_nominal, law.rate.bytes_per_second) = (false, 3e6);
        law.on_restart_from_idle(Time::ZERO);
        assert!(law.restarts_from_idle);
        assert_near(law.rate.bytes_per_second, rate);
    }
}

#[test]
fn what_is_drawn_decides_how_long_the_next_probe_waits() {
    let waits = |law: &mut Law| {
        law.begin_down(at(1000), 1_000_000);
        (law.probe.wait, law.probe.rounds)
    };
    let mut without = in_state(State::Up);
    assert_eq!(waits(&mut without), (Span::from_microseconds(2_000_000), 0));
    let mut law = in_state(State::Up);
    law.take_chance(&mut || Chance { seed: 1, replication: 0 }.stream("law"));
    let drawn: Vec<_> = (0..64).map(|_| waits(&mut law)).collect();
    let range = Span::from_microseconds(2_000_000)..Span::from_microseconds(3_000_000);
    assert!(drawn.iter().all(|(wait, _)| range.contains(wait)));
    let late = drawn.iter().filter(|(wait, _)| *wait > Span::from_microseconds(2_500_000)).count();
    assert!((16..48).contains(&late), "{late} of 64 beyond the middle");
    let ones = drawn.iter().filter(|(_, rounds)| *rounds == 1).count();
    assert!((16..48).contains(&ones) && drawn.iter().all(|(_, rounds)| *rounds <= 1), "{ones} of 64 are one");
}

/// Section 3.7: a mark is a loss in this round; section 5.6.4.4: a loss and a timeout remember the window.
#[test]
fn marks_losses_and_timeouts_are_taken_note_of() {
    let mut law = in_state(State::Cruise);
    law.on_mark(&mut window(50_000.0), 40_000);
    assert!(!law.losses.note_loss(2_000_000), "not the first of the round");
    let mut law = in_state(State::Cruise);
    law.on_loss(&mut window(50_000.0), 40_000);
    assert_eq!((law.repair, law.window_before), (Repair::Losses, 50_000.0));
    let (mut law, mut window) = (in_state(State::Cruise), window(50_000.0));
    law.on_timeout(&mut window, 40_000);
    assert_eq!((law.repair, law.window_before), (Repair::Timeout { recovery_point: None }, 50_000.0));
    assert_eq!(window.cwnd, 1000.0);
}

/// RFC 9959 appendix C: 4 MB/s is more than 2.77 times the 1 MB/s that were measured; the window is two products of it. A mark ends Startup, and Drain does
/// not believe its rates.
#[test]
fn a_known_rate_is_tried_in_startup_until_there_is_congestion() {
    let mut law = in_state(State::Startup);
    law.full.was_ever = false;
    law.try_rate(4.0 * RATE);
    let mut window = window(10_000.0);
    window.ssthresh = f64::INFINITY;
    law.on_delivery(&mut window, &delivery());
    assert_near(law.pacing_rate(&window).expect("a rate"), 4.0 * RATE);
    assert!(window.cwnd >= 800_000.0, "{}", window.cwnd);
    law.on_mark(&mut window, 100_000);
    let mut full = Delivery { rate: Some(9.0 * RATE), ..delivery() };
    full.standing.in_flight = 300_000;
    law.on_delivery(&mut window, &full);
    assert!(matches!(law.state, State::Drain { .. }), "{:?}", law.state);
    assert_eq!(law.path.bandwidth(), RATE);
    assert!(law.pacing_rate(&window).expect("a rate") <= 0.5 * RATE);
}
