//! Bounds of BBR v3, with numbers worked by hand.

use super::super::test_support::{PROBING, RATE, assert_near, at, delivery, in_state, lost, window};
use super::*;

/// `AdaptLongTermModel`: STARTING becomes FEEDBACK, and STOPPING nothing, as a round begins.
#[test]
fn feedback_of_a_probe_comes_a_round_later() {
    let after = |feedback, starts| {
        let mut law = in_state(State::Up);
        (law.probe.feedback, law.probe.is_sampled, law.rounds.starts) = (feedback, true, starts);
        law.adapt_long_term(&window(100_000.0), &delivery());
        (law.probe.feedback, law.probe.is_sampled)
    };
    assert_eq!(after(Feedback::Starting, true), (Feedback::Probing, true));
    assert_eq!(after(Feedback::Starting, false), (Feedback::Starting, true));
    assert_eq!(after(Feedback::Refilling, true), (Feedback::Refilling, true));
    assert_eq!(after(Feedback::Stopping, true), (Feedback::None, false));
    assert_eq!(after(Feedback::Stopping, false), (Feedback::Stopping, true));
}

/// A cycle that the application has limited says nothing of the bandwidth of the path: two others forget it.
#[test]
fn the_end_of_a_probe_begins_a_cycle_of_the_bandwidth_filter_unless_the_application_has_limited_it() {
    for (state, is_application_limited, bandwidth) in
        [(State::Down, false, 0.5), (State::Down, true, 1.0), (State::Startup, false, 1.0)]
    {
        let mut law = in_state(state);
        for _ in 0..2 {
            (law.probe.feedback, law.rounds.starts) = (Feedback::Stopping, true);
            law.adapt_long_term(&window(100_000.0), &Delivery { is_application_limited, ..delivery() });
        }
        law.path.note_rate(&Delivery { rate: Some(0.5 * RATE), ..delivery() });
        assert_near(law.path.bandwidth(), bandwidth * RATE);
    }
}

#[test]
fn a_probe_that_stopped_as_a_precaution_and_met_no_congestion_is_followed_by_another() {
    for (was_precautionary, was_too_high) in [(true, false), (true, true), (false, false)] {
        let mut law = in_state(State::Down);
        (law.probe.feedback, law.rounds.starts) = (Feedback::Stopping, true);
        (law.probe.was_precautionary, law.probe.was_too_high) = (was_precautionary, was_too_high);
        let is_decided = law.adapt_long_term(&window(100_000.0), &delivery());
        assert_eq!(is_decided, was_precautionary && !was_too_high);
        assert_eq!(law.state == State::Refill, is_decided);
    }
}

/// 100,000 bytes were in flight when the segment was sent that is delivered.
#[test]
fn what_was_in_flight_without_much_loss_is_safe_from_then_on() {
    let bound = |long_term, lost_since_sent| {
        let mut law = Law { long_term, ..in_state(State::Cruise) };
        law.adapt_long_term(&window(100_000.0), &Delivery { lost_since_sent, ..delivery() });
        law.long_term
    };
    assert_near(bound(50_000.0, 0), 100_000.0);
    assert_near(bound(150_000.0, 0), 150_000.0);
    assert_near(bound(50_000.0, 2001), 50_000.0);
    assert_eq!(bound(f64::INFINITY, 0), f64::INFINITY);
}

/// `RaiseInflightLongtermSlope`: a segment for each window acknowledged, then two, four, and so on.
#[test]
fn the_long_term_bound_rises_twice_as_fast_in_each_round_of_a_probe() {
    let mut law = in_state(State::Up);
    let window = window(64_000.0);
    for (round, bytes) in [64_000.0, 32_000.0, 16_000.0, 8000.0, 4000.0, 2000.0, 1000.0, 1000.0].into_iter().enumerate()
    {
        law.raise_slope(&window);
        assert_near(law.probe.acknowledged_per_increment, bytes);
        assert_eq!(law.probe.up_rounds as usize, round + 1);
    }
    law.probe.up_rounds = MOST_UP_ROUNDS;
    law.raise_slope(&window);
    assert_eq!(law.probe.up_rounds, MOST_UP_ROUNDS);
}

/// `ProbeInflightLongtermUpward`: 500 bytes were left, 6700 are acknowledged, 3000 are worth a segment.
#[test]
fn the_long_term_bound_rises_by_a_segment_for_so_many_bytes_acknowledged() {
    let raised = |state, limits, cwnd: f64, is_round| {
        let mut law = Law { long_term: 150_000.0, window_limits: (limits, false), ..in_state(state) };
        (law.probe.up_acknowledged, law.probe.acknowledged_per_increment) = (500.0, 3000.0);
        law.rounds.starts = is_round;
        law.adapt_long_term(&window(cwnd), &Delivery { bytes: 6700, ..delivery() });
        (law.long_term, law.probe.up_acknowledged, law.probe.up_rounds)
    };
    let (bound, left, _) = raised(State::Up, true, 150_000.0, false);
    assert_near(bound, 152_000.0);
    assert_near(left, 1200.0);
    assert_eq!(raised(State::Up, true, 160_000.0, false), (152_000.0, 1200.0, 0));
    assert_eq!(raised(State::Up, true, 160_000.0, true), (152_000.0, 1200.0, 1), "in the next round faster");
    assert_eq!(raised(State::Up, true, 149_999.0, true), (150_000.0, 500.0, 0), "the window is not at the bound");
    assert_eq!(raised(State::Up, false, 150_000.0, true), (150_000.0, 500.0, 0), "nor does it keep data back");
    assert_eq!(raised(State::Down, true, 150_000.0, true), (150_000.0, 500.0, 0));
}

