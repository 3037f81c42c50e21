//! The order of two events of one instant.
//!
//! The event driver simulates first the one that it scheduled first. It schedules an event during another, and takes events of one
//! instant by rank. So the time and the rank of the event during which an event was scheduled decide, unless both are equal.

use longfat_foundation::units::Time;

use crate::simulation::network::{OTHER_RANK, SERVICE_RANK};

/// The time of an event, and when the event driver would have scheduled it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment {
    /// The time of the event.
    pub time: Time,
    /// When it was scheduled, and the rank of the event during which it was.
    scheduled: (Time, u8),
}

impl Moment {
    /// An event that never happens.
    pub const NEVER: Self = Self { time: Time::NEVER, scheduled: (Time::NEVER, OTHER_RANK) };

    /// An event at `time`, scheduled during an arrival, a timer or a wake at `scheduled`.
    pub fn new(time: Time, scheduled: Time) -> Self {
        Self { time, scheduled: (scheduled, OTHER_RANK) }
    }

    /// An event at `time`, scheduled during the service of a port at `scheduled`.
    pub fn by_service(time: Time, scheduled: Time) -> Self {
        Self { time, scheduled: (scheduled, SERVICE_RANK) }
    }
}

/// Two events of one instant, at that time, whose order is not known unless every event is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tie(pub Time);
