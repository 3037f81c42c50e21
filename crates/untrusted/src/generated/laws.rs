//! Laws that hold for a generated scenario, refused, stopped or run to its end.

use std::time::{Duration, Instant};

use longfat_batch::{Ended, Limits, simulate};
use longfat_engine::measure::RunRecord;
use longfat_engine::observer::Unobserved;
use longfat_engine::scenario::Scenario;
use longfat_engine::serde_json::Value as Json;
use longfat_engine::{Driver, Simulation, pilot};

use super::SOURCE;
use crate::refusal;

/// Limits of the runs.
#[derive(Clone, Copy)]
pub struct Bounds {
    /// Events of a run.
    pub events: u64,
    /// Memory of a run in bytes; a scenario that is estimated to need more is not run.
    pub memory_bytes: usize,
}

impl Bounds {
    fn limits(self) -> Limits {
        Limits { events: Some(self.events), wall: Some(PATIENCE), memory_bytes: Some(self.memory_bytes) }
    }
}

/// Outcome of a scenario.
pub enum Outcome {
    /// It was refused, with these messages.
    Refused(Vec<String>),
    /// It was not run: it is estimated to need more memory than allowed, or a program of its own.
    NotRun(&'static str),
    /// A limit stopped its run.
    Stopped {
        /// Canonical form.
        canonical: Json,
        /// Name of the limit.
        limit: &'static str,
        /// Estimated and simulated events.
        events: [f64; 2],
        /// Estimated and held bytes.
        memory: [f64; 2],
    },
    /// It ran to its end.
    Ended {
        /// Canonical form.
        canonical: Json,
        /// Estimated and simulated events.
        events: [f64; 2],
        /// Estimated and held bytes.
        memory: [f64; 2],
    },
}

/// Longest time of a run: nobody waits longer for so few events.
const PATIENCE: Duration = Duration::from_secs(300);

/// Events between two looks at the memory.
const PORTION: u64 = 2048;

/// Runs a scenario with both drivers, and panics if anything does not hold.
pub fn examine(text: &str, bounds: Bounds) -> Outcome {
    let scenario = match Scenario::parse(text.as_bytes(), SOURCE, &[]) {
        Ok(scenario) => scenario,
        Err(refusals) => {
            refusal::is_for_people(&refusals, SOURCE);
            return Outcome::Refused(refusals);
        }
    };
    let canonical = resolves_to_itself(&scenario);
    let cost = scenario.cost();
    assert!(cost.events.is_finite() && cost.events >= 0.0, "{cost:?}");
    assert!(cost.memory_bytes.is_finite() && cost.memory_bytes > 0.0, "{cost:?}");
    assert!(cost.core_seconds.is_finite() && cost.core_seconds >= 0.0, "{cost:?}");
    if !scenario.missing_controls().is_empty() {
        return Outcome::NotRun("a control that nobody provides");
    }
    if cost.memory_bytes > bounds.memory_bytes as f64 {
        return Outcome::NotRun("its memory");
    }
    let cost = pilot::cost(&scenario, Some(bounds.memory_bytes));
    let (by_events, fast) = (Run::by_events(&scenario, bounds), Run::fast(&scenario, bounds));
    let events = [cost.events, by_events.events as f64];
    let memory = [cost.memory_bytes, by_events.memory_bytes as f64];
    match (by_events.result, fast.result) {
        (Ok(record), Ok(other)) => {
            is_plausible(&record, &scenario);
            assert_eq!(without_driver(&record), without_driver(&other), "the drivers differ");
            assert_eq!(by_events.events, record.work.events, "events are counted twice or not at all");
            Outcome::Ended { canonical, events, memory }
        }
        (Err(limit), Err(other)) => {
            let either_may_be_first = limit == "memory" || other == "memory";
            assert!(limit == other || either_may_be_first, "by events it stops at {limit}, in the fast way at {other}");
            Outcome::Stopped { canonical, limit, events, memory }
        }
        (Err("memory"), Ok(_)) | (Ok(_), Err("memory")) => {
            Outcome::Stopped { canonical, limit: "memory", events, memory }
        }
        // Events are counted to the last one alone at the end.
        (Ok(record), Err("events")) if record.work.events >= bounds.events => {
            Outcome::Stopped { canonical, limit: "events", events, memory }
        }
        (Err("events"), Ok(record)) if record.work.events >= bounds.events => {
            Outcome::Stopped { canonical, limit: "events", events, memory }
        }
        (one, other) => {
            let ends = [one, other].map(|result| result.map(|record| record.work.events));
            panic!("one driver stops, the other does not: {ends:?}");
        }
    }
}

/// The canonical form, which must be a scenario with the same form and the same name.
fn resolves_to_itself(scenario: &Scenario) -> Json {
    let canonical = scenario.canonical();
    let again = Scenario::parse(canonical.as_bytes(), "resolved.json", &[]);
    let again = again.unwrap_or_else(|refusals| panic!("a resolved scenario is refused: {refusals:?}\n{canonical}"));
    assert_eq!(again.canonical(), canonical, "a resolved scenario resolves to another");
    assert_eq!(again.run_id(), scenario.run_id(), "a resolved scenario has another name");
    assert_eq!(again.cost(), scenario.cost(), "a resolved scenario has another cost");
    longfat_engine::serde_json::from_str(&canonical).expect("it is JSON")
}

/// A run under limits: its record or the name of the limit, its events, and the most memory that it held.
struct Run {
    result: Result<RunRecord, &'static str>,
    events: u64,
    memory_bytes: usize,
}

impl Run {
    /// By events, in portions between which memory and the conservation laws are looked at.
    fn by_events(scenario: &Scenario, bounds: Bounds) -> Self {
        let limits = bounds.limits();
        let started = Instant::now();
        let mut simulation = Simulation::driven_by(Driver::Events, scenario, Unobserved);
        let end = simulation.end();
        let mut memory_bytes = simulation.memory_bytes();
        while !simulation.advance_at_most(end, limits.portion(&simulation, PORTION)) {
            memory_bytes = memory_bytes.max(simulation.memory_bytes());
            simulation.audit().unwrap_or_else(|violation| panic!("on the way: {violation:?}"));
            if let Some(said) = limits.objection(&simulation, simulation.now(), started, true) {
                return Self { result: Err(limit_of(&said)), events: simulation.events(), memory_bytes };
            }
        }
        memory_bytes = memory_bytes.max(simulation.memory_bytes());
        Self::ended(simulation, memory_bytes)
    }

