//! Pacing: segments that the window allows are spread over time at a rate, instead of leaving in a burst.
//!
//! The rate of a window law, if it has one, takes precedence; a rule here computes a rate for laws that only have a window. To add a rule:
//! a file here with a [`model!`](longfat_foundation::model), a `mod` line and a line in [`PACINGS`].

mod none;
mod window;

use longfat_foundation::registry::{Entry, Family};
use longfat_foundation::units::{PICOSECONDS_PER_SECOND, Span, Time};

use super::{SmoothedRoundTrip, Window};

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
    }
    absent Exact
}

/// Segments after which the kernel begins to pace.
const UNPACED: u64 = 10;

/// Pacing state of one connection.
pub struct Pacer {
    rule: Box<dyn Pacing>,
    timer: PacingTimer,
    smoothed_round_trip: SmoothedRoundTrip,
    next: Time,
    /// Segments that were sent.
    sent: u64,
}

impl Pacer {
    /// Pacer of a connection that has sent nothing; the timer of a law with a rate of its own takes precedence.
    #[must_use]
    pub fn new(rule: Box<dyn Pacing>, timer_of_law: Option<PacingTimer>) -> Self {
        let timer = timer_of_law.unwrap_or(rule.timer());
        Self { rule, timer, smoothed_round_trip: SmoothedRoundTrip::default(), next: Time::ZERO, sent: 0 }
    }

    /// Earliest time at which the next segment may leave.
    #[must_use]
    pub fn next(&self) -> Time {
        self.next
    }

    /// Allows the next segment to leave at `now`.
    pub fn release(&mut self, now: Time) {
        self.next = self.next.min(now);
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
        if self.timer == PacingTimer::Kernel {
            let late = if self.next < now { now - self.next } else { Span::ZERO };
            wait = if self.sent < UNPACED { Span::ZERO } else { Span(wait.0 - late.0.min(wait.0 / 2)) };
        }
        self.next = now + wait;
    }
}

#[expect(clippy::cast_precision_loss, reason = "a segment is below 2^53 bytes")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive; a cast of too much saturates")]
fn time_to_send(bytes: u64, rate: f64) -> Span {
    // At most a day, so that adding it to any time of a run does not overflow.
    const LONGEST: u64 = 24 * 3600 * PICOSECONDS_PER_SECOND;
    let picoseconds = bytes as f64 / rate * PICOSECONDS_PER_SECOND as f64;
    Span((picoseconds as u64).min(LONGEST))
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
}
