//! A scenario gives the same bytes: again, in slices, on any thread, and (by fingerprint) in any version of the engine
//! that carries the same model number.

mod cases;

use std::collections::BTreeMap;
use std::fmt::Write;

use longfat_engine::measure::RunRecord;
use longfat_engine::observer::Unobserved;
use longfat_engine::scenario::Scenario;
use longfat_engine::stacks::STACKS;
use longfat_engine::switch::queue_discipline::DISCIPLINES;
use longfat_engine::transport::flavor::FLAVORS;
use longfat_engine::units::Time;
use longfat_engine::{MODEL, Simulation, run};

use cases::{CASES, UNEVEN};

use crate::support::expected::assert_as_expected;
use crate::support::scenario;

fn cases() -> Vec<(String, Scenario)> {
    let build = |&(name, sources, links, duration, port, rest): &(&'static str, u32, &str, &str, &str, &str)| {
        let text = format!(
            "schema_version = 1\nduration = \"{duration}\"\n{rest}\nport = {{ {port} }}\n\
             topology = {{ kind = \"n-source\", sources = {sources}, {links} }}\n"
        );
        (name.to_owned(), scenario(&text))
    };
    let flavors = FLAVORS.iter().flat_map(|entry| [of_flavor(entry.name), of_flavor_far_away(entry.name)]);
    let disciplines =
        DISCIPLINES.iter().filter(|entry| entry.name != "by-policy").map(|entry| of_discipline(entry.name));
    let stacks =
        STACKS.iter().filter(|entry| !["tcp", "outside"].contains(&entry.name)).map(|entry| of_stack(entry.name));
    CASES.iter().map(build).chain(flavors).chain(disciplines).chain(stacks).collect()
}

