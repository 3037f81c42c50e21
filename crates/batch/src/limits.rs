//! Resource limits of runs. A run that exceeds one ends with a failure that names the limit.

use std::time::{Duration, Instant};

use longfat_engine::observer::Observer;
use longfat_engine::units::Time;
use longfat_engine::{Driver, Simulation};

/// Limits of one run, `None` for those that are not set.
#[derive(Clone, Copy, Default)]
pub struct Limits {
    /// Number of events.
    pub events: Option<u64>,
    /// Wall-clock time.
    pub wall: Option<Duration>,
    /// Memory held by the simulation, in bytes.
    pub memory_bytes: Option<usize>,
}

/// Limits in events, seconds and bytes, as Python passes them.
pub type Given = (Option<u64>, Option<f64>, Option<usize>);

impl From<Given> for Limits {
    fn from((events, seconds, memory_bytes): Given) -> Self {
        // A time beyond the range of `Duration` is no limit.
        Self { events, wall: seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()), memory_bytes }
    }
}

impl Limits {
    /// Number of events to simulate next, at most `portion`.
    #[must_use]
    pub fn portion<O: Observer>(&self, simulation: &Simulation<O>, portion: u64) -> u64 {
        self.events.map_or(portion, |events| portion.min(events.saturating_sub(simulation.events())))
    }

    /// The error if a run that has begun at `started` and has reached `now` exceeds a limit; that of memory, if it `looks_at_memory`.
    #[must_use]
    pub fn objection<O: Observer>(
        &self,
        simulation: &Simulation<O>,
        now: Time,
        started: Instant,
        looks_at_memory: bool,
    ) -> Option<String> {
        // With events, a run that pauses at its limit has more to do; the fast driver may have reached it at the end.
        let spare = u64::from(simulation.driver() == Driver::Fast);
        let (limit, name) = if self.events.is_some_and(|events| simulation.events() >= events.saturating_add(spare)) {
            (format!("{} events", self.events?), "events")
        } else if self.wall.is_some_and(|wall| started.elapsed() >= wall) {
            (format!("{} s", self.wall?.as_secs_f64()), "wall")
        } else if looks_at_memory && self.memory_bytes.is_some_and(|bytes| simulation.memory_bytes() > bytes) {
            (format!("{} bytes", self.memory_bytes?), "memory")
        } else {
            return None;
        };
        let (now, end) = (now.as_seconds(), simulation.end().as_seconds());
        Some(format!("stopped at its limit of {limit}, at {now} s of {end} s (--limit {name}=... raises it)"))
    }
}

#[cfg(test)]
mod tests {
    use longfat_engine::observer::Unobserved;
    use longfat_engine::scenario::Scenario;

    use super::*;

    fn halfway(driver: Driver) -> Simulation<Unobserved> {
        let text = br#"
            schema_version = 1
            duration = "20 ms"
            topology = { kind = "n-source", sources = 2, access = { delay = "5 us" }, bottleneck = { delay = "5 us" } }
            port = { buffer = "1000 cells", policy = "epd" }
        "#;
        let scenario = Scenario::parse(text, "scenario.toml", &[]).unwrap();
        let mut simulation = Simulation::driven_by(driver, &scenario, Unobserved);
        simulation.advance(Time(simulation.end().0 / 2));
        simulation
    }

    fn objection(limits: Limits, driver: Driver) -> Option<String> {
        let simulation = halfway(driver);
        limits.objection(&simulation, Time(simulation.end().0 / 2), Instant::now(), true)
    }

    #[test]
    fn without_limits_nothing_is_objected_to_and_no_portion_is_cut() {
        let none = Limits::from((None, None, None));
        assert_eq!(objection(none, Driver::Events), None);
        assert_eq!(none.portion(&halfway(Driver::Events), 4096), 4096);
    }

    #[test]
    fn a_run_gets_only_the_events_that_its_limit_leaves() {
        let simulation = halfway(Driver::Events);
        let so_far = simulation.events();
        let portion = |events| Limits { events: Some(events), ..Limits::default() }.portion(&simulation, 100);
        assert_eq!([portion(so_far + 1000), portion(so_far + 7), portion(so_far), portion(0)], [100, 7, 0, 0]);
    }

    #[test]
    fn a_run_by_events_pauses_at_its_limit_because_there_is_more_and_the_fast_one_may_have_ended_there() {
        for (driver, spare) in [(Driver::Events, 0), (Driver::Fast, 1)] {
            let so_far = halfway(driver).events();
            let with = |events| objection(Limits { events: Some(events), ..Limits::default() }, driver);
            assert_eq!(with(so_far - spare + 1), None, "{driver:?}");
            let said = with(so_far - spare).unwrap();
            let expected = format!(
                "stopped at its limit of {} events, at 0.01 s of 0.02 s (--limit events=... raises it)",
                so_far - spare
            );
            assert_eq!(said, expected);
        }
    }

    #[test]
    fn memory_beyond_its_limit_is_objected_to_by_name_and_what_reaches_it_is_not() {
        let bytes = halfway(Driver::Events).memory_bytes();
        let with = |bytes| objection(Limits { memory_bytes: Some(bytes), ..Limits::default() }, Driver::Events);
        assert_eq!(with(bytes), None);
        let said = with(bytes - 1).unwrap();
        assert!(said.starts_with(&format!("stopped at its limit of {} bytes", bytes - 1)), "{said}");
        assert!(said.ends_with("(--limit memory=... raises it)"), "{said}");
    }

    #[test]
    fn time_on_the_wall_counts_from_the_start_of_the_run() {
        let simulation = halfway(Driver::Events);
        let limits = Limits::from((None, Some(3600.0), None));
        let hours_ago = Instant::now().checked_sub(Duration::from_secs(7200)).unwrap();
        assert_eq!(limits.objection(&simulation, Time(0), Instant::now(), true), None);
        let said = limits.objection(&simulation, Time(0), hours_ago, false).unwrap();
        assert!(said.starts_with("stopped at its limit of 3600 s") && said.contains("--limit wall="), "{said}");
    }

    #[test]
    fn seconds_that_no_clock_reaches_are_no_limit() {
        assert_eq!(Limits::from((None, Some(1e300), None)).wall, None);
        assert_eq!(Limits::from((None, Some(0.5), None)).wall, Some(Duration::from_millis(500)));
    }
}
