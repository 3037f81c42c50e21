//! Timeout estimators: limits, backoff, and what ends it (T-11, T-12).

use longfat_engine::config::{Parameter, Reader, parse_fragment};
use longfat_engine::random::Chance;
use longfat_engine::registry::Chosen;
use longfat_engine::transport::rto::{ESTIMATORS, TimeoutEstimator};
use longfat_engine::transport::{TickClock, TimerPhase};
use longfat_engine::units::Span;
use proptest::prelude::*;

/// An estimator with ticks of 100 ms; `limits` in TOML. Every estimator declares these three (T-12).
fn build(name: &str, limits: &str) -> Box<dyn TimeoutEstimator> {
    let mut chance = Chance { seed: 1, replication: 0 }.stream("clock");
    let clock = TickClock::new(Span::from_microseconds(100_000), TimerPhase::Common, &mut chance);
    let mut reader = Reader::default();
    let chosen = Chosen::<dyn TimeoutEstimator>::read(
        &parse_fragment(&format!("{{ kind = \"{name}\", {limits} }}")),
        &mut reader,
    );
    chosen.unwrap_or_else(|| panic!("{name}: {:?}", reader.problems)).build(&clock)
}

/// A round trip of so many ticks, or (`None`) an expiry of the timer.
fn any_history() -> impl Strategy<Value = Vec<Option<u64>>> {
    prop::collection::vec(prop::option::weighted(0.7, prop_oneof![0_u64..4, 0_u64..2_000]), 0..60)
}

fn any_estimator() -> impl Strategy<Value = &'static str> {
    prop::sample::select(ESTIMATORS.iter().map(|entry| entry.name).collect::<Vec<_>>())
}

fn follow(estimator: &mut dyn TimeoutEstimator, history: &[Option<u64>]) {
    for step in history {
        match step {
            Some(ticks) => estimator.on_round_trip(*ticks),
            None => estimator.on_timeout(),
        }
    }
}

proptest! {
    #[test]
    fn the_timeout_stays_within_its_limits(
        name in any_estimator(), history in any_history(), minimum in 1_u64..10, maximum in 10_u64..700,
    ) {
        let in_ticks = name.starts_with("bsd") || name == "floating-point";
        let least = if in_ticks { format!("minimum_ticks = {minimum}") } else { format!("minimum = \"{} ms\"", 100 * minimum) };
        let limits = format!("{least}, maximum = \"{} ms\", initial = \"3 s\"", 100 * maximum);
        let mut estimator = build(name, &limits);
        prop_assert_eq!(estimator.timeout_ticks(), 30.min(maximum), "the limits are read");
        for step in history {
            follow(estimator.as_mut(), &[step]);
            let ticks = estimator.timeout_ticks();
            prop_assert!((minimum..=maximum).contains(&ticks), "{ticks} ticks are not in {minimum}..={maximum}");
        }
    }

    #[test]
    fn each_expiry_doubles_the_timeout_until_its_maximum(name in any_estimator(), round_trips in prop::collection::vec(0_u64..20, 0..20)) {
        let mut estimator = build(name, "maximum = \"64 s\"");
        round_trips.iter().for_each(|&ticks| estimator.on_round_trip(ticks));
        for _ in 0..6 {
            let before = estimator.timeout_ticks();
            estimator.on_timeout();
            prop_assert_eq!(estimator.timeout_ticks(), (2 * before).min(640));
        }
    }

    #[test]
    fn a_measured_round_trip_ends_the_backoff(name in any_estimator(), history in any_history(), expiries in 1_u64..9) {
        // The expiries themselves measure nothing: with or without them, the next round trip gives the same timeout.
        let (mut with, mut without) = (build(name, ""), build(name, ""));
        follow(with.as_mut(), &history);
        follow(without.as_mut(), &history);
        (0..expiries).for_each(|_| with.on_timeout());
        with.on_round_trip(1);
        without.on_round_trip(1);
        prop_assert_eq!(with.timeout_ticks(), without.timeout_ticks());
    }
}

#[test]
fn before_any_measurement_the_timeout_is_the_initial_one() {
    for entry in ESTIMATORS {
        assert_eq!(build(entry.name, "initial = \"3 s\"").timeout_ticks(), 30, "{}", entry.name);
        assert_eq!(
            build(entry.name, "initial = \"2950 ms\"").timeout_ticks(),
            30,
            "{}: rounded up to a tick",
            entry.name
        );
    }
}

#[test]
fn a_steady_round_trip_settles_at_a_timeout_near_it() {
    // With srtt = m and rttvar towards 0: no more than twice the round trip of 51 ticks after a hundred samples.
    for entry in ESTIMATORS {
        let mut estimator = build(entry.name, "");
        (0..100).for_each(|_| estimator.on_round_trip(50));
        let ticks = estimator.timeout_ticks();
        assert!((51..=60).contains(&ticks), "{}: {ticks} ticks for round trips of 50", entry.name);
    }
}
