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

longfat_foundation::choice! {
    /// Answer to a repetition of the last segment in order, while nothing is held beyond it.
    pub enum AnswerToRepetition {
        /// Acknowledged at once, as every other segment that is not the next in order.
        AtOnce = "at-once",
        /// Delayed like a segment in order.
        Delayed = "delayed",
    }
    absent AtOnce
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
        /// The answer to a repetition of the last segment in order, while nothing is held beyond it. A segment that is not acceptable is
        /// answered (RFC 9293 section 3.10.7.4), and Linux does so at once; the sinks of ns-2 delay the answer. A duplicate that is to be
        /// reported (RFC 2883) is answered at once by either.
        answer_to_repetition: AnswerToRepetition = "at-once" or ["delayed"],
    }
    build(config, _context) {
        let delays_repetitions = config.answer_to_repetition == AnswerToRepetition::Delayed;
        Box::new(Wait { delays_repetitions, ..Wait::new(config.delay.0, config.segments.0, config.timer) })
    }
}

/// A delayed acknowledgment rule.
pub(super) struct Wait {
    delay: Span,
    segments: u64,
    timer: DelayTimer,
    delays_repetitions: bool,
    due: Option<Time>,
    /// Segments received and not acknowledged.
    waiting: u64,
}

impl Wait {
    pub(super) fn new(delay: Span, segments: u64, timer: DelayTimer) -> Self {
        Self { delay, segments, timer, delays_repetitions: false, due: None, waiting: 0 }
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
        let may_wait = arrival.in_order || (arrival.repeats_last && self.delays_repetitions);
        if !may_wait || self.waiting >= self.segments {
            return None;
        }
        let due = self.due.unwrap_or_else(|| self.deadline(now));
        self.due = Some(due);
        self.due
    }

    fn segments(&self) -> u64 {
        self.segments
    }
}
