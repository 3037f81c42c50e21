//! Examines the scenarios of many seeds: `generated --from SEED --count N [--events N] [--text SEED]`.
//!
//! Prints one line of JSON at the end. A seed for which something does not hold is printed with its scenario, which `longfat run` repeats.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Instant;

use longfat_engine::serde_json::json;
use longfat_untrusted::generated::{Bounds, Coverage, Generated, Outcome, examine, generated};

/// Events that a scenario is estimated to take at most if nothing else is asked for; a run is stopped at so many times more.
const ESTIMATED_EVENTS: u64 = 50_000;
const TIMES_ESTIMATED: u64 = 4;

/// Memory of a run in bytes.
const MEMORY_BYTES: usize = 256 << 20;

/// Seeds that are printed with their scenarios before the rest is only counted.
const MOST_PRINTED: usize = 20;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str| {
        let place = arguments.iter().position(|argument| argument == name)?;
        arguments.get(place + 1)?.parse::<u64>().ok()
    };
    let most_events = option("--events").unwrap_or(ESTIMATED_EVENTS);
    let bounds = Bounds { events: TIMES_ESTIMATED.saturating_mul(most_events), memory_bytes: MEMORY_BYTES };
    #[expect(clippy::cast_precision_loss, reason = "as asked for, nearly")]
    let drawn_of = |seed| generated(seed, most_events as f64);
    if let Some(seed) = option("--text") {
        print!("{}", drawn_of(seed).text);
        return ExitCode::SUCCESS;
    }
    let (from, count) = (option("--from").unwrap_or(0), option("--count").unwrap_or(1000));
    let is_listed = arguments.iter().any(|argument| argument == "--list");
    let mut tally = Tally::default();
    let mut coverage = Coverage::of_declarations();
    for seed in from..from.saturating_add(count) {
        let started = Instant::now();
        let drawn = catch_unwind(|| drawn_of(seed)).unwrap_or_default();
        let outcome = catch_unwind(AssertUnwindSafe(|| examine(&drawn.text, bounds)));
        let milliseconds = started.elapsed().as_secs_f64() * 1e3;
        tally.add(seed, &drawn, outcome.ok(), &mut coverage, is_listed, milliseconds);
    }
    let unseen: Vec<_> = coverage.seen_less_than(1).map(|(kind, name, _)| format!("{kind}: {name}")).collect();
    println!(
        "{}",
        json!({
            "executions": count,
            "outcomes": tally.outcomes,
            "declared": coverage.declared(),
            "unseen": unseen,
            "failed": tally.failed,
            "events": quantiles(&mut tally.events),
            "memory": quantiles(&mut tally.memory),
        })
    );
    if tally.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Outcomes of the scenarios so far.
#[derive(Default)]
struct Tally {
    outcomes: BTreeMap<String, u64>,
    failed: Vec<u64>,
    /// Logarithms of estimated by simulated events, and bytes.
    events: Vec<f64>,
    memory: Vec<f64>,
}

impl Tally {
    fn add(
        &mut self,
        seed: u64,
        drawn: &Generated,
        outcome: Option<Outcome>,
        coverage: &mut Coverage,
        is_listed: bool,
        milliseconds: f64,
    ) {
        let (name, line) = match outcome {
            None => {
                if self.failed.len() < MOST_PRINTED {
                    eprintln!("seed {seed} fails with this scenario:\n{}", drawn.text);
                }
                self.failed.push(seed);
                ("failed".to_owned(), String::new())
            }
            Some(Outcome::Refused(refusals)) => ("refused".into(), refusals.join(" | ")),
            Some(Outcome::NotRun(why)) => (format!("not run: {why}"), String::new()),
            Some(Outcome::Stopped { canonical, limit, events, memory }) => {
                coverage.count(&drawn.scenario, &canonical);
                // So many events at least: the estimate may be too low, not too high.
                let ratio = ratio(events, 1000.0).min(0.0);
                self.events.push(ratio);
                self.memory.push(ratio_of_stopped_memory(memory));
                (format!("stopped: {limit}"), format!("{events:?} {memory:?}"))
            }
            Some(Outcome::Ended { canonical, events, memory }) => {
                coverage.count(&drawn.scenario, &canonical);
                self.events.push(ratio(events, 1000.0));
                self.memory.push(ratio(memory, 65536.0));
                ("ended".into(), format!("{events:?} {memory:?}"))
            }
        };
        if is_listed {
            println!("{seed} {milliseconds:.1} {name} {line}");
        }
        *self.outcomes.entry(name).or_default() += 1;
    }
}

fn ratio_of_stopped_memory(memory: [f64; 2]) -> f64 {
    ratio(memory, 65536.0).min(0.0)
}

/// Decimal logarithm of estimate by truth, where both are at least `least`: less costs nothing.
fn ratio([estimated, taken]: [f64; 2], least: f64) -> f64 {
    (estimated.max(least) / taken.max(least)).log10()
}

/// Quantiles of the factor by which estimates are too low or too high.
fn quantiles(logarithms: &mut [f64]) -> longfat_engine::serde_json::Value {
    let mut factors: Vec<f64> = logarithms.iter().map(|log| log.abs()).collect();
    factors.sort_by(f64::total_cmp);
    logarithms.sort_by(f64::total_cmp);
    let at = |share: f64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "an index"
        )]
        let place = ((factors.len() as f64 * share) as usize).min(factors.len().saturating_sub(1));
        factors.get(place).map(|log| 10_f64.powf(*log))
    };
    json!({
        "runs": factors.len(),
        "median": at(0.5),
        "p99": at(0.99),
        "p99.9": at(0.999),
        "worst": at(1.0),
        "beyond_ten": factors.iter().filter(|log| **log > 1.0).count(),
        "lowest": logarithms.first().map(|log| 10_f64.powf(*log)),
        "highest": logarithms.last().map(|log| 10_f64.powf(*log)),
    })
}
