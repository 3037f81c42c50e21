//! Traces of stacks: each tells what it knows, and no more.

use std::fs;
use std::path::PathBuf;

use longfat_engine::scenario::Scenario;
use longfat_engine::{Driver, Simulation};
use longfat_trace::{Wanted, Watcher};

/// Rows of each trace of a run over a stack, on which packets are lost.
fn rows(stack: &str) -> Vec<(String, u64)> {
    let text = format!(
        "schema_version = 1\nduration = \"2 s\"\nframing = \"packet\"\nstack = \"{stack}\"\nport.buffer = \"20 packets\"\n\
         topology = {{ kind = \"n-source\", sources = 2, access = {{ rate = \"10 Mbit/s\", delay = \"1 ms\" }}, \
         bottleneck = {{ rate = \"5 Mbit/s\", delay = \"20 ms\" }} }}\n"
    );
    let scenario = Scenario::parse(text.as_bytes(), "scenario.toml", &[]).expect("it is sound");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("stacks-{stack}"));
    let wanted = Wanted { names: Vec::new(), error: 0.0, interval: None };
    let watcher = Watcher::start(&scenario, Some((&folder, &wanted)), None).expect("a folder that can be written");
    let mut simulation = Simulation::driven_by(Driver::Events, &scenario, watcher);
    let end = simulation.end();
    simulation.advance(end);
    let (record, watcher) = simulation.finish_observed().unwrap_or_else(|violation| panic!("{violation}"));
    watcher.finish(end, &record).expect("files that can be written");
    let described = fs::read(folder.join("traces.json")).expect("the description");
    let described: serde_json::Value = serde_json::from_slice(&described).expect("it is JSON");
    fs::remove_dir_all(folder).expect("a folder of ours");
    let traces = described["traces"].as_array().expect("a list").iter();
    let row = |trace: &serde_json::Value| Some((trace["name"].as_str()?.to_owned(), trace["rows"].as_u64()?));
    traces.filter_map(row).collect()
}

#[test]
fn a_stack_tells_what_it_knows() {
    for (stack, told) in [
        ("quic", &["cwnd", "ssthresh", "flight", "rto", "rtt", "srtt", "packets", "frames", "packets-lost"][..]),
        ("quinn", &["cwnd", "ssthresh", "rtt", "srtt", "packets", "frames"]),
        ("smoltcp", &["flight"]),
    ] {
        let of_senders = ["cwnd", "ssthresh", "flight", "rto", "rtt", "srtt", "packets", "frames", "packets-lost"];
        let rows = rows(stack);
        for name in of_senders {
            let (_, rows) = rows.iter().find(|(known, _)| known == name).expect("every trace is there");
            assert_eq!(*rows > 0, told.contains(&name), "{stack}: {name} has {rows} rows");
        }
    }
}