#[test]
fn less_than_is_worth_a_segment_is_kept_for_later() {
    let mut law = Law { long_term: 150_000.0, window_limits: (true, false), ..in_state(State::Up) };
    law.probe.acknowledged_per_increment = 3000.0;
    let mut bounds = Vec::new();
    for _ in 0..4 {
        law.adapt_long_term(&window(200_000.0), &Delivery { bytes: 1000, ..delivery() });
        bounds.push(law.long_term);
    }
    assert_eq!(bounds, [150_000.0, 150_000.0, 151_000.0, 151_000.0]);
}

/// `HandleInflightTooHigh`: what was in flight, but no less than 70 % of the target; unless the application has limited it.
#[test]
fn too_much_in_flight_is_a_bound_of_seventy_percent_at_least_and_ends_the_probe() {
    for (in_flight, is_limited, bound) in
        [(90_000.0, false, 90_000.0), (20_000.0, false, 70_000.0), (90_000.0, true, 150_000.0)]
    {
        let mut law = Law { long_term: 150_000.0, ..in_state(State::Up) };
        law.probe.is_sampled = true;
        law.take_in_flight_for_too_high(&window(200_000.0), in_flight, is_limited, at(1000));
        assert_near(law.long_term, bound);
        assert_eq!((law.state, law.probe.was_too_high, law.probe.is_sampled), (State::Down, true, false));
    }
    let mut law = in_state(State::Refill);
    law.take_in_flight_for_too_high(&window(200_000.0), 90_000.0, false, at(1000));
    assert_eq!(law.state, State::Refill, "only UP is over at once");
}

#[test]
fn a_loss_teaches_a_bound_only_in_samples_of_a_probe_and_beyond_two_percent() {
    let learns = |is_sampled, bytes| {
        let mut law = in_state(State::Up);
        law.probe.is_sampled = is_sampled;
        law.learn_from_loss(&window(200_000.0), &lost(100_000, bytes), at(1000));
        law.long_term.is_finite()
    };
    assert!(learns(true, 2001));
    assert!(!learns(true, 2000) && !learns(false, 2001));
}

/// Section 5.3.4.3: half of the product, but four segments, for 200 ms and a round.
#[test]
fn a_probe_of_the_round_trip_begins_with_half_of_the_product_in_flight() {
    let small = |bandwidth: f64| {
        let mut law = in_state(PROBING);
        law.short_term.bandwidth = bandwidth;
        law.probe_window(&window(100_000.0))
    };
    assert_near(small(f64::INFINITY), 50_000.0);
    assert_near(small(1e4), 4000.0);
    let mut law = in_state(PROBING);
    let mut now = delivery();
    for (in_flight, begins) in [(50_001, false), (50_000, true)] {
        now.standing.in_flight = in_flight;
        law.check_probe_of_round_trip(&mut window(100_000.0), &now, false);
        let until = begins.then(|| at(1000) + PROBE_DURATION);
        assert_eq!(law.state, State::ProbeRoundTrip { until, round_is_over: false });
    }
}

#[test]
fn a_probe_of_the_round_trip_is_due_only_once_and_not_after_a_pause() {
    let after = |state, is_due, restarts_from_idle| {
        let mut law = Law { restarts_from_idle, ..in_state(state) };
        let mut now = delivery();
        now.standing.in_flight = 90_000;
        law.check_probe_of_round_trip(&mut window(100_000.0), &now, is_due);
        assert!(!law.restarts_from_idle, "the pause is over");
        law.state
    };
    assert_eq!(after(State::Cruise, true, false), PROBING);
    assert_eq!(after(State::Cruise, false, false), State::Cruise);
    assert_eq!(after(State::Cruise, true, true), State::Cruise);
    let late = State::ProbeRoundTrip { until: Some(at(1100)), round_is_over: true };
    assert_eq!(after(late, true, false), late);
}

#[test]
fn a_probe_of_the_round_trip_ends_when_its_time_and_a_round_are_over() {
    let ends = |until, round_is_over, starts| {
        let mut law = in_state(State::ProbeRoundTrip { until: Some(at(until)), round_is_over });
        (law.rounds.starts, law.window_before) = (starts, 120_000.0);
        law.short_term.in_flight = 30_000.0;
        let mut window = window(50_000.0);
        law.check_probe_of_round_trip(&mut window, &delivery(), false);
        let is_over = law.state == State::Cruise;
        assert_eq!(window.cwnd, if is_over { 120_000.0 } else { 50_000.0 });
        assert_eq!(law.short_term.in_flight.is_infinite(), is_over);
        is_over
    };
    assert!(ends(999, true, false) && ends(999, false, true));
    assert!(!ends(999, false, false) && !ends(1000, true, true));
    let mut early = in_state(State::ProbeRoundTrip { until: Some(at(999)), round_is_over: true });
    early.full.was_ever = false;
    early.check_probe_of_round_trip(&mut window(50_000.0), &delivery(), false);
    assert_eq!(early.state, State::Startup);
}

