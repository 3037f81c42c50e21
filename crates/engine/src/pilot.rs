//! Estimate of a run's cost from its beginning: a *pilot run* simulates some of its first events, and the rest is extrapolated.
//!
//! A scenario alone says what its lines could carry, not what is sent: transfers end, windows stay small, losses and outages keep lines idle.
//! A short run knows all that. One that ends within the pilot is known exactly; of a longer one, most of what decides its rate of
//! events has happened by then. Scenarios with so many connections that they alone take much memory are estimated from what their lines
//! could carry.
//!
//! The engine has no clock. Whoever has one hands it over, and seconds are extrapolated as events are.

use crate::observer::Unobserved;
use crate::scenario::{Cost, Scenario};
use crate::simulation::{Driver, Simulation};

/// Events of a pilot: some milliseconds.
const EVENTS: u64 = 1 << 17;

/// Events of a pilot for each flow: a first window and what follows it. With fewer, all of many flows have only begun.
const EVENTS_PER_FLOW: u64 = 16;

/// Events between two looks at time and memory; more with many flows, because adding up their memory takes longer.
const PORTION: u64 = 1 << 11;

/// Most memory that connections and their first windows may take, before the events of a pilot can be counted: a second of work, for
/// 100,000 connections with first windows of ten segments.
const MOST_FIRST_BYTES: usize = 1 << 30;

/// A pilot stops when it holds so much more.
const MOST_MORE_BYTES: usize = 256 << 20;

/// Memory, or packets under way, that grow by more than this factor in the second half of a pilot's events are taken to grow on.
const GROWTH: f64 = 1.05;

/// How far a pilot has come.
#[derive(Clone, Copy)]
struct Mark {
    /// Share of the run.
    share: f64,
    /// Events or seconds so far.
    done: f64,
}

/// Most that a pilot has held so far.
#[derive(Clone, Copy)]
struct Held {
    bytes: f64,
    /// Packets under way: they grow steadily where allocated memory doubles.
    packets: f64,
}

/// Estimates the cost of a run by its beginning, where that takes little memory and time, and no more than the `most_bytes` of the run;
/// otherwise by the scenario alone.
///
/// Seconds are in proportion to events; [`seconds`] knows better.
#[must_use]
pub fn cost(scenario: &Scenario, most_bytes: Option<usize>) -> Cost {
    let full = scenario.cost();
    let first_bytes = first_bytes(scenario);
    if first_bytes > MOST_FIRST_BYTES.min(most_bytes.unwrap_or(usize::MAX)) {
        return full;
    }
    // By events, which stop at a count of events whatever happens between them.
    let mut simulation = simulation(scenario, Driver::Events);
    let (marks, held) =
        marks(&mut simulation, scenario.number_of_flows() as u64, first_bytes.saturating_add(MOST_MORE_BYTES));
    let events = extrapolated(&marks).unwrap_or_else(|| full.events.max(marks[marks.len() - 1].done));
    let core_seconds = full.core_seconds * events / full.events.max(1.0);
    Cost { events, core_seconds, memory_bytes: bytes(&marks, &held, &full), ..full }
}

/// Estimates the seconds of a run by simulating its beginning as programs run it, for at most about `most` seconds besides its set-up.
/// `clock` says the seconds since a fixed time. None if the beginning is large, or stands still.
pub fn seconds(scenario: &Scenario, most: f64, mut clock: impl FnMut() -> f64) -> Option<f64> {
    if first_bytes(scenario) > MOST_FIRST_BYTES {
        return None;
    }
    let begun = clock();
    let mut simulation = simulation(scenario, Driver::Fast);
    let mut since_begun = || clock() - begun;
    let set_up = since_begun();
    let (mut marks, mut is_over) = (vec![Mark { share: 0.0, done: set_up }], false);
    while !is_over && marks[marks.len() - 1].done < set_up + most {
        is_over = simulation.advance_at_most(simulation.end(), PORTION);
        let mark = Mark { share: if is_over { 1.0 } else { share(&simulation) }, done: since_begun() };
        // A run that is handed over has begun again.
        marks.retain(|before| before.share < mark.share);
        marks.push(mark);
    }
    extrapolated(&marks)
}

