//! Time since the start of a run, by the monotonic clock of the machine.

use std::time::{Duration, Instant};

use longfat_engine::units::{Span, Time};

const PICOSECONDS_PER_NANOSECOND: u64 = 1_000;

/// A clock that started with the run.
#[derive(Clone, Copy)]
pub struct Clock(Instant);

impl Clock {
    /// Starts at zero.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Time of the run; 584 years fit in the nanoseconds, and 213 days in the result.
    #[expect(clippy::cast_possible_truncation, reason = "no run lasts 213 days")]
    pub fn now(self) -> Time {
        Time(self.0.elapsed().as_nanos() as u64 * PICOSECONDS_PER_NANOSECOND)
    }
}

/// A span as the kernel takes it, rounded down to whole nanoseconds.
pub fn duration(span: Span) -> Duration {
    Duration::from_nanos(span.0 / PICOSECONDS_PER_NANOSECOND)
}