/// Section 5.6.4.5: 2 products and what came at once, 200,000 and 7000 bytes.
#[test]
fn the_window_grows_by_what_is_delivered_up_to_two_products_and_what_came_at_once() {
    let grown = |is_full, cwnd: f64, bytes, total| {
        let mut law = in_state(State::Cruise);
        law.full.was_ever = is_full;
        law.path.note_aggregation(&Delivery { bytes: 7000, ..delivery() }, &law.rounds, 0.0, 1e9, true);
        let mut window = window(cwnd);
        law.set_window(&mut window, &Delivery { bytes, total, ..delivery() });
        window.cwnd
    };
    assert_near(grown(true, 100_000.0, 3000, 1_000_000), 103_000.0);
    assert_near(grown(true, 206_000.0, 3000, 1_000_000), 207_000.0);
    assert_near(grown(true, 300_000.0, 3000, 1_000_000), 207_000.0);
    assert_near(grown(false, 206_000.0, 3000, 1_000_000), 209_000.0);
    assert_near(grown(false, 207_000.0, 3000, 1_000_000), 207_000.0);
    assert_near(grown(false, 300_000.0, 3000, 1_000_000), 300_000.0);
    assert_near(grown(false, 300_000.0, 3000, 9999), 303_000.0);
    assert_near(grown(false, 300_000.0, 3000, 10_000), 300_000.0);
}

#[test]
fn the_window_is_four_segments_at_least_whatever_bounds_it() {
    let set = |cwnd: f64, in_flight: f64| {
        let mut law = in_state(State::Cruise);
        law.short_term.in_flight = in_flight;
        let mut window = window(cwnd);
        law.set_window(&mut window, &delivery());
        window.cwnd
    };
    assert_near(set(1000.0, f64::INFINITY), 4000.0);
    assert_near(set(100_000.0, 1000.0), 4000.0);
    assert_near(set(100_000.0, 30_000.0), 30_000.0);
}

/// Section 5.6.4.7.
#[test]
fn the_long_term_bound_holds_once_startup_is_drained_with_headroom_where_nothing_is_probed() {
    let bounds = [
        (State::Startup, 100_000.0),
        (State::Drain { since: 0 }, 100_000.0),
        (State::Down, 40_000.0),
        (State::Refill, 40_000.0),
        (State::Up, 40_000.0),
        (State::Cruise, 34_000.0),
        (PROBING, 34_000.0),
    ];
    for (state, bound) in bounds {
        let mut law = Law { long_term: 40_000.0, ..in_state(state) };
        let mut window = window(99_000.0);
        law.set_window(&mut window, &delivery());
        assert_near(window.cwnd, bound);
    }
}

/// Section 5.6.4.4: losses are repaired when the recovery says so, a timeout when what was sent by then is acknowledged.
#[test]
fn a_repair_gives_the_window_back() {
    let checked = |repair, is_recovering, unacknowledged| {
        let mut law = Law { repair, window_before: 80_000.0, ..in_state(State::Cruise) };
        let (mut window, mut now) = (window(20_000.0), delivery());
        (now.standing.is_recovering, now.standing.unacknowledged) = (is_recovering, unacknowledged);
        law.check_repair(&mut window, &now);
        assert_eq!(window.cwnd == 80_000.0, law.repair == Repair::None && repair != Repair::None);
        law.repair
    };
    assert_eq!(checked(Repair::None, true, 0), Repair::None);
    assert_eq!(checked(Repair::Losses, true, 1_000_000), Repair::Losses);
    assert_eq!(checked(Repair::Losses, false, 1_000_000), Repair::None);
    let timeout = |recovery_point| Repair::Timeout { recovery_point };
    assert_eq!(checked(timeout(None), true, 1_000_000), timeout(Some(1_100_000)), "all that was sent by now");
    assert_eq!(checked(timeout(Some(1_050_000)), false, 1_049_999), timeout(Some(1_050_000)));
    assert_eq!(checked(timeout(Some(1_050_000)), false, 1_050_000), Repair::None);
}

#[test]
fn the_window_before_a_repair_or_a_probe_of_the_round_trip_is_the_largest() {
    let saved = |state, repair| {
        let mut law = Law { repair, window_before: 80_000.0, ..in_state(state) };
        law.save_window(&window(50_000.0));
        law.window_before
    };
    assert_near(saved(State::Cruise, Repair::None), 50_000.0);
    assert_near(saved(State::Cruise, Repair::Losses), 80_000.0);
    assert_near(saved(PROBING, Repair::None), 80_000.0);
    assert_near(saved(PROBING, Repair::Losses), 80_000.0);
}
