//! Estimators of the retransmission timeout, from measured round trips; both in clock ticks.

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

/// Retransmission timeout of one connection.
pub trait TimeoutEstimator: Send {
    /// Records a round trip of `ticks` ticks (0 within the same tick) of a segment that was sent once.
    fn on_round_trip(&mut self, ticks: u64);
    /// Like [`on_round_trip`](Self::on_round_trip), when about `in_round_trip` samples are taken per round trip, as with timestamps;
    /// `is_first` for the first sample of each round trip.
    fn on_one_of_many(&mut self, ticks: u64, _in_round_trip: u64, _is_first: bool) {
        self.on_round_trip(ticks);
    }
    /// Backs off: the timer has expired.
    fn on_timeout(&mut self);
    /// Ends the backoff without a measured round trip.
    fn end_backoff(&mut self);
    /// Records that the connection has opened after the SYN was retransmitted. BSD keeps the backed-off timeout until a round trip is
    /// measured.
    fn on_opened_late(&mut self) {}
    /// True if the current partial tick counts as a whole one when a timer starts, as in BSD: the timer then expires up to a tick early.
    fn counts_begun_tick(&self) -> bool {
        true
    }
    /// Current timeout in ticks, including backoff.
    fn timeout_ticks(&self) -> u64;
}

impl Family for dyn TimeoutEstimator {
    const KIND: &'static str = "timeout estimator";
    /// Converts spans to ticks.
    type Context = TickClock;
    fn models() -> &'static [Entry<Self>] {
        ESTIMATORS
    }
}

/// The error if the maximum timeout is below the minimum.
fn object_to_limits(minimum: PositiveSpan, maximum: PositiveSpan) -> Vec<(&'static str, String)> {
    if minimum.0 <= maximum.0 {
        return Vec::new();
    }
    let (least, largest) = (format_span(minimum.0), format_span(maximum.0));
    vec![("minimum", format!("{least} is more than maximum, {largest}"))]
}

/// Minimum of the first timeout for data if the SYN was retransmitted (RFC 6298 section 5.7; Linux's `TCP_TIMEOUT_FALLBACK`).
const TIMEOUT_AFTER_LATE_OPENING: Span = Span::from_microseconds(3_000_000);

/// Exponential backoff until a round trip is measured again (Karn), within limits in ticks.
#[derive(Clone, Copy, Debug)]
struct Backoff {
    minimum: u64,
    maximum: u64,
    doublings: u32,
    most_doublings: u32,
}

/// BSD doubles at most six times.
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

    /// Backoff with no limit but the maximum timeout.
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

    /// An estimator with ticks of 1 ms.
    pub fn estimator_of<M: Model<dyn TimeoutEstimator> + Parameter>(parameters: &str) -> Box<dyn TimeoutEstimator> {
        let config = M::read(&parse_fragment(parameters), &mut Reader::default()).unwrap();
        let mut chance = Chance { seed: 1, replication: 0 }.stream("clock");
        config.build(&TickClock::new(Span::from_microseconds(1000), TimerPhase::FromStart, &mut chance))
    }
}
