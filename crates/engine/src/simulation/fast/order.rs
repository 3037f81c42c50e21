//! Which of two things that happen at one instant is first.
//!
//! By events, the one whose event was put into the calendar earlier. An event is put there when another happens, and events of
//! one instant come by rank, so the instant at which that was and the rank tell, but for a tie in both.

use longfat_foundation::units::Time;

use crate::simulation::network::{OTHER_RANK, SERVICE_RANK};

/// When something happens and when, by events, it was put into the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment {
    /// When it happens.
    pub time: Time,
    /// When it was put into the calendar, and the rank of what happened then.
    scheduled: (Time, u8),
}

impl Moment {
    /// What never happens.
    pub const NEVER: Self = Self { time: Time::NEVER, scheduled: (Time::NEVER, OTHER_RANK) };

    /// At `time`, as an arrival, a timer or a wake has scheduled it at `scheduled`.
    pub fn new(time: Time, scheduled: Time) -> Self {
        Self { time, scheduled: (scheduled, OTHER_RANK) }
    }

    /// At `time`, as the service of a port has scheduled it at `scheduled`.
    pub fn by_service(time: Time, scheduled: Time) -> Self {
        Self { time, scheduled: (scheduled, SERVICE_RANK) }
    }
}

/// Two things happen at one instant, and which is first cannot be told without simulating every event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tie(pub Time);
