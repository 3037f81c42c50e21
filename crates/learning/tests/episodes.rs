//! External decisions and those of a policy give the same runs, with both drivers.

use std::sync::Arc;

use longfat_engine::config::{Document, Numbers};
use longfat_engine::measure::RunRecord;
use longfat_engine::scenario::Scenario;
use longfat_engine::transport::control::{Control, Controls};
use longfat_engine::transport::law::WindowLaw;
use longfat_engine::units::Span;
use longfat_engine::{Driver, run_by};
use longfat_learning::{Episode, Episodes, Interval, Settings, Steers, at_intervals};

fn settings(steers: Steers) -> Settings {
    Settings { interval: Span(50_000_000_000), steers }
}

/// Two agents and a CUBIC connection on a path of 20 Mbit/s and 20 ms each way, in packets; the queue drops and marks.
const PATH: &str = r#"
    schema_version = 1
    duration = "5.02 s"
    topology = { kind = "n-source", sources = 3, access = { rate = "1 Gbit/s", delay = "1 ms" }, bottleneck = { rate = "20 Mbit/s", delay = "18 ms" } }
    framing = "packet"
    port = { buffer = "60 packets", queue = "codel" }
    loss = { kind = "random", probability = 0.003 }
    tcp = { preset = "linux-like", ecn = "classic" }
    connections = [{ count = 2, flavor = { kind = "external", control = "CONTROL" } }, { count = 1, flavor = "cubic" }]
"#;

type Changes<'c> = &'c [(&'c str, &'c str)];

fn path(control: &str, changes: Changes) -> Document {
    let text = PATH.replace("CONTROL", control);
    let text = changes.iter().fold(text, |text, (from, to)| text.replace(from, to));
    Document::parse(text.as_bytes(), "path.toml").expect("it is TOML")
}

const AS_IT_IS: Changes = &[];

fn begin(changes: Changes, steers: Steers, driver: Driver) -> Episode {
    Episode::begin(path(Episode::LEARNER, changes), settings(steers), driver).expect("a good scenario")
}

/// Increases while the round trip is short and decreases while it is long, with a correction for losses.
fn policy(seen: &Interval) -> f64 {
    let excess =
        if seen.shortest_round_trip_s > 0.0 { seen.round_trip_s / seen.shortest_round_trip_s - 1.0 } else { 0.0 };
    0.3 - excess - seen.lost_bytes / (seen.delivered_bytes + 1.0)
}

fn play(mut episode: Episode) -> RunRecord {
    loop {
        let decisions: Vec<f64> = episode.observe().map(|seen| policy(&seen)).collect();
        if episode.is_over() {
            return episode.finish().expect("nothing is lost");
        }
        episode.step(&decisions);
    }
}

struct Policy(Settings);

impl Control for Policy {
    fn digest(&self) -> &str {
        "1"
    }

    fn law(&self, _parameters: &Numbers) -> Box<dyn WindowLaw> {
        at_intervals(self.0, Box::new(policy))
    }
}

fn run_policy(changes: Changes, steers: Steers) -> RunRecord {
    let mut controls = Controls::default();
    controls.provide("policy", Arc::new(Policy(settings(steers))));
    let scenario = Scenario::check(&path("policy", changes).provided_with(controls)).expect("a good scenario");
    run_by(Driver::Events, &scenario).expect("nothing is lost")
}

#[test]
fn decisions_from_outside_make_the_run_that_the_policy_makes_itself() {
    for steers in [Steers::Window, Steers::Rate] {
        for driver in [Driver::Events, Driver::Fast] {
            let played = play(begin(AS_IT_IS, steers, driver));
            assert_eq!(played.fingerprint, run_policy(AS_IT_IS, steers).fingerprint, "{steers:?} by {driver:?}");
            assert!(played.flows.iter().all(|flow| flow.goodput_bps > 1e5), "all of them have sent");
        }
    }
}

#[test]
fn an_interval_tells_what_its_acknowledgments_have_told() {
    let mut episode = begin(&[("0.003", "0")], Steers::Window, Driver::Fast);
    // The connections open after 38 ms; then 10 segments of 1448 bytes leave, and their acknowledgments return after as long again.
    assert_eq!(episode.observe().map(|seen| (seen.end_s, seen.delivered_bytes)).collect::<Vec<_>>(), [(0.05, 0.0); 2]);
    episode.step(&[0.0, 0.0]);
    let seen: Vec<_> = episode.observe().collect();
    let second = seen[0];
    assert_eq!((second.end_s, second.delivered_bytes, second.window_bytes), (0.1, 14_480.0, 14_480.0));
    assert!((0.038..0.046).contains(&second.shortest_round_trip_s), "{second:?}");
    assert!(second.round_trips > 0.0 && second.round_trip_s >= second.shortest_round_trip_s, "{second:?}");
    episode.step(&[1.0, -7.0]);
    let windows: Vec<_> = episode.observe().map(|seen| seen.window_bytes).collect();
    assert_eq!(windows, [28_960.0, 7240.0], "a decision changes a window twofold at most");
}

/// Observations of the first agent from the end of the first interval on, with a constant decision.
fn sees(changes: Changes, steers: Steers, decision: f64) -> Vec<Interval> {
    let mut episode = begin(changes, steers, Driver::Fast);
    let mut seen = Vec::new();
    loop {
        let told: Vec<_> = episode.observe().collect();
        seen.push(told[0]);
        if episode.is_over() {
            return seen;
        }
        episode.step(&vec![decision; told.len()]);
    }
}

