//! Delayed acknowledgments.

use longfat_foundation::config::{AtLeastOne, PositiveSpan};
use longfat_foundation::units::{Span, Time};

use super::{Acknowledging, Arrival};

longfat_foundation::choice! {
    /// When the delay of an acknowledgment ends.
    pub enum DelayTimer {
        /// A full delay after the arrival of the first unacknowledged segment.
        FromArrival = "from-arrival",
        /// At the next multiple of the delay, on a clock that all hosts share: BSD's fast timer.
        Heartbeat = "heartbeat",
    }
}

longfat_foundation::model! {
    /// One acknowledgment for every second in-order segment, or when the delay is over. Out-of-order segments, and segments that fill a
    /// hole, are acknowledged at once.
    #[name = "delayed"]
    #[source = "RFC 1122 section 4.2.3.2; RFC 5681 section 4.2"]
    pub struct Delayed: dyn Acknowledging {
        /// Longest wait. The standard allows at most 500 ms; BSD waits up to 200 ms.
        delay: PositiveSpan = "200 ms" or ["100 ms", "500 ms"],
        /// How many in-order segments one acknowledgment covers.
        segments: AtLeastOne = "2",
        /// When the delay of an acknowledgment ends.
        timer: DelayTimer = "from-arrival" or ["heartbeat"],
    }
    build(config, _context) {
        Box::new(Wait::new(config.delay.0, config.segments.0, config.timer))
    }
}

/// A delayed acknowledgment rule.
pub(super) struct Wait {
    delay: Span,
    segments: u64,
    timer: DelayTimer,
    due: Option<Time>,
    /// Segments received and not acknowledged.
    waiting: u64,
}

impl Wait {
    pub(super) fn new(delay: Span, segments: u64, timer: DelayTimer) -> Self {
        Self { delay, segments, timer, due: None, waiting: 0 }
    }

    /// Sets the number of segments that one acknowledgment covers.
    pub(super) fn set_segments(&mut self, segments: u64) {
        self.segments = segments;
    }

    fn deadline(&self, now: Time) -> Time {
        match self.timer {
            DelayTimer::FromArrival => now + self.delay,
            DelayTimer::Heartbeat => Time((now.0 / self.delay.0 + 1) * self.delay.0),
        }
    }
}

impl Acknowledging for Wait {
    fn delay(&mut self, now: Time, arrival: Arrival) -> Option<Time> {
        if !arrival.waits {
            (self.waiting, self.due) = (0, None);
        }
        self.waiting += 1;
        if !arrival.in_order || self.waiting >= self.segments {
            return None;
        }
        let due = self.due.unwrap_or_else(|| self.deadline(now));
        self.due = Some(due);
        self.due
    }
}
