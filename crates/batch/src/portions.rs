//! Simulation in portions, between which limits and requests to stop are looked at.

use std::time::{Duration, Instant};

use longfat_engine::observer::Observer;
use longfat_engine::units::{Span, Time};
use longfat_engine::{Driver, Simulation};

use crate::Limits;

/// Most events of a portion: some tenths of a millisecond of ordinary work.
const MOST_EVENTS: u64 = 1 << 10;

/// A portion that takes longer than this is followed by a smaller one: its events are heavy.
const LONG: Duration = Duration::from_millis(50);

/// Memory is looked at after so many events, or after this time: to add it up takes a time proportional to the number of flows.
const EVENTS_BETWEEN_MEMORY: u64 = 1 << 16;
const BETWEEN_MEMORY: Duration = Duration::from_millis(200);

/// Target of events per slice of the fast driver, which counts most events only at the end of a slice: it advances by a time that has
/// recently taken about as many, and pauses on the way.
const FAST_EVENTS: u64 = 1 << 20;

/// The fast driver's first slice is the run divided by this.
const FIRST_SLICES: u64 = 1 << 12;

/// The end of a run before its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was asked to stop.
    Stopped,
    /// It has exceeded a limit, which the message names.
    Limited(String),
}

/// Simulates to the end, unless a limit is exceeded or `is_stopped`. Calls `passed` with the time before and after each portion.
///
/// # Errors
/// Why the end was not reached.
pub fn simulate<O: Observer>(
    simulation: &mut Simulation<O>,
    limits: &Limits,
    mut is_stopped: impl FnMut() -> bool,
    mut passed: impl FnMut(Time, Time),
) -> Result<(), Ended> {
    let mut portions = Portions::of(simulation);
    while !portions.is_over {
        let before = portions.now;
        portions.advance(simulation, limits);
        passed(before, portions.now);
        if is_stopped() {
            return Err(Ended::Stopped);
        }
        if portions.is_over {
            return portions.check_events(simulation, limits);
        }
        let looks_at_memory = portions.is_time_for_memory();
        if let Some(objection) = limits.objection(simulation, portions.now, portions.started, looks_at_memory) {
            return Err(Ended::Limited(objection));
        }
    }
    Ok(())
}

/// Progress of a run in portions.
struct Portions {
    started: Instant,
    /// The time before which all is simulated, of the end systems at least.
    now: Time,
    is_over: bool,
    /// Events of the next portion.
    events: u64,
    /// Events since memory was looked at, and when that was.
    since_memory: u64,
    memory_seen: Instant,
    slice: Slice,
}

/// A slice of time of the fast driver.
struct Slice {
    length: Span,
    /// Where the present one ends, unless it is over, and events before it.
    until: Option<Time>,
    events_before: u64,
}

impl Portions {
    fn of<O: Observer>(simulation: &Simulation<O>) -> Self {
        let started = Instant::now();
        let length = Span(simulation.end().0.div_ceil(FIRST_SLICES));
        let slice = Slice { length, until: None, events_before: 0 };
        Self {
            started,
            now: Time::ZERO,
            is_over: false,
            events: MOST_EVENTS,
            since_memory: EVENTS_BETWEEN_MEMORY,
            memory_seen: started,
            slice,
        }
    }

    /// Simulates the next portion.
    fn advance<O: Observer>(&mut self, simulation: &mut Simulation<O>, limits: &Limits) {
        let began = Instant::now();
        match simulation.driver() {
            Driver::Events => {
                let (end, portion) = (simulation.end(), limits.portion(simulation, self.events));
                self.is_over = simulation.advance_at_most(end, portion);
            }
            Driver::Fast => self.advance_fast(simulation),
        }
        self.now = if self.is_over { simulation.end() } else { self.now.max(simulation.now()) };
        self.since_memory += self.events;
        self.events =
            if began.elapsed() > LONG { (self.events / 4).max(1) } else { (self.events * 2).min(MOST_EVENTS) };
    }

    /// Simulates to the end of the slice, or to a pause before it. Then adapts the slice to the number of its events.
    fn advance_fast<O: Observer>(&mut self, simulation: &mut Simulation<O>) {
        let end = simulation.end();
        let until = *self.slice.until.get_or_insert_with(|| {
            self.slice.events_before = simulation.events();
            self.now.saturating_add(self.slice.length).min(end)
        });
        if !simulation.advance_at_most(until, self.events) {
            return;
        }
        (self.slice.until, self.is_over) = (None, until == end);
        let happened = simulation.events().saturating_sub(self.slice.events_before);
        let length = &mut self.slice.length;
        if happened > FAST_EVENTS {
            *length = Span((length.0 / 2).max(1));
        } else if happened < FAST_EVENTS / 4 {
            *length = Span(length.0.saturating_mul(2));
        }
    }

    /// Compares the final number of events with its limit. Lookahead counts a part of its events only at the end of the run.
    fn check_events<O: Observer>(&self, simulation: &Simulation<O>, limits: &Limits) -> Result<(), Ended> {
        let events = Limits { events: limits.events, ..Limits::default() };
        let objection = events.objection(simulation, self.now, self.started, false);
        match objection.filter(|_| simulation.driver() == Driver::Fast) {
            Some(objection) => Err(Ended::Limited(objection)),
            None => Ok(()),
        }
    }