#[test]
fn of_decisions_between_two_acknowledgments_the_last_is_carried_out() {
    let later = [("\"learner\" } }", "\"learner\" }, later = \"2 s\" }"), ("0.003", "0"), ("count = 2", "count = 1")];
    let seen = sees(&later, Steers::Window, 1.0);
    let first = seen.iter().find(|seen| seen.delivered_bytes > 0.0).expect("it begins");
    assert!(first.end_s > 2.0, "{first:?}");
    assert_eq!(first.window_bytes, 2.0 * 14_480.0, "and not 2^40 times as much");
}

#[test]
fn a_window_grows_as_far_as_the_receiver_allows_and_comes_back_with_the_next_decision() {
    let seen = sees(&[("0.003", "0")], Steers::Window, 1.0);
    let largest = seen.iter().map(|seen| seen.window_bytes).fold(0.0, f64::max);
    assert_eq!(largest, 6.0 * 1024.0 * 1024.0);
}

#[test]
fn a_rate_stays_between_a_segment_in_a_round_trip_and_what_the_receiver_allows() {
    for (decision, segments) in [(-1.0, 1.0), (1.0, 6.0 * 1024.0 * 1024.0 / 1448.0)] {
        let seen = sees(&[("0.003", "0")], Steers::Rate, decision);
        let last = seen.last().expect("there are many");
        let in_a_round_trip = last.rate_bytes * last.shortest_round_trip_s / 1448.0;
        assert!((in_a_round_trip / segments - 1.0).abs() < 1e-9, "{in_a_round_trip} segments, {last:?}");
        assert!(seen[80..].iter().any(|seen| seen.delivered_bytes > 0.0), "it goes on");
    }
}

#[test]
fn the_capacity_is_that_of_the_interval_as_the_path_was_in_it() {
    let fading = (
        "codel\" }",
        "codel\" }\npath = { kind = \"geo-fade\", begin = \"1.025 s\", lasting = \"1 s\", rate_share = 0.2 }",
    );
    let steps = |changes: Changes| {
        let mut episode = begin(changes, Steers::Window, Driver::Fast);
        let mut all = vec![episode.capacity_bytes()];
        while !episode.is_over() {
            let agents = episode.observe().count();
            episode.step(&vec![0.0; agents]);
            all.push(episode.capacity_bytes());
        }
        all
    };
    let steady = steps(AS_IT_IS);
    assert_eq!((steady.len(), steady[0]), (101, 125_000.0), "20 Mbit/s in 50 ms");
    assert!((steady[100] - 50_000.0).abs() < 1e-6, "of the last 20 ms, not {}", steady[100]);
    let faded = steps(&[fading]);
    assert_eq!((faded[19], faded[21], faded[41]), (125_000.0, 25_000.0, 125_000.0));
    assert!((faded[20] - 75_000.0).abs() < 1e-6, "half of an interval with each rate, not {}", faded[20]);
}

#[test]
fn the_last_interval_ends_with_the_scenario() {
    let last = *sees(AS_IT_IS, Steers::Window, 0.0).last().expect("there are many");
    assert_eq!(last.end_s, 5.02);
}

#[test]
fn episodes_go_on_together_as_they_would_alone() {
    let durations = ["5.02 s", "2 s", "3 s"];
    let alone: Vec<_> =
        durations.map(|duration| play(begin(&[("5.02 s", duration)], Steers::Rate, Driver::Fast)).fingerprint).into();
    for threads in [1, 2, 7] {
        let mut together = Episodes::new(durations.len(), threads);
        let mut seen = Vec::new();
        for (place, duration) in durations.iter().enumerate() {
            let mut episode = begin(&[("5.02 s", duration)], Steers::Rate, Driver::Fast);
            seen.push(episode.observe().collect::<Vec<_>>());
            assert!(together.put(place, episode).is_none());
        }
        let mut finished = vec![None; durations.len()];
        loop {
            for (place, finished) in finished.iter_mut().enumerate() {
                if together.at(place).is_some_and(|episode| episode.is_over()) {
                    let episode = together.take(place).expect("it is there");
                    *finished = Some(episode.finish().expect("nothing is lost").fingerprint);
                }
            }
            let chosen: Vec<usize> = (0..durations.len()).filter(|place| together.at(*place).is_some()).collect();
            if chosen.is_empty() {
                break;
            }
            let decisions: Vec<f64> = chosen.iter().flat_map(|&place| seen[place].iter().map(policy)).collect();
            let mut told = together.step(&chosen, &decisions).expect("nothing fails").into_iter();
            chosen.iter().for_each(|&place| seen[place] = told.by_ref().take(2).collect());
        }
        assert_eq!(finished.into_iter().flatten().collect::<Vec<_>>(), alone, "{threads} threads");
    }
}

#[test]
fn a_scenario_without_agents_or_with_other_controls_is_refused() {
    let why = |control: &str, changes: Changes| {
        Episode::begin(path(control, changes), settings(Steers::Rate), Driver::Fast).err().expect("refused").join("\n")
    };
    assert!(why("classical", AS_IT_IS).starts_with("nothing to decide: no connection has the flavor {"));
    assert!(why("another", AS_IT_IS).contains("\"learner\", not \"another\""));
    let instant = why("learner", &[("5.02 s", "50 ms")]);
    assert!(
        instant.starts_with("nothing to decide: the scenario lasts 0.05 s and the first decision comes after 0.05 s")
    );
    assert!(why("learner", &[("60 packets", "many")]).starts_with("path.toml:6:"));
}
