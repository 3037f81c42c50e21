//! Estimate of a run's cost from its beginning: a *pilot run* simulates some of its first events, and the rest is extrapolated.
//!
//! A scenario alone says what its lines could carry, not what is sent: transfers end, windows stay small, losses and outages keep lines idle.
//! A short run knows all that. One that ends within the pilot is known exactly; of a longer one, most of what decides its rate of
//! events has happened by then. Scenarios whose beginning is large are estimated from what their lines could carry.

use longfat_foundation::units::Time;

use crate::observer::Unobserved;
use crate::scenario::{Cost, Scenario};
use crate::simulation::{Driver, Simulation};

/// Events of a pilot: some milliseconds.
const EVENTS: u64 = 1 << 17;

/// Events between two looks at time and memory; more with many flows, because adding up their memory takes longer.
const PORTION: u64 = 1 << 11;

/// Most flows, and packets that their first windows send at once: they need memory and time before the events of a pilot can be counted.
const MOST_FLOWS: usize = 1 << 16;
const MOST_FIRST_PACKETS: f64 = (1 << 17) as f64;

/// A pilot stops when it holds so much memory.
const MOST_BYTES: usize = 256 << 20;

/// Memory that grows by more than this factor in the second half of a pilot is taken to grow on.
const GROWTH: f64 = 1.3;

/// How far a pilot has come.
#[derive(Clone, Copy)]
struct Mark {
    /// Share of the run.
    share: f64,
    events: f64,
    /// Most memory held so far.
    bytes: f64,
}

/// Estimates the cost of a run by its beginning, where that takes little memory and time; otherwise by the scenario alone.
#[must_use]
pub fn cost(scenario: &Scenario) -> Cost {
    let full = scenario.cost();
    if begins_large(scenario) {
        return full;
    }
    // An estimate does not run code of users, whose controls may not even be at hand.
    let stand_in = scenario.with_classical_controls();
    let (marks, is_over) = marks(stand_in.as_ref().unwrap_or(scenario));
    let Some(&last) = marks.last() else { return full };
    let (events, memory_bytes) = if is_over { (last.events, last.bytes) } else { extrapolated(&marks, &full) };
    let core_seconds = full.core_seconds * events / full.events.max(1.0);
    Cost { events, core_seconds, memory_bytes, ..full }
}

/// Whether a pilot would take much memory or time before its first events are over.
fn begins_large(scenario: &Scenario) -> bool {
    scenario.number_of_flows() > MOST_FLOWS || scenario.first_packets() > MOST_FIRST_PACKETS
}

/// Simulates the beginning, and returns how far it has come after each portion, and whether that was the whole run.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn marks(scenario: &Scenario) -> (Vec<Mark>, bool) {
    // By events, which stop at a count of events whatever happens between them.
    let mut simulation = Simulation::driven_by(Driver::Events, scenario, Unobserved);
    let (end, portion) = (simulation.end(), PORTION.max(scenario.number_of_flows() as u64));
    let (mut marks, mut is_over, mut most_bytes) = (Vec::new(), false, simulation.memory_bytes());
    while !is_over && simulation.events() < EVENTS && most_bytes < MOST_BYTES {
        is_over = simulation.advance_at_most(end, portion);
        most_bytes = most_bytes.max(simulation.memory_bytes());
        let share = share(simulation.now(), end);
        marks.push(Mark { share, events: simulation.events() as f64, bytes: most_bytes as f64 });
    }
    (marks, is_over)
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn share(now: Time, end: Time) -> f64 {
    now.0 as f64 / end.0 as f64
}

/// Events and memory of the whole run. Events go on at the rate of the second half of the pilot, when senders have begun, or at that of all
/// of it, which knows bursts.
fn extrapolated(marks: &[Mark], full: &Cost) -> (f64, f64) {
    let last = marks[marks.len() - 1];
    let start = Mark { share: 0.0, events: 0.0, bytes: marks[0].bytes };
    let half = marks.iter().rev().find(|mark| 2.0 * mark.share <= last.share).copied().unwrap_or(start);
    if last.share <= half.share {
        return (full.events.max(last.events), full.memory_bytes.max(last.bytes));
    }
    let left = 1.0 - last.share;
    let recent = (last.events - half.events) / (last.share - half.share);
    let events = last.events + left * recent.max(last.events / last.share);
    let grown = last.bytes + left * (last.bytes - half.bytes) / (last.share - half.share);
    let bytes =
        if last.bytes > GROWTH * half.bytes { grown.min(full.memory_bytes).max(last.bytes) } else { last.bytes };
    (events, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A flow with windows of 64 KiB over a line of 10 Mbit/s and a round trip of 200 ms.
    fn scenario(seconds: u32) -> Scenario {
        let text = format!(
            "schema_version = 1\nduration = \"{seconds} s\"\nport.buffer = \"1000 packets\"\nframing = \"packet\"\n\
             topology = {{ kind = \"n-source\", sources = 1, access = {{ rate = \"10 Mbit/s\", delay = \"5 us\" }}, bottleneck = {{ rate = \"10 Mbit/s\", delay = \"100 ms\" }} }}\n"
        );
        Scenario::parse(text.as_bytes(), "scenario.toml", &[]).expect("a valid scenario")
    }

    #[expect(clippy::cast_precision_loss, reason = "few events")]
    fn events(scenario: &Scenario) -> f64 {
        let mut simulation = Simulation::driven_by(Driver::Events, scenario, Unobserved);
        let end = simulation.end();
        while !simulation.advance_at_most(end, PORTION) {}
        simulation.events() as f64
    }

    #[test]
    fn a_run_that_ends_within_the_pilot_is_known_exactly() {
        let scenario = scenario(10);
        assert_eq!(cost(&scenario).events, events(&scenario));
    }

    #[test]
    fn a_longer_run_goes_on_as_it_has_begun() {
        let scenario = scenario(400);
        let (estimated, simulated) = (cost(&scenario).events, events(&scenario));
        assert!(simulated > EVENTS as f64, "{simulated} events end within the pilot");
        assert!((estimated / simulated - 1.0).abs() < 0.1, "{estimated}, not {simulated}");
    }
}