/// A run of a scenario, without code of users: an estimate does not execute it, and it may not even be at hand.
fn simulation(scenario: &Scenario, driver: Driver) -> Simulation<Unobserved> {
    let stand_in = scenario.with_classical_controls();
    Simulation::driven_by(driver, stand_in.as_ref().unwrap_or(scenario), Unobserved)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a large number stays large")]
fn first_bytes(scenario: &Scenario) -> usize {
    scenario.first_bytes() as usize
}

/// Simulates the beginning, and returns how far it had come and what it held, at first and after each portion.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn marks(simulation: &mut Simulation<Unobserved>, flows: u64, enough_bytes: usize) -> (Vec<Mark>, Vec<Held>) {
    let (portion, most_events) = (PORTION.max(flows), EVENTS.max(EVENTS_PER_FLOW * flows));
    let (mut is_over, mut most_bytes) = (false, simulation.memory_bytes());
    let held = |bytes: usize, packets: usize| Held { bytes: bytes as f64, packets: packets as f64 };
    let (mut marks, mut all_held) = (vec![Mark { share: 0.0, done: 0.0 }], vec![held(most_bytes, 0)]);
    while !is_over && simulation.events() < most_events && most_bytes < enough_bytes {
        is_over = simulation.advance_at_most(simulation.end(), portion);
        most_bytes = most_bytes.max(simulation.memory_bytes());
        let share = if is_over { 1.0 } else { share(simulation) };
        marks.push(Mark { share, done: simulation.events() as f64 });
        all_held.push(held(most_bytes, simulation.most_packets()));
    }
    (marks, all_held)
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn share(simulation: &Simulation<Unobserved>) -> f64 {
    simulation.now().0 as f64 / simulation.end().0 as f64
}

/// Index of the last mark at which no more than half of the pilot was over, of its time or of what was done.
fn half(marks: &[Mark], quantity: impl Fn(&Mark) -> f64) -> usize {
    let (first, last) = (quantity(&marks[0]), quantity(&marks[marks.len() - 1]));
    marks.iter().rposition(|mark| 2.0 * (quantity(mark) - first) <= last - first).unwrap_or(0)
}

/// Events or seconds of the whole run. They go on at the geometric mean of the rates in the second half of the pilot's time and in that of
/// its events or seconds. In one of them senders are as fast as they get, the other knows the pauses between bursts. None without time.
fn extrapolated(marks: &[Mark]) -> Option<f64> {
    let last = marks[marks.len() - 1];
    if last.share >= 1.0 {
        return Some(last.done);
    }
    let since = |mark: Mark| (last.share > mark.share).then(|| (last.done - mark.done) / (last.share - mark.share));
    let of_time = since(marks[half(marks, |mark| mark.share)])?;
    let of_done = since(marks[half(marks, |mark| mark.done)]).unwrap_or(of_time);
    Some(last.done + (1.0 - last.share) * (of_time * of_done).sqrt())
}

/// Memory of the whole run. What still grows at the end of the pilot goes on to grow by as much in as much time, up to what the scenario can
/// hold: a queue that fills in an hour is as full as one that fills at once.
fn bytes(marks: &[Mark], held: &[Held], full: &Cost) -> f64 {
    let half = half(marks, |mark| mark.done);
    let (last, most) = (marks[marks.len() - 1], held[held.len() - 1]);
    let growth = (most.bytes / held[half].bytes).max(most.packets / held[half].packets.max(1.0));
    if last.share >= 1.0 || growth <= GROWTH {
        return most.bytes;
    }
    let times = (1.0 - last.share) / (last.share - marks[half].share).max(f64::EPSILON);
    let grown = most.bytes * (1.0 + (growth - 1.0) * times);
    // What has been passed already is no bound.
    if most.bytes < full.memory_bytes { grown.min(full.memory_bytes) } else { grown }
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
        assert_eq!(cost(&scenario, None).events, simulated(&scenario));
    }

    #[test]
    fn a_longer_run_goes_on_as_it_has_begun() {
        let scenario = scenario(400);
        let (estimated, simulated) = (cost(&scenario, None).events, simulated(&scenario));
        assert!(simulated > EVENTS as f64, "{simulated} events end within the pilot");
        assert!((estimated / simulated - 1.0).abs() < 0.1, "{estimated}, not {simulated}");
    }

    /// Estimated memory of a run of which a pilot has simulated a tenth, and held so many bytes and packets at its half and at its end.
    fn extrapolated_bytes(half: (f64, f64), end: (f64, f64), bound: f64) -> f64 {
        let marks = [(0.0, 0.0), (0.05, 50.0), (0.1, 100.0)].map(|(share, done)| Mark { share, done });
        let held = [(1.0, 0.0), half, end].map(|(bytes, packets)| Held { bytes, packets });
        let full = Cost { events: 1e6, core_seconds: 1.0, memory_bytes: bound, memory_due_to: "port.buffer" };
        bytes(&marks, &held, &full)
    }

    #[test]
    fn memory_that_grows_at_the_end_of_the_pilot_grows_on_up_to_what_the_scenario_can_hold() {
        let (half, end) = ((100.0, 10.0), (200.0, 20.0));
        assert!((extrapolated_bytes(half, end, 1e6) / (200.0 * 19.0) - 1.0).abs() < 1e-9);
        assert_eq!(extrapolated_bytes(half, end, 1000.0), 1000.0);
        assert!(extrapolated_bytes(half, end, 150.0) > 1000.0, "150 bytes are no bound");
        assert_eq!(extrapolated_bytes(end, end, 1e6), 200.0);
    }

    #[test]
    fn packets_that_become_more_are_growth_before_their_memory_doubles() {
        assert!((extrapolated_bytes((100.0, 10.0), (100.0, 15.0), 1e6) / (100.0 * 10.0) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn events_after_a_pause_go_on_neither_as_in_the_burst_nor_as_with_the_pause() {
        // Nothing for 0.09 of the run, then 10,000 in 0.01 of it.
        let marks = [(0.0, 0.0), (0.09, 0.0), (0.095, 5000.0), (0.1, 10_000.0)];
        let marks = marks.map(|(share, done)| Mark { share, done });
        let (whole, burst): (f64, f64) = (1e5, 1e6);
        let expected = 10_000.0 + 0.9 * (whole * burst).sqrt();
        assert!((extrapolated(&marks).expect("a rate") / expected - 1.0).abs() < 1e-9);
    }

    #[test]
    fn seconds_are_those_of_the_set_up_and_of_the_beginning_again_and_again() {
        // Each look at the clock is a second after the last.
        let looks = std::cell::Cell::new(0.0);
        let clock = || {
            looks.set(looks.get() + 1.0);
            looks.get()
        };
        let whole = seconds(&scenario(400), f64::INFINITY, clock).expect("a small beginning");
        looks.set(0.0);
        let estimated = seconds(&scenario(400), whole / 10.0, clock).expect("a small beginning");
        assert!(looks.get() < whole / 5.0);
        assert!((estimated / whole - 1.0).abs() < 0.2, "{estimated}, not {whole}");
    }
}
