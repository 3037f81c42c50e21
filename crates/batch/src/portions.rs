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
            break;
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
            since_memory: 0,
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

    /// Whether memory is to be looked at now.
    fn is_time_for_memory(&mut self) -> bool {
        if self.since_memory < EVENTS_BETWEEN_MEMORY && self.memory_seen.elapsed() < BETWEEN_MEMORY {
            return false;
        }
        (self.since_memory, self.memory_seen) = (0, Instant::now());
        true
    }
}
