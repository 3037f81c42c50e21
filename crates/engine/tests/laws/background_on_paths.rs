//! Backgrounds over paths that lose packets: their datagrams belong to no flow, and are accounted for all the same.

use longfat_engine::divergence::compare;
use longfat_engine::framing::Content;
use longfat_engine::measure::{Cause, RunRecord};
use longfat_engine::scenario::Scenario;
use longfat_engine::{Driver, Simulation};

use crate::support::scenario;
use crate::support::tape::{Happening, run_taped};

/// Every kind of path that loses packets.
const LOSSY: [&str; 4] = [
    "{ kind = \"leo\", interval = \"1 s\", loss = 0.05 }",
    "{ kind = \"rain\", begin = \"1 s\", rise = \"1 s\", lasting = \"1 s\", depth = \"30 dB\" }",
    "{ kind = \"geo-fade\", begin = \"1 s\", lasting = \"1 s\", loss = 0.1 }",
    "{ kind = \"schedule\", steps = \"time_s,loss\\n0,0.1\\n3,0\" }",
];

/// Two connections beside three backgrounds, over 10 Mbit/s for 4 s.
fn network(path: &str, rest: &str) -> Scenario {
    scenario(&format!(
        "schema_version = 1
duration = \"4 s\"
topology = {{ kind = \"n-source\", sources = 2, access = {{ rate = \"1 Gbit/s\", delay = \"1 ms\" }}, \
         bottleneck = {{ rate = \"10 Mbit/s\", delay = \"8 ms\" }} }}
framing = \"packet\"
port.buffer = \"40 packets\"
path = {path}
background = [{{ kind = \"poisson\", load = 0.1 }}, {{ kind = \"poisson\", load = 0.05, size = \"1000 B\" }}, \
         {{ kind = \"poisson\", load = 0.02, size = \"1 B\" }}]
{rest}
"
    ))
}

/// Simulates with a driver; conservation holds at the end of every quarter.
fn record_of(scenario: &Scenario, driver: Driver) -> RunRecord {
    let mut simulation = Simulation::driven_by(driver, scenario, longfat_engine::observer::Unobserved);
    for quarter in 1..=4 {
        simulation.advance(longfat_engine::units::Time(simulation.end().0 / 4 * quarter));
        simulation.audit().unwrap_or_else(|violation| panic!("{violation}"));
    }
    simulation.finish().unwrap_or_else(|violation| panic!("{violation}"))
}

#[test]
fn backgrounds_cross_every_lossy_path_with_either_driver_whatever_is_beside_them() {
    let besides =
        ["", "traffic = \"www\"", "loss = { kind = \"random\", probability = 0.01 }", "port.queue = \"cake\""];
    for (path, rest) in LOSSY.iter().flat_map(|path| besides.map(|rest| (path, rest))) {
        let scenario = network(path, rest);
        let records = [Driver::Events, Driver::Fast].map(|driver| record_of(&scenario, driver));
        assert_eq!(records[0].fingerprint, records[1].fingerprint, "{path} {rest}");
        let (without, _) = run_taped(&network("\"fixed\"", rest));
        assert_eq!(without.iter().filter(|entry| is_lost_datagram(&entry.what)).count(), 0);
        let (tape, record) = run_taped(&scenario);
        assert_eq!(record.fingerprint, records[0].fingerprint, "{path} {rest}");
        let lost: Vec<_> = tape.iter().filter(|entry| is_lost_datagram(&entry.what)).collect();
        assert!(!lost.is_empty(), "{path} {rest}");
        assert!(record.metrics.packets_lost >= lost.len() as u64, "{path} {rest}");
        let flows = scenario.number_of_flows();
        assert!(lost.iter().all(|entry| entry.flow >= flows), "numbers of backgrounds follow those of flows");
    }
}

fn is_lost_datagram(what: &Happening) -> bool {
    matches!(what, Happening::Lost { content: Content::Background })
}

#[test]
fn datagrams_that_a_path_loses_are_incomplete_and_cross_nothing() {
    let all_lost = "{ kind = \"schedule\", steps = \"time_s,loss\\n0,1\" }";
    let (tape, record) = run_taped(&network(all_lost, ""));
    let datagrams = tape.iter().filter(|entry| is_lost_datagram(&entry.what)).count() as u64;
    let segments = tape.iter().filter(|entry| matches!(entry.what, Happening::Lost { .. })).count() as u64 - datagrams;
    assert!(datagrams > 1000 && segments > 1, "{datagrams} datagrams, {segments} segments");
    assert_eq!(record.metrics.packets_lost, datagrams + segments);
    // At the end, what is on the line is still a background's: at most 8 ms of it.
    let ledger = &record.ledger;
    assert!(ledger.share(Cause::Background) <= 8.0 / 4000.0, "{ledger:?}");
    assert!(ledger.share(Cause::Incomplete) > 0.15, "{ledger:?}");
    assert_eq!(ledger.span(Cause::Useful).0, 0);
}

#[test]
fn a_datagram_that_is_lost_in_one_run_only_is_where_they_part() {
    let [clear, lossy] = ["time_s,loss\\n0,0", "time_s,loss\\n0,0\\n1.5,1"]
        .map(|steps| network(&format!("{{ kind = \"schedule\", steps = \"{steps}\" }}"), "traffic = \"www\""));
    let (tape, _) = run_taped(&lossy);
    let first = tape.iter().find(|entry| matches!(entry.what, Happening::Lost { .. })).expect("all is lost in the end");
    let divergence = compare([&clear, &lossy], |_| false).expect("nobody stops it").divergence.expect("they part");
    assert_eq!((divergence.time_ps, divergence.flow), (first.time.0, first.flow + 1));
}