    /// Under lookahead, as programs run it.
    fn fast(scenario: &Scenario, bounds: Bounds) -> Self {
        let mut simulation = Simulation::driven_by(Driver::Fast, scenario, Unobserved);
        match simulate(&mut simulation, &bounds.limits(), || false, |_, _| {}) {
            Ok(()) => Self::ended(simulation, 0),
            Err(Ended::Limited(said)) => {
                Self { result: Err(limit_of(&said)), events: simulation.events(), memory_bytes: 0 }
            }
            Err(Ended::Stopped) => unreachable!("nobody asks it to stop"),
        }
    }

    fn ended(simulation: Simulation<Unobserved>, memory_bytes: usize) -> Self {
        let events = simulation.events();
        let record = simulation.finish().unwrap_or_else(|violation| panic!("at the end: {violation:?}"));
        Self { result: Ok(record), events, memory_bytes }
    }
}

/// Name of the limit that a message says.
fn limit_of(said: &str) -> &'static str {
    let limit = ["events", "memory"].into_iter().find(|name| said.contains(&format!("--limit {name}=")));
    limit.unwrap_or_else(|| panic!("stopped after {PATIENCE:?}, or at a limit without a name: {said}"))
}

/// The record as text, without the driver and what it says of itself.
fn without_driver(record: &RunRecord) -> String {
    let mut record = record.clone();
    record.work.driver = "";
    record.work.handed_over = None;
    longfat_engine::serde_json::to_string(&record).expect("a record is JSON")
}

/// Numbers are finite and none is negative, the ledger sums to the measured time, and no line carries more than it can.
fn is_plausible(record: &RunRecord, scenario: &Scenario) {
    let mut plain = record.clone();
    plain.scenario = Json::Null;
    let said = format!("{plain:?}");
    if let Some(number) = first_odd_number(&said) {
        panic!("a number of the record is {number}: {said}");
    }
    let measured = scenario.duration.0.0 - scenario.measure.from.0.0;
    assert_eq!(record.ledger.duration().0, measured, "the ledger does not sum to the duration: {:?}", record.ledger);
    for port in &record.ports {
        // A cell counts whole with the slot before it, also the one that the end cuts off.
        #[expect(clippy::cast_precision_loss, reason = "a count of cells")]
        let without_last = port.utilization * (1.0 - 1.0 / port.cells_out.max(1) as f64);
        assert!(without_last <= 1.0 + 1e-9, "a line that sends {} of the time", port.utilization);
    }
}

/// The first number of a record that is negative, infinite or none.
fn first_odd_number(said: &str) -> Option<&str> {
    let numbers = said.split([' ', '(', '[', ',', ')', ']', '}', '{']);
    numbers.filter(|word| !word.is_empty()).find(|word| {
        let is_negative = word.starts_with('-') && word[1..].starts_with(|c: char| c.is_ascii_digit() || c == 'i');
        *word == "NaN" || *word == "inf" || (is_negative && *word != "-0.0")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_no_record_should_have_are_found() {
        assert_eq!(first_odd_number("A { a: 1.0, b: Some(-2) }"), Some("-2"));
        assert_eq!(first_odd_number("A { a: [NaN], b: \"x-2\" }"), Some("NaN"));
        assert_eq!(first_odd_number("A { a: 1e-5, b: None }"), None);
    }
}
