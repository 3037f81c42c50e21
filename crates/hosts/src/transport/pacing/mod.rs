//! Pacing: segments that the window allows are spread over time at a rate, instead of leaving in a burst.
//!
//! The rate of a window law, if it has one, takes precedence; a rule here computes a rate for laws that only have a window. To add a rule:
//! a file here with a [`model!`](longfat_foundation::model), a `mod` line and a line in [`PACINGS`].

mod none;
mod window;

use std::collections::VecDeque;

use longfat_foundation::registry::{Entry, Family};
use longfat_foundation::units::{PICOSECONDS_PER_SECOND, Span, Time};

use super::{Segment, SmoothedRoundTrip, Window};

/// Every registered pacing rule.
pub const PACINGS: &[Entry<dyn Pacing>] = &[Entry::of::<none::None>(), Entry::of::<window::WindowPerRoundTrip>()];

/// A pacing rule: the rate at which a window is sent.
pub trait Pacing: Send {
    /// Rate in bytes of data per second; `None` for no limit.
    fn rate(&self, window: &Window, smoothed_round_trip: Span) -> Option<f64>;

    /// When the next segment may go at this rate.
    fn timer(&self) -> PacingTimer {
        PacingTimer::Exact
    }
}

impl Family for dyn Pacing {
    const KIND: &'static str = "pacing rule";
    type Context = ();
    const NOTHING: Option<&'static str> = Some("none");
    fn models() -> &'static [Entry<Self>] {
        PACINGS
    }
}

longfat_foundation::choice! {
    /// When the next segment may go.
    pub enum PacingTimer {
        /// When the segment before has been sent at the rate.
        Exact = "exact",
        /// As Linux has it (`tcp_update_skb_after_send`): not paced before ten segments are sent; a segment that goes later than it might
        /// shortens the time to the next by as much, at most by a half.
        Kernel = "linux",
        /// As `linux`, with the discipline `fq` at the host's interface, which lets segments go when they are due: TCP hands over a few ahead of
        /// their time, each with the counters of then (`tcp_small_queue_check`).
        KernelQueue = "linux-fq",
    }
    absent Exact
}

/// Segments after which the kernel begins to pace.
const UNPACED: u64 = 10;
/// Memory that a segment takes beside its data in bytes (`truesize` of what `tcp_stream_alloc_skb` returns).
const OVERHEAD: u64 = 896;
/// Part of a second whose data may wait in the discipline (`sk_pacing_shift`).
const QUEUED_PARTS: f64 = 1024.0;

/// Pacing state of one connection.
pub struct Pacer {
    rule: Box<dyn Pacing>,
    timer: PacingTimer,
    smoothed_round_trip: SmoothedRoundTrip,
    next: Time,
    /// Segments that were sent.
    sent: u64,
    /// Segments that wait in the host's discipline, each with the time at which it goes.
    queue: VecDeque<(Time, Segment)>,
}

impl Pacer {
    /// Pacer of a connection that has sent nothing; the timer of a law with a rate of its own takes precedence.
    #[must_use]
    pub fn new(rule: Box<dyn Pacing>, timer_of_law: Option<PacingTimer>) -> Self {
        let timer = timer_of_law.unwrap_or(rule.timer());
        Self {
            rule,
            timer,
            smoothed_round_trip: SmoothedRoundTrip::default(),
            next: Time::ZERO,
            sent: 0,
            queue: VecDeque::new(),
        }
    }

    /// Earliest time at which the next segment may leave.
    #[must_use]
    pub fn next(&self) -> Time {
        self.next
    }

    /// Allows the next segment to leave at `now`, or with the last of those in the host's discipline, which keeps their order: departures
    /// never go back (`tcp_update_skb_after_send`, `tcp_wstamp_ns`).
    pub fn release(&mut self, now: Time) {
        self.next = self.next.min(self.last_departure().map_or(now, |last| last.max(now)));
    }

    /// When the last segment in the host's discipline goes.
    #[must_use]
    pub fn last_departure(&self) -> Option<Time> {
        self.queue.back().map(|(departs, _)| *departs)
    }

    /// Records a measured round trip.
    pub fn note_round_trip(&mut self, sample: Span) {
        self.smoothed_round_trip.note(sample);
    }

    /// Rate of the rule for `window`; `None` before a round trip has been measured.
    #[must_use]
    pub fn rate(&self, window: &Window) -> Option<f64> {
        self.rule.rate(window, self.smoothed_round_trip.get()?)
    }

    /// Records a segment of `bytes` bytes: the next may leave when these have been sent at `rate` bytes per second.
    pub fn note_sent(&mut self, now: Time, bytes: u64, rate: Option<f64>) {
        self.sent += 1;
        let mut wait = rate.filter(|rate| *rate > 0.0).map_or(Span::ZERO, |rate| time_to_send(bytes, rate));
        if self.timer != PacingTimer::Exact {
            let late = if self.next < now { now - self.next } else { Span::ZERO };
            wait = if self.sent < UNPACED { Span::ZERO } else { Span(wait.0 - late.0.min(wait.0 / 2)) };
        }
        self.next = now + wait;
    }

