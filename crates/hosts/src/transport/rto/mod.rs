//! From measured round trips to a retransmission timeout, both in clock ticks.

mod bsd_integer;
mod floating_point;
mod linux;
mod rfc6298;

use longfat_foundation::config::{AtLeastOne, PositiveSpan, format_span};
use longfat_foundation::registry::{Entry, Family};
use longfat_foundation::units::Span;

use super::TickClock;

/// Every registered estimator.
pub const ESTIMATORS: &[Entry<dyn TimeoutEstimator>] = &[
    Entry::of::<bsd_integer::BsdInteger>(),
    Entry::of::<floating_point::FloatingPoint>(),
    Entry::of::<rfc6298::Rfc6298>(),
    Entry::of::<linux::Linux>(),
];

/// The timeout of one connection.
pub trait TimeoutEstimator: Send {
    /// A segment sent once has been acknowledged `ticks` ticks after it was sent (0 within the same tick).
    fn on_round_trip(&mut self, ticks: u64);
    /// The same where about so many are measured in a round trip, as with timestamps by every acknowledgment; whether it is the first of those
    /// of another round trip.
    fn on_one_of_many(&mut self, ticks: u64, _in_round_trip: u64, _is_first: bool) {
        self.on_round_trip(ticks);
    }
    /// The timer has expired.
    fn on_timeout(&mut self);
    /// The timeout is no longer doubled, though no round trip was measured.
    fn end_backoff(&mut self);
    /// The connection is open, but the segment that opens it had to be sent more than once. BSD goes on with what the timeout was doubled
    /// to until a round trip is measured.
    fn on_opened_late(&mut self) {}
    /// Whether the tick that goes on when a timer starts counts as a whole one, as in BSD's: then it expires up to a tick early.
    fn counts_begun_tick(&self) -> bool {
        true
    }
    /// The timeout now, in ticks, with its backoff.
    fn timeout_ticks(&self) -> u64;
}

impl Family for dyn TimeoutEstimator {
    const KIND: &'static str = "timeout estimator";
    /// Turns spans into ticks.
    type Context = TickClock;
    fn models() -> &'static [Entry<Self>] {
        ESTIMATORS
    }
}

/// What is wrong where the largest timeout is less than the least, which would not be the least then.
fn object_to_limits(minimum: PositiveSpan, maximum: PositiveSpan) -> Vec<(&'static str, String)> {
    if minimum.0 <= maximum.0 {
        return Vec::new();
    }
    let (least, largest) = (format_span(minimum.0), format_span(maximum.0));
    vec![("minimum", format!("{least} is more than maximum, {largest}"))]
}

/// Where the timer has expired for the synchronizing segment, data begins with this timeout at least (RFC 6298 section 5.7; Linux's
/// `TCP_TIMEOUT_FALLBACK`).
const TIMEOUT_AFTER_LATE_OPENING: Span = Span::from_microseconds(3_000_000);

/// Doubling of the timeout at every expiry until a round trip is measured again (Karn), within limits in ticks.
#[derive(Clone, Copy, Debug)]
struct Backoff {
    minimum: u64,
    maximum: u64,
    doublings: u32,
    most_doublings: u32,
}

/// BSD doubles six times at most.
const MOST_DOUBLINGS: u32 = 6;

impl Backoff {
    fn new(minimum_ticks: AtLeastOne, maximum: PositiveSpan, clock: &TickClock) -> Self {
        Self {
            minimum: minimum_ticks.0,
            maximum: clock.ticks_in(maximum.0),
            doublings: 0,
            most_doublings: MOST_DOUBLINGS,
        }
    }

    /// Limited by the largest timeout alone.
    fn unlimited(maximum: PositiveSpan, clock: &TickClock) -> Self {
        Self { minimum: 1, maximum: clock.ticks_in(maximum.0), doublings: 0, most_doublings: 30 }
    }

    fn apply(self, ticks: u64) -> u64 {
        ticks.saturating_mul(1 << self.doublings).clamp(self.minimum, self.maximum.max(self.minimum))
    }

    fn double(&mut self) {
        self.doublings = (self.doublings + 1).min(self.most_doublings);
    }
}

#[cfg(test)]
mod test_support {
    use longfat_foundation::config::{Parameter, Reader, parse_fragment};
    use longfat_foundation::random::Chance;
    use longfat_foundation::registry::Model;
    use longfat_foundation::units::Span;

    use super::TimeoutEstimator;
    use crate::transport::{TickClock, TimerPhase};

    /// With ticks of 1 ms.
    pub fn estimator_of<M: Model<dyn TimeoutEstimator> + Parameter>(parameters: &str) -> Box<dyn TimeoutEstimator> {
        let config = M::read(&parse_fragment(parameters), &mut Reader::default()).unwrap();
        let mut chance = Chance { seed: 1, replication: 0 }.stream("clock");
        config.build(&TickClock::new(Span::from_microseconds(1000), TimerPhase::FromStart, &mut chance))
    }
}
