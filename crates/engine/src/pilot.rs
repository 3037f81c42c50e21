//! Estimate of a run's cost from its beginning: a *pilot run* simulates some of its first events, and the rest is extrapolated.
//!
//! A scenario alone says what its lines could carry, not what is sent: transfers end, windows stay small, losses and outages keep lines idle.
//! A short run knows all that. One that ends within the pilot is known exactly; of a longer one, most of what decides its rate of
//! events has happened by then. Scenarios whose beginning is large are estimated from what their lines could carry.
//!
//! The engine has no clock. Whoever has one times the simulation of the same beginning, and extrapolates by the events of the estimate.

use longfat_foundation::units::Time;

use crate::observer::Unobserved;
use crate::scenario::{Cost, Scenario};
use crate::simulation::{Driver, Simulation};

/// Events of a pilot: some milliseconds.
const EVENTS: u64 = 1 << 17;

/// Events of a pilot for each flow: a first window and what follows it. With fewer, all of many flows have only begun.
const EVENTS_PER_FLOW: u64 = 16;

/// Events between two looks at time and memory; more with many flows, because adding up their memory takes longer.
const PORTION: u64 = 1 << 11;

/// Most flows, and packets that their first windows send at once: they need memory and time before the events of a pilot can be counted.
const MOST_FLOWS: usize = 1 << 16;
const MOST_FIRST_PACKETS: f64 = (1 << 17) as f64;

/// A pilot stops when it holds so much memory.
const MOST_BYTES: usize = 256 << 20;

/// Memory, or packets under way, that grow by more than this factor in the second half of a pilot's events are taken to grow on.
const GROWTH: f64 = 1.05;

/// Estimate from the beginning of a run.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    /// Number of events.
    pub events: f64,
    /// Memory in bytes.
    pub memory_bytes: f64,
    /// Parameter that most of the memory is due to.
    pub memory_due_to: &'static str,
    /// The beginning that has been simulated; none if it is large.
    pub begun: Option<Begun>,
}

/// The simulated beginning of a run.
#[derive(Clone, Copy, Debug)]
pub struct Begun {
    /// Its end.
    pub until: Time,
    /// Its events.
    pub events: f64,
}

/// How far a pilot has come.
#[derive(Clone, Copy)]
struct Mark {
    /// Share of the run.
    share: f64,
    events: f64,
    /// Most memory held so far.
    bytes: f64,
    /// Most packets under way so far: they grow steadily where allocated memory doubles.
    packets: f64,
}

/// Estimates the cost of a run by its beginning, where that takes little memory and time; otherwise by the scenario alone.
#[must_use]
pub fn estimate(scenario: &Scenario) -> Estimate {
    let full = scenario.cost();
    let by_scenario = Estimate {
        events: full.events,
        memory_bytes: full.memory_bytes,
        memory_due_to: full.memory_due_to,
        begun: None,
    };
    if begins_large(scenario) {
        return by_scenario;
    }
    let mut simulation = simulation(scenario, Driver::Events);
    let (marks, is_over) = marks(&mut simulation, scenario.number_of_flows() as u64);
    let Some(&last) = marks.last() else { return by_scenario };
    let until = if is_over { simulation.end() } else { simulation.now() };
    let (events, memory_bytes) =
        if is_over { (last.events, last.bytes) } else { (events(&marks, &full), bytes(&marks, &full)) };
    Estimate { events, memory_bytes, begun: Some(Begun { until, events: last.events }), ..by_scenario }
}

/// Simulates a run until a time as programs run it, and forgets it: for the clocks of others.
pub fn simulate_until(scenario: &Scenario, until: Time) {
    simulation(scenario, Driver::Fast).advance(until);
}

/// A run of a scenario, without code of users: an estimate does not execute it, and it may not even be at hand.
fn simulation(scenario: &Scenario, driver: Driver) -> Simulation<Unobserved> {
    let stand_in = scenario.with_classical_controls();
    Simulation::driven_by(driver, stand_in.as_ref().unwrap_or(scenario), Unobserved)
}

/// Whether a pilot would take much memory or time before its first events are over.
fn begins_large(scenario: &Scenario) -> bool {
    scenario.number_of_flows() > MOST_FLOWS || scenario.first_packets() > MOST_FIRST_PACKETS
}

/// Simulates the beginning, and returns how far it has come after each portion, and whether that was the whole run.
// By events, which stop at a count of events whatever happens between them.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn marks(simulation: &mut Simulation<Unobserved>, flows: u64) -> (Vec<Mark>, bool) {
    let (end, portion, most_events) = (simulation.end(), PORTION.max(flows), EVENTS.max(EVENTS_PER_FLOW * flows));
    let (mut marks, mut is_over, mut most_bytes) = (Vec::new(), false, simulation.memory_bytes());
    while !is_over && simulation.events() < most_events && most_bytes < MOST_BYTES {
        is_over = simulation.advance_at_most(end, portion);
        most_bytes = most_bytes.max(simulation.memory_bytes());
        marks.push(Mark {
            share: simulation.now().0 as f64 / end.0 as f64,
            events: simulation.events() as f64,
            bytes: most_bytes as f64,
            packets: simulation.most_packets() as f64,
        });
    }
    (marks, is_over)
}

