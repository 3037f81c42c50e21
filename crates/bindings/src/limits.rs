//! What a run may use at most. A run that would use more ends with a failure that says which limit it met.

use std::time::{Duration, Instant};

use longfat_engine::observer::Observer;
use longfat_engine::units::Time;
use longfat_engine::{Driver, Simulation};

/// Limits of one run, `None` for those that are not set.
#[derive(Clone, Copy, Default)]
pub struct Limits {
    pub events: Option<u64>,
    pub wall: Option<Duration>,
    pub memory_bytes: Option<usize>,
}

/// Events, seconds and bytes, as Python gives them.
pub type Given = (Option<u64>, Option<f64>, Option<usize>);

impl From<Given> for Limits {
    fn from((events, seconds, memory_bytes): Given) -> Self {
        // What no clock reaches is no limit.
        Self { events, wall: seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()), memory_bytes }
    }
}

impl Limits {
    /// How many events a run may have next, at most `portion`.
    pub fn portion<O: Observer>(&self, simulation: &Simulation<O>, portion: u64) -> u64 {
        self.events.map_or(portion, |events| portion.min(events.saturating_sub(simulation.events())))
    }

    /// Why a run that began at `started`, and has come to `now`, must not go on.
    pub fn objection<O: Observer>(&self, simulation: &Simulation<O>, now: Time, started: Instant) -> Option<String> {
        // By events a run pauses at its limit because there is more to do; the fast driver may have come there by the end.
        let spare = u64::from(simulation.driver() == Driver::Fast);
        let (limit, name) = if self.events.is_some_and(|events| simulation.events() >= events.saturating_add(spare)) {
            (format!("{} events", self.events?), "events")
        } else if self.wall.is_some_and(|wall| started.elapsed() >= wall) {
            (format!("{} s", self.wall?.as_secs_f64()), "wall")
        } else if self.memory_bytes.is_some_and(|bytes| simulation.memory_bytes() > bytes) {
            (format!("{} bytes", self.memory_bytes?), "memory")
        } else {
            return None;
        };
        let (now, end) = (now.as_seconds(), simulation.end().as_seconds());
        Some(format!("stopped at its limit of {limit}, at {now} s of {end} s (--limit {name}=... raises it)"))
    }
}
