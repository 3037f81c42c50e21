//! Traces are byte for byte the same with both drivers: over all kinds of lines, with and without bounds.

use std::fs;
use std::path::PathBuf;

use longfat_engine::scenario::Scenario;
use longfat_engine::{Driver, Simulation};
use longfat_trace::traces::TRACES;
use longfat_trace::{Wanted, Watcher};

/// A scenario with a bottleneck for `sources` connections; `more` has its other parts.
fn network(sources: u64, access: u64, bottleneck: u64, delay: &str, more: &str) -> String {
    format!(
        "schema_version = 1\nduration = \"300 ms\"\nseed = 3\n\
         topology = {{ kind = \"n-source\", sources = {sources}, access = {{ rate = \"{access} bit/s\", delay = \"{delay}\" }}, \
         bottleneck = {{ rate = \"{bottleneck} bit/s\", delay = \"{delay}\" }} }}\n{more}\n"
    )
}

const OC3: u64 = 155_520_000;
const VBR: &str =
    "background = [{ kind = \"vbr-on-off\", on = \"30 ms\", off = \"30 ms\", starts = \"on\", phase = \"0 s\" }]";

fn scenarios() -> Vec<String> {
    let of_class = |scheduler: &str| {
        let port = format!("port = {{ buffer = \"500 cells\", policy = \"selective-drop\", scheduler = {scheduler} }}");
        network(4, OC3, OC3, "1 ms", &format!("{port}\n{VBR}"))
    };
    vec![
        network(5, OC3, OC3, "5 us", "port = { buffer = \"1000 cells\", policy = \"tail-drop\" }"),
        network(6, OC3, OC3, "2 ms", "port = { buffer = \"900 cells\", policy = \"selective-drop\" }"),
        network(
            6,
            OC3,
            OC3,
            "2 ms",
            "port = { buffer = \"900 cells\", policy = \"fba\", arrival_order = \"rotating\" }",
        ),
        network(3, OC3, OC3, "1 ms", "port.buffer = \"4000 cells\"\ntcp.mss = \"9180 B\""),
        network(4, OC3, 45_000_000, "1 ms", "port = { buffer = \"700 cells\", policy = \"epd\" }"),
        network(4, OC3, 45_000_000, "1 ms", "port.buffer = \"700 cells\"\ntraffic = \"www\""),
        network(1, OC3, OC3, "1 ms", "port.buffer = \"300 cells\""),
        network(3, OC3, OC3, "1 ms", "port = { buffer = \"300 cells\", counts_cell_in_service = true }"),
        of_class("{ kind = \"guaranteed-rate\", guaranteed_rate = 0.1 }"),
        of_class("\"per-vc-fair\"").replace(VBR, ""),
        network(5, OC3, OC3, "1 ms", "framing = \"packet\"\nport.buffer = \"40 packets\""),
        network(
            5,
            OC3,
            OC3,
            "1 ms",
            "framing = \"ethernet\"\nport.buffer = \"40 packets\"\nconnections = [{ traffic = { kind = \"probe\", interval = \"3 ms\" } }, \
             { traffic = { kind = \"voip\", start = \"1 ms\" } }]",
        ),
        network(5, 2 * OC3, OC3, "1 ms", "framing = \"ethernet\"\nport.buffer = \"40 packets\"\ntraffic = \"www\""),
    ]
}

/// Writes all traces of a run; returns the name and contents of every file.
fn leave(scenario: &Scenario, driver: Driver, error: f64, name: &str) -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let wanted = Wanted { names: Vec::new(), error, interval: None };
    let watcher = Watcher::start(scenario, Some((&folder, &wanted)), None).expect("a folder that can be written");
    let mut simulation = Simulation::driven_by(driver, scenario, watcher);
    let end = simulation.end();
    // Traces must be complete wherever a driver pauses.
    simulation.advance(longfat_engine::units::Time(end.0 / 3));
    simulation.advance(end);
    assert_eq!(simulation.driver(), driver, "{name}");
    let (mut record, watcher) = simulation.finish_observed().unwrap_or_else(|violation| panic!("{violation}"));
    record.work.driver = "";
    record.work.handed_over = None;
    watcher.finish(end, &record).expect("files that can be written");
    let files = fs::read_dir(&folder).expect("the folder").map(|entry| entry.expect("a file"));
    let mut left: Vec<_> = files
        .map(|file| (file.file_name().to_string_lossy().into_owned(), fs::read(file.path()).expect("its bytes")))
        .collect();
    left.sort();
    fs::remove_dir_all(folder).expect("a folder of ours");
    left
}

#[test]
fn both_drivers_leave_the_same_traces() {
    for (number, text) in scenarios().into_iter().enumerate() {
        let scenario =
            Scenario::parse(text.as_bytes(), "scenario.toml", &[]).unwrap_or_else(|p| panic!("{p:?}\n{text}"));
        for (exactness, error) in [("every", 0.0), ("some", 0.005), ("few", 0.05)] {
            let leave =
                |driver: Driver| leave(&scenario, driver, error, &format!("{number}-{exactness}-{}", driver.name()));
            let (fast, events) = (leave(Driver::Fast), leave(Driver::Events));
            assert_eq!(fast.len(), TRACES.len() + 1, "every table, and what describes them");
            for ((name, fast), (_, events)) in fast.iter().zip(&events) {
                let differ = || format!("{name}, {exactness} change:\n{text}{}", first_difference(fast, events));
                assert!(fast == events, "{}", differ());
            }
        }
    }
}

/// First difference between two descriptions; tables are not compared.
fn first_difference(one: &[u8], other: &[u8]) -> String {
    let (one, other) = (String::from_utf8_lossy(one), String::from_utf8_lossy(other));
    let mut lines = one.lines().zip(other.lines()).filter(|(one, other)| one != other);
    lines.next().map_or(String::new(), |(one, other)| format!("{one}\n{other}").chars().take(400).collect())
}
