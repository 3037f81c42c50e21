//! The coarse clock of a TCP: time in ticks.

use crate::random::Stream;
use crate::units::{Span, Time};

crate::choice! {
    /// When the clocks of the hosts tick (T-10).
    pub enum TimerPhase {
        /// All at the same instants, the multiples of the granularity: BSD's slow timer on hosts started together.
        Common = "common",
        /// Each connection at a phase of its own, drawn once.
        PerConnection = "per-connection",
    }
}

/// A clock that ticks every `granularity` from `phase` on.
#[derive(Clone, Copy, Debug)]
pub struct TickClock {
    granularity: Span,
    phase: Span,
}

impl TickClock {
    /// A clock by the scenario's rule; `chance` is the connection's.
    #[must_use]
    pub fn new(granularity: Span, rule: TimerPhase, chance: &mut Stream) -> Self {
        let phase = match rule {
            TimerPhase::Common => Span::ZERO,
            TimerPhase::PerConnection => chance.uniform(Span::ZERO, granularity),
        };
        Self { granularity, phase }
    }

    /// How many ticks there have been by `now`, one at `now` included.
    #[must_use]
    pub fn ticks(self, now: Time) -> u64 {
        (now.0 + self.granularity.0 - self.phase.0) / self.granularity.0
    }

    /// When tick number `tick` (as [`ticks`](Self::ticks) counts) comes; `Time::NEVER` if beyond all time.
    #[must_use]
    pub fn time_of(self, tick: u64) -> Time {
        let time = tick.checked_sub(1).and_then(|n| n.checked_mul(self.granularity.0));
        time.and_then(|time| time.checked_add(self.phase.0)).map_or(Time::NEVER, Time)
    }

    /// Ticks in `span`, rounded up.
    #[must_use]
    pub fn ticks_in(self, span: Span) -> u64 {
        span.0.div_ceil(self.granularity.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Chance;

    #[test]
    fn a_tick_comes_when_its_count_is_first_reached() {
        let mut chance = Chance { seed: 3, replication: 0 }.stream("clock");
        for rule in [TimerPhase::Common, TimerPhase::PerConnection] {
            let clock = TickClock::new(Span(1000), rule, &mut chance);
            for tick in 2..50 {
                let time = clock.time_of(tick);
                assert_eq!(clock.ticks(time), tick);
                assert_eq!(clock.ticks(Time(time.0 - 1)), tick - 1);
            }
        }
    }
}
