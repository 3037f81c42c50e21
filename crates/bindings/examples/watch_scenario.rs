//! Runs one scenario file and writes its traces: a small program for profilers.
//!
//! `cargo run --release --package longfat-bindings --example watch_scenario -- SCENARIO FOLDER [TRACE,TRACE...] [path=value]...`; all traces
//! if none is named. With "unwatched" in place of a folder, it runs without traces.

use std::path::Path;

use longfat_engine::measure::RunRecord;
use longfat_engine::scenario::Scenario;
use longfat_engine::{Driver, Simulation, run_by};
use longfat_trace::{Wanted, Watcher};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("a scenario file");
    let folder = arguments.next().expect("a folder, or \"unwatched\"");
    let text = std::fs::read(&file).expect("a readable file");
    let (settings, names): (Vec<_>, Vec<_>) = arguments.partition(|argument| argument.contains('='));
    let overrides: Vec<_> = settings
        .iter()
        .map(|setting| setting.split_once('=').map(|(path, value)| (path.into(), value.into())).expect("path=value"))
        .collect();
    let names: Vec<String> = names.iter().flat_map(|names| names.split(',')).map(str::to_owned).collect();
    let ended = Scenario::parse(&text, &file, &overrides).and_then(|scenario| match folder.as_str() {
        "unwatched" => run_by(Driver::Fast, &scenario).map_err(|problem| vec![problem.to_string()]),
        folder => watch(&scenario, Path::new(folder), names),
    });
    match ended {
        Ok(record) => println!("{}", serde_json::to_string_pretty(&record).expect("a record is JSON")),
        Err(problems) => eprintln!("{}", problems.join("\n")),
    }
}

fn watch(scenario: &Scenario, folder: &Path, names: Vec<String>) -> Result<RunRecord, Vec<String>> {
    let one = |problem: String| vec![problem];
    let wanted = Wanted { names, error: Wanted::DEFAULT_ERROR, interval: None };
    let watcher = Watcher::start(scenario, Some((folder, &wanted)), None)?;
    let mut simulation = Simulation::driven_by(Driver::Fast, scenario, watcher);
    let end = simulation.end();
    simulation.advance(end);
    let (record, watcher) = simulation.finish_observed().map_err(|violation| one(violation.to_string()))?;
    watcher.finish(end, &record).map(|()| record).map_err(one)
}