/// The last mark at which no more than half of a quantity of the pilot was over; a mark without time and events if there is none.
fn half_by(marks: &[Mark], quantity: impl Fn(&Mark) -> f64) -> Mark {
    let last = quantity(&marks[marks.len() - 1]);
    let start = Mark { share: 0.0, events: 0.0, ..marks[0] };
    marks.iter().rev().find(|mark| 2.0 * quantity(mark) <= last).copied().unwrap_or(start)
}

/// Events of the whole run. They go on at the geometric mean of the rates in the second half of the pilot's time and in that of its events.
/// In one of them senders are as fast as they get, the other knows the pauses between bursts.
fn events(marks: &[Mark], full: &Cost) -> f64 {
    let last = marks[marks.len() - 1];
    let since = |half: Mark| (last.share > half.share).then(|| (last.events - half.events) / (last.share - half.share));
    let Some(of_time) = since(half_by(marks, |mark| mark.share)) else { return full.events.max(last.events) };
    let of_events = since(half_by(marks, |mark| mark.events)).unwrap_or(of_time);
    last.events + (1.0 - last.share) * (of_time * of_events).sqrt()
}

/// Memory of the whole run. What still grows at the end of the pilot goes on to grow by as much in as much time, up to what the scenario can
/// hold: a queue that fills in an hour is as full as one that fills at once.
fn bytes(marks: &[Mark], full: &Cost) -> f64 {
    let last = marks[marks.len() - 1];
    let half = half_by(marks, |mark| mark.events);
    let growth = (last.bytes / half.bytes).max(last.packets / half.packets.max(1.0));
    if growth <= GROWTH {
        return last.bytes;
    }
    let times = (1.0 - last.share) / (last.share - half.share).max(f64::EPSILON);
    let grown = last.bytes * (1.0 + (growth - 1.0) * times);
    // What has been passed already is no bound.
    if last.bytes < full.memory_bytes { grown.min(full.memory_bytes) } else { grown }
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
    fn simulated(scenario: &Scenario) -> f64 {
        let mut simulation = Simulation::driven_by(Driver::Events, scenario, Unobserved);
        let end = simulation.end();
        while !simulation.advance_at_most(end, PORTION) {}
        simulation.events() as f64
    }

    #[test]
    fn a_run_that_ends_within_the_pilot_is_known_exactly() {
        let scenario = scenario(10);
        let estimate = estimate(&scenario);
        assert_eq!(estimate.events, simulated(&scenario));
        assert_eq!(
            estimate.begun.map(|begun| (begun.until, begun.events)),
            Some((Time(10_000_000_000_000), estimate.events))
        );
    }

    #[test]
    fn a_longer_run_goes_on_as_it_has_begun() {
        let scenario = scenario(400);
        let (estimated, simulated) = (estimate(&scenario).events, simulated(&scenario));
        assert!(simulated > EVENTS as f64, "{simulated} events end within the pilot");
        assert!((estimated / simulated - 1.0).abs() < 0.1, "{estimated}, not {simulated}");
    }

    fn mark(share: f64, bytes: f64, packets: f64) -> Mark {
        Mark { share, events: 1e6 * share, bytes, packets }
    }

    fn full(memory_bytes: f64) -> Cost {
        Cost { events: 1e6, core_seconds: 1.0, memory_bytes, memory_due_to: "port.buffer" }
    }

    #[test]
    fn memory_that_grows_at_the_end_of_the_pilot_grows_on_up_to_what_the_scenario_can_hold() {
        let grown = [mark(0.05, 100.0, 10.0), mark(0.1, 200.0, 20.0)];
        assert_eq!(bytes(&grown, &full(1e6)), 200.0 * (1.0 + 18.0));
        assert_eq!(bytes(&grown, &full(1000.0)), 1000.0);
        assert_eq!(bytes(&grown, &full(150.0)), 200.0 * (1.0 + 18.0), "150 bytes are no bound");
    }

    #[test]
    fn packets_that_become_more_are_growth_before_their_memory_doubles() {
        let steady = [mark(0.05, 100.0, 10.0), mark(0.1, 100.0, 10.0)];
        assert_eq!(bytes(&steady, &full(1e6)), 100.0);
        let growing = [mark(0.05, 100.0, 10.0), mark(0.1, 100.0, 15.0)];
        assert_eq!(bytes(&growing, &full(1e6)), 100.0 * (1.0 + 0.5 * 18.0));
    }

    #[test]
    fn events_after_a_pause_go_on_neither_as_in_the_burst_nor_as_with_the_pause() {
        let at = |share, events| Mark { share, events, bytes: 1.0, packets: 1.0 };
        // Nothing for 0.09 of the run, then 10,000 in 0.01 of it.
        let marks = [at(0.09, 0.0), at(0.095, 5000.0), at(0.1, 10_000.0)];
        let (whole, burst): (f64, f64) = (1e5, 1e6);
        let expected = 10_000.0 + 0.9 * (whole * burst).sqrt();
        assert!((events(&marks, &full(1.0)) / expected - 1.0).abs() < 1e-9);
    }
}
