//! Runs one scenario file and prints its record: a small program for profilers.
//!
//! `cargo run --release --example run_scenario -- SCENARIO [path=value]...`

use longfat_engine::{run, scenario::Scenario};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("a scenario file");
    let text = std::fs::read(&file).expect("a readable file");
    let overrides: Vec<_> = arguments
        .map(|argument| argument.split_once('=').map(|(path, value)| (path.into(), value.into())).expect("path=value"))
        .collect();
    match Scenario::parse(&text, &file, &overrides) {
        Ok(scenario) => {
            let record = run(&scenario).expect("conservation laws hold");
            println!("{}", serde_json::to_string_pretty(&record).expect("a record is JSON"));
        }
        Err(problems) => eprintln!("{}", problems.join("\n")),
    }
}