    /// True if enough events or time have passed since memory was last added up.
    fn is_time_for_memory(&mut self) -> bool {
        if self.since_memory < EVENTS_BETWEEN_MEMORY && self.memory_seen.elapsed() < BETWEEN_MEMORY {
            return false;
        }
        (self.since_memory, self.memory_seen) = (0, Instant::now());
        true
    }
}

#[cfg(test)]
mod tests {
    use longfat_engine::observer::Unobserved;
    use longfat_engine::scenario::Scenario;

    use super::*;

    const DRIVERS: [Driver; 2] = [Driver::Events, Driver::Fast];

    /// Two connections over 10 Mbit/s for an hour, with these settings.
    fn scenario(settings: &[(&str, &str)]) -> Scenario {
        let text = br#"
            schema_version = 1
            duration = "3600 s"
            framing = "packet"
            topology = { kind = "n-source", sources = 2, access = { delay = "1 ms" }, bottleneck = { rate = "10 Mbit/s", delay = "5 ms" } }
            port.buffer = "50 packets"
            tcp = { preset = "linux-like" }
        "#;
        let settings: Vec<_> = settings.iter().map(|&(path, value)| (path.into(), value.into())).collect();
        Scenario::parse(text, "scenario.toml", &settings).unwrap_or_else(|problems| panic!("{problems:?}"))
    }

    /// A message of a byte every picosecond: more than any network carries.
    fn flood() -> Scenario {
        scenario(&[("traffic", "{ kind = 'messages', size = '1 B', interval = '1 ps' }")])
    }

    fn ended(
        scenario: &Scenario,
        driver: Driver,
        limits: &Limits,
        is_stopped: impl FnMut() -> bool,
    ) -> (Result<(), Ended>, Simulation<Unobserved>) {
        let mut simulation = Simulation::driven_by(driver, scenario, Unobserved);
        assert_eq!(simulation.driver(), driver);
        let ended = simulate(&mut simulation, limits, is_stopped, |before, now| assert!(before <= now));
        (ended, simulation)
    }

    fn limit_named(ended: Result<(), Ended>, name: &str) -> bool {
        matches!(ended, Err(Ended::Limited(message)) if message.contains(&format!("--limit {name}=")))
    }

    #[test]
    fn a_flood_is_stopped_at_its_limit_of_memory_and_not_far_above() {
        const MOST: usize = 1 << 20;
        let limits = Limits { memory_bytes: Some(MOST), ..Limits::default() };
        // By events nothing waits but the bytes, which are a number; under lookahead what they did to the ledger waits for the port.
        let (ended, simulation) = ended(&flood(), Driver::Fast, &limits, || false);
        assert!(limit_named(ended, "memory"));
        let bytes = simulation.memory_bytes();
        // Far less than a kilobyte for each event since memory was looked at before.
        assert!((MOST..MOST + (64 << 20)).contains(&bytes), "{bytes}");
    }

    #[test]
    fn a_flood_is_stopped_at_its_limit_of_events_and_not_a_portion_beyond() {
        const MOST: u64 = 20_000;
        for driver in DRIVERS {
            let limits = Limits { events: Some(MOST), ..Limits::default() };
            let (ended, simulation) = ended(&flood(), driver, &limits, || false);
            assert!(limit_named(ended, "events"), "{driver:?}");
            let events = simulation.events();
            assert!((MOST..=MOST + MOST_EVENTS).contains(&events), "{events} by {driver:?}");
        }
    }

    #[test]
    fn a_run_that_is_asked_to_stop_simulates_one_portion_more_however_much_happens() {
        let many_flows = "{ kind = 'flows', size = { kind = 'fixed', size = '100 B' }, interval = '1 s' }";
        let later = "{ kind = 'messages', size = '1 B', interval = '1 ps', start = '3000 s' }";
        let others = [many_flows, later].map(|traffic| scenario(&[("traffic", traffic)]));
        for scenario in [flood(), scenario(&[])].iter().chain(&others) {
            for driver in DRIVERS {
                let mut portions = 0;
                let (ended, simulation) = ended(scenario, driver, &Limits::default(), || {
                    portions += 1;
                    portions > 5
                });
                assert_eq!(ended, Err(Ended::Stopped));
                // Lookahead counts some events of delivered packets only at the end of a slice.
                let events = simulation.events();
                assert!(events <= 6 * 20 * MOST_EVENTS, "{events} events by {driver:?}");
            }
        }
    }

    #[test]
    fn time_on_the_wall_stops_a_flood_that_nothing_else_would() {
        for driver in DRIVERS {
            let limits = Limits { wall: Some(Duration::from_millis(1)), ..Limits::default() };
            assert!(limit_named(ended(&flood(), driver, &limits, || false).0, "wall"), "{driver:?}");
        }
    }

    #[test]
    fn a_run_in_portions_is_the_run() {
        let scenario = scenario(&[("duration", "3 s")]);
        for driver in DRIVERS {
            let (ended, simulation) = ended(&scenario, driver, &Limits::default(), || false);
            assert_eq!(ended, Ok(()));
            let in_portions = simulation.finish().unwrap_or_else(|violation| panic!("{violation}"));
            let whole = longfat_engine::run_by(driver, &scenario).unwrap_or_else(|violation| panic!("{violation}"));
            assert_eq!(in_portions.fingerprint, whole.fingerprint);
            assert_eq!(in_portions.work.events, whole.work.events);
        }
    }
}