    /// Whether segments are handed over to a discipline at the host's interface.
    #[must_use]
    pub fn has_discipline(&self) -> bool {
        self.timer == PacingTimer::KernelQueue
    }

    /// Whether the host's discipline takes a segment of `mss` bytes ahead of its time, at `rate` bytes per second: while the segments in it take
    /// no more memory than two, or than the data of 1/1024 s if that is more; twice that if the segment is sent again.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a few segments of less than 2^53 bytes")]
    pub fn takes_early(&self, mss: u64, rate: Option<f64>, again: bool) -> bool {
        let memory = (mss + OVERHEAD) as f64;
        let limit = (2.0 * memory).max(rate.unwrap_or(0.0) / QUEUED_PARTS) * if again { 2.0 } else { 1.0 };
        self.has_discipline() && (self.queue.len() as f64) * memory < limit
    }

    /// Puts a segment into the host's discipline until it `departs`.
    pub fn enqueue(&mut self, departs: Time, segment: Segment) {
        self.queue.push_back((departs, segment));
    }

    /// Takes the first segment out of the host's discipline if it is due at `now`.
    pub fn dequeue(&mut self, now: Time) -> Option<Segment> {
        let is_due = self.departs().is_some_and(|departs| departs <= now);
        if is_due { self.queue.pop_front().map(|(_, segment)| segment) } else { None }
    }

    /// When the first segment in the host's discipline goes.
    #[must_use]
    pub fn departs(&self) -> Option<Time> {
        self.queue.front().map(|(departs, _)| *departs)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a segment is below 2^53 bytes")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive; a cast of too much saturates")]
fn time_to_send(bytes: u64, rate: f64) -> Span {
    // At most a day, so that adding it to any time of a run does not overflow.
    const LONGEST: u64 = 24 * 3600 * PICOSECONDS_PER_SECOND;
    let picoseconds = bytes as f64 / rate * PICOSECONDS_PER_SECOND as f64;
    // A processor has an instruction for signed integers.
    Span((picoseconds as i64 as u64).min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn milliseconds(number: u64) -> Span {
        Span::from_microseconds(1000 * number)
    }

    #[test]
    fn segments_are_apart_by_the_time_that_their_bytes_take_at_the_rate() {
        let mut pacer = Pacer::new(Box::new(none::AtOnce), None);
        let at = |number| Time::ZERO + milliseconds(number);
        pacer.note_sent(at(5), 500, None);
        assert_eq!(pacer.next(), at(5));
        pacer.note_sent(at(100), 500, Some(10_000.0));
        assert_eq!(pacer.next(), at(150));
        pacer.note_sent(at(150), 500, Some(0.0));
        assert_eq!(pacer.next(), at(150), "no rate is no limit");
    }

    /// Ten segments at once; the tenth is the first that the next waits for. What is late by less than half of its time is made up for.
    #[test]
    fn the_timer_of_the_kernel_leaves_out_ten_segments_and_makes_up_for_delays() {
        let mut pacer = Pacer::new(Box::new(none::AtOnce), Some(PacingTimer::Kernel));
        let at = |number| Time::ZERO + milliseconds(number);
        (0..9).for_each(|_| pacer.note_sent(at(100), 500, Some(10_000.0)));
        assert_eq!(pacer.next(), at(100));
        pacer.note_sent(at(100), 500, Some(10_000.0));
        assert_eq!(pacer.next(), at(150));
        pacer.note_sent(at(160), 500, Some(10_000.0));
        assert_eq!(pacer.next(), at(200), "10 ms late");
        pacer.note_sent(at(300), 500, Some(10_000.0));
        assert_eq!(pacer.next(), at(325), "100 ms late");
    }

    /// Segments of 1,104 bytes take 2,000 of memory. At 4 MB/s 3,906 bytes go in 1/1024 s, less than two take; at 10 MB/s 9,766 do, which four
    /// segments do not fill.
    #[test]
    fn the_discipline_of_the_host_takes_two_segments_or_a_thousandth_of_a_second_ahead() {
        let taken = |timer, rate, again| {
            let mut pacer = Pacer::new(Box::new(none::AtOnce), Some(timer));
            while pacer.takes_early(1104, rate, again) {
                let sequence = 1104 * pacer.queue.len() as u64;
                let segment = Segment { sequence, length: 1104, again, synchronize: false, reduced: false };
                pacer.enqueue(Time::ZERO + milliseconds(sequence), segment);
            }
            assert_eq!(pacer.departs(), pacer.queue.front().map(|_| Time::ZERO));
            assert_eq!(pacer.dequeue(Time::ZERO).map(|first| first.sequence), pacer.queue.front().map(|_| 0));
            assert!(pacer.dequeue(Time::ZERO).is_none(), "the second is not due");
            pacer.queue.len() + usize::from(!pacer.queue.is_empty())
        };
        assert_eq!(taken(PacingTimer::Kernel, Some(1e7), false), 0);
        assert_eq!(taken(PacingTimer::KernelQueue, Some(4e6), false), 2);
        assert_eq!(taken(PacingTimer::KernelQueue, Some(4e6), true), 4);
        assert_eq!(taken(PacingTimer::KernelQueue, Some(1e7), false), 5);
    }
}
