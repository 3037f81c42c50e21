//! Pacing: segments that the window allows leave one after another at a rate, not all at once.
//!
//! Where a window law has a rate of its own, that rate counts; a rule here gives one to laws that only know windows. To add a rule: a file
//! here with a [`model!`](longfat_foundation::model), a `mod` line and a line in [`PACINGS`].

mod none;
mod window;

use longfat_foundation::registry::{Entry, Family};
use longfat_foundation::units::{PICOSECONDS_PER_SECOND, Span, Time};

use super::{SmoothedRoundTrip, Window};

/// Every registered rule.
pub const PACINGS: &[Entry<dyn Pacing>] = &[Entry::of::<none::None>(), Entry::of::<window::WindowPerRoundTrip>()];

/// How fast a window is sent.
pub trait Pacing: Send {
    /// Bytes of data per second for a window, where the smoothed round trip is known; `None` for no limit.
    fn rate(&self, window: &Window, smoothed_round_trip: Span) -> Option<f64>;
}

impl Family for dyn Pacing {
    const KIND: &'static str = "pacing rule";
    type Context = ();
    const NOTHING: Option<&'static str> = Some("none");
    fn models() -> &'static [Entry<Self>] {
        PACINGS
    }
}

/// When the next segment may leave.
pub struct Pacer {
    rule: Box<dyn Pacing>,
    smoothed_round_trip: SmoothedRoundTrip,
    next: Time,
}

impl Pacer {
    /// Of a connection that has sent nothing yet.
    #[must_use]
    pub fn new(rule: Box<dyn Pacing>) -> Self {
        Self { rule, smoothed_round_trip: SmoothedRoundTrip::default(), next: Time::ZERO }
    }

    /// Before this nothing more leaves.
    #[must_use]
    pub fn next(&self) -> Time {
        self.next
    }

    /// Lets the next segment leave at once.
    pub fn release(&mut self, now: Time) {
        self.next = self.next.min(now);
    }

    /// A round trip was measured.
    pub fn note_round_trip(&mut self, sample: Span) {
        self.smoothed_round_trip.note(sample);
    }

    /// The rule's rate for a window, if a round trip is known.
    #[must_use]
    pub fn rate(&self, window: &Window) -> Option<f64> {
        self.rule.rate(window, self.smoothed_round_trip.get()?)
    }

    /// A segment with so many bytes leaves: the next one when they have been sent at `rate` bytes per second.
    pub fn note_sent(&mut self, now: Time, bytes: u64, rate: Option<f64>) {
        self.next = now + rate.filter(|rate| *rate > 0.0).map_or(Span::ZERO, |rate| time_to_send(bytes, rate));
    }
}

#[expect(clippy::cast_precision_loss, reason = "a segment is below 2^53 bytes")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive; a cast of too much saturates")]
fn time_to_send(bytes: u64, rate: f64) -> Span {
    // No longer than a day, so that the sum with any time of a run is one.
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
        let mut pacer = Pacer::new(Box::new(none::AtOnce));
        let at = |number| Time::ZERO + milliseconds(number);
        pacer.note_sent(at(5), 500, None);
        assert_eq!(pacer.next(), at(5));
        pacer.note_sent(at(100), 500, Some(10_000.0));
        assert_eq!(pacer.next(), at(150));
        pacer.note_sent(at(150), 500, Some(0.0));
        assert_eq!(pacer.next(), at(150), "no rate is no limit");
    }
}