/// Each registered flavor with losses, on a path of 30 ms, and everything about it that a fingerprint could miss.
fn of_flavor(name: &str) -> (String, Scenario) {
    let text = format!(
        "schema_version = 1\nduration = \"4 s\"\n
topology = {{ kind = \"n-source\", sources = 3, {UNEVEN} }}\nport.buffer = \"400 cells\"\n
tcp = {{ flavor = \"{name}\", receiver_window = \"300000 B\", acknowledgments = \"delayed\", limited_transmit = true, \
         handshake = true, timestamps = true }}\n"
    );
    (format!("uneven 3 {name}"), scenario(&text))
}

/// Each registered flavor over a long fat path, where those that differ by time or by round trips do so.
fn of_flavor_far_away(name: &str) -> (String, Scenario) {
    let text = format!(
        "schema_version = 1\nduration = \"20 s\"\nframing = \"packet\"\nport = {{ buffer = \"60 packets\" }}\n
topology = {{ kind = \"n-source\", sources = 1, access.delay = \"1 ms\", \
              bottleneck = {{ rate = \"10 Mbit/s\", delay = \"98 ms\" }} }}\n
tcp = {{ flavor = \"{name}\", mss = \"1000 B\", receiver_window = \"1 MB\", timestamps = true }}\n"
    );
    (format!("far 1 {name}"), scenario(&text))
}

/// Each registered queue discipline between ends that understand marks.
fn of_discipline(name: &str) -> (String, Scenario) {
    let text = format!(
        "schema_version = 1\nduration = \"4 s\"\nframing = \"ethernet\"\n
topology = {{ kind = \"n-source\", sources = 3, {UNEVEN} }}\nport = {{ buffer = \"300 kB\", queue = \"{name}\" }}\n
tcp = {{ flavor = \"sack-rfc6675\", mss = \"1460 B\", receiver_window = \"300000 B\", ecn = \"accurate\" }}\n"
    );
    (format!("uneven 3 queue {name}"), scenario(&text))
}

/// Each registered stack besides TCP, with losses, beside TCP.
fn of_stack(name: &str) -> (String, Scenario) {
    let text = format!(
        "schema_version = 1\nduration = \"4 s\"\nframing = \"packet\"\nport = {{ buffer = \"20 packets\" }}\n
topology = {{ kind = \"n-source\", sources = 3, {UNEVEN} }}\nloss = {{ kind = \"random\", probability = 0.002 }}\n
connections = [{{ count = 2, stack = \"{name}\" }}]\n"
    );
    (format!("uneven 3 stack {name}"), scenario(&text))
}

fn bytes(record: &RunRecord) -> String {
    serde_json::to_string(record).expect("a record is JSON")
}

#[track_caller]
fn run_once(scenario: &Scenario) -> RunRecord {
    run(scenario).unwrap_or_else(|violation| panic!("{violation}"))
}

/// Without marks DCTCP is Reno's law, without another full queue Veno is, and so is a control from outside that nobody provides.
#[test]
fn far_away_each_flavor_that_is_another_has_another_fingerprint() {
    let others = FLAVORS.iter().map(|entry| entry.name).filter(|name| !["dctcp", "external", "veno"].contains(name));
    let mut seen = BTreeMap::new();
    for name in others {
        let fingerprint = run_once(&of_flavor_far_away(name).1).fingerprint;
        if let Some(other) = seen.insert(fingerprint, name) {
            panic!("{name} and {other} cannot be told apart");
        }
    }
}

#[test]
fn fingerprints_are_those_of_this_version_of_the_model() {
    let mut text = format!(
        "Fingerprints of short runs under model {MODEL}.
When any line here changes, MODEL must move: stored runs are no longer what this engine computes.
LONGFAT_BLESS=1 cargo test writes this file.

{:<32}{:<18}{:>11}{:>10}{:>11}{:>10}
",
        "scenario", "fingerprint", "efficiency", "fairness", "max queue", "timeouts"
    );
    for (name, scenario) in cases() {
        let RunRecord { fingerprint, metrics, .. } = run_once(&scenario);
        let (efficiency, fairness) = (metrics.efficiency, metrics.fairness);
        let (queue, timeouts) = (metrics.max_queue_cells, metrics.timeouts);
        writeln!(text, "{name:<32}{fingerprint:<18}{efficiency:>11.6}{fairness:>10.6}{queue:>11}{timeouts:>10}")
            .expect("a text has room");
    }
    assert_as_expected("determinism.txt", &text);
}

#[test]
fn every_registered_policy_has_a_fingerprint() {
    let cases = cases();
    for entry in longfat_engine::switch::drop_policy::POLICIES {
        let named = |(_, scenario): &(String, Scenario)| scenario.port.policy.name() == entry.name;
        assert!(cases.iter().any(named), "add a scenario with {} to CASES", entry.name);
    }
}

#[test]
fn every_registered_scheduler_has_a_fingerprint() {
    let cases = cases();
    for entry in longfat_engine::switch::scheduler::SCHEDULERS {
        let named = |(_, scenario): &(String, Scenario)| scenario.port.scheduler.name() == entry.name;
        assert!(cases.iter().any(named), "add a scenario with {} to CASES", entry.name);
    }
}

#[test]
fn a_run_in_slices_is_the_same_run() {
    for (name, scenario) in cases() {
        let whole = bytes(&run_once(&scenario));
        let mut simulation = Simulation::new(&scenario, Unobserved);
        // Slices of odd lengths, some without any event, one that goes back and one beyond the end.
        let mut until = Time(1);
        while until < simulation.end() {
            simulation.advance(until);
            simulation.advance(Time(until.0 / 2));
            simulation.audit().unwrap_or_else(|violation| panic!("{name} at {until:?}: {violation}"));
            until = Time(until.0 * 21 / 13 + 777_777);
        }
        simulation.advance(Time::NEVER);
        let sliced = simulation.finish().unwrap_or_else(|violation| panic!("{name}: {violation}"));
        assert_eq!(bytes(&sliced), whole, "{name}");
    }
}

#[test]
fn threads_and_order_do_not_matter() {
    let cases = cases();
    let run_all = |order: Vec<usize>| -> Vec<(usize, String)> {
        order.into_iter().map(|index| (index, bytes(&run_once(&cases[index].1)))).collect()
    };
    let forward: Vec<usize> = (0..cases.len()).collect();
    let backward: Vec<usize> = forward.iter().rev().copied().collect();
    let (first, mut second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| run_all(forward));
        let second = scope.spawn(|| run_all(backward));
        (first.join().expect("no run panics"), second.join().expect("no run panics"))
    });
    second.reverse();
    for (once, again) in first.iter().zip(&second) {
        assert_eq!(once, again, "{}", cases[once.0].0);
    }
}
