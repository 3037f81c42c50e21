//! Times, dates and connection IDs, which quinn asks of its surroundings.

use std::time::{Duration, Instant, SystemTime};

use longfat_foundation::random::Stream;
use longfat_foundation::units::{Span, Time};
use quinn_proto::{ConnectionId, ConnectionIdGenerator, TimeSource};

/// Length of a connection ID.
pub const ID_BYTES: usize = 8;

/// Time of the simulation as the stack reads it. Only differences matter.
#[derive(Clone, Copy)]
pub struct Clock(Instant);

impl Clock {
    /// An hour ahead, so that the stack may look back.
    pub fn start() -> Self {
        Self(Instant::now() + Duration::from_secs(3600))
    }

    pub fn at(self, now: Time) -> Instant {
        self.0 + super::duration(Span(now.0))
    }

    /// Time of the simulation at that instant.
    #[expect(clippy::cast_possible_truncation, reason = "a run is shorter than 500 years")]
    pub fn time(self, instant: Instant) -> Time {
        Time((instant - self.0).as_nanos() as u64 * 1000)
    }
}

/// The date, which only tokens carry.
pub struct NoCalendar;

impl TimeSource for NoCalendar {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH
    }
}

/// Connection IDs of a run's own randomness.
pub struct Ids(pub Stream);

impl ConnectionIdGenerator for Ids {
    fn generate_cid(&mut self) -> ConnectionId {
        ConnectionId::new(&self.0.draw().to_be_bytes())
    }

    fn cid_len(&self) -> usize {
        ID_BYTES
    }

    fn cid_lifetime(&self) -> Option<Duration> {
        None
    }
}

/// Time of the simulation.
#[expect(clippy::cast_possible_truncation, reason = "no round trip is longer than 500 years")]
pub fn span(duration: Duration) -> Span {
    Span(duration.as_nanos() as u64 * 1000)
}
