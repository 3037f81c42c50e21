//! Runs one scenario file and prints its record: a small program for profilers.
//!
//! `cargo run --release --package longfat-bindings --example run_scenario -- SCENARIO [events] [path=value]...`; "events" keeps the fast driver out.

use longfat_engine::scenario::Scenario;
use longfat_engine::{Driver, run_by};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("a scenario file");
    let text = std::fs::read(&file).expect("a readable file");
    let mut arguments = arguments.peekable();
    let driver = arguments.next_if_eq(Driver::Events.name()).map_or(Driver::Fast, |_| Driver::Events);
    let overrides: Vec<_> = arguments
        .map(|argument| argument.split_once('=').map(|(path, value)| (path.into(), value.into())).expect("path=value"))
        .collect();
    match Scenario::parse(&text, &file, &overrides) {
        Ok(scenario) => {
            let record = run_by(driver, &scenario).expect("conservation laws hold");
            println!("{}", serde_json::to_string_pretty(&record).expect("a record is JSON"));
        }
        Err(problems) => eprintln!("{}", problems.join("\n")),
    }
}
