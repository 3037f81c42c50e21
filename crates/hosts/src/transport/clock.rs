//! The coarse clock of a TCP, which counts time in ticks.

use longfat_foundation::random::Stream;
use longfat_foundation::units::{Span, Time};

longfat_foundation::choice! {
    /// When the clocks of the hosts tick (T-10).
    pub enum TimerPhase {
        /// All at the same instants, the multiples of the granularity: BSD's slow timer on hosts started together.
        Common = "common",
        /// Each connection with its own phase, drawn once.
        PerConnection = "per-connection",
        /// From the start of each timer or measurement: a timeout is rounded up to ticks, but not aligned to a clock.
        FromStart = "from-start",
    }
}

/// Converts spans to ticks of `granularity`.
#[derive(Clone, Copy, Debug)]
pub struct TickClock {
    granularity: Span,
    /// Time of the first tick; `None` if ticks are counted from the start of each span.
    phase: Option<Span>,
}

impl TickClock {
    /// Creates a clock with the phase that `rule` gives; `chance` is the connection's random stream.
    #[must_use]
    pub fn new(granularity: Span, rule: TimerPhase, chance: &mut Stream) -> Self {
        Self::by_rule(granularity, rule, || chance.uniform(Span::ZERO, granularity))
    }

    /// Like [`new`](Self::new), but creates the connection's random stream only if a phase is drawn.
    #[must_use]
    pub fn with_chance(granularity: Span, rule: TimerPhase, chance: impl FnOnce() -> Stream) -> Self {
        Self::by_rule(granularity, rule, || chance().uniform(Span::ZERO, granularity))
    }

    fn by_rule(granularity: Span, rule: TimerPhase, draw: impl FnOnce() -> Span) -> Self {
        let phase = match rule {
            TimerPhase::Common => Some(Span::ZERO),
            TimerPhase::PerConnection => Some(draw()),
            TimerPhase::FromStart => None,
        };
        Self { granularity, phase }
    }

    /// Number of ticks in the interval (`since`, `now`].
    #[must_use]
    pub fn elapsed(self, since: Time, now: Time) -> u64 {
        match self.phase {
            Some(phase) => self.ticks(now, phase) - self.ticks(since, phase),
            None => (now - since).0 / self.granularity.0,
        }
    }

    /// Time of the `ticks`-th tick after `now`; `Time::NEVER` if it overflows.
    #[must_use]
    pub fn after(self, now: Time, ticks: u64) -> Time {
        let grid_time = match self.phase {
            // Tick n is n - 1 granularities after the first.
            Some(phase) => (self.ticks(now, phase) + ticks - 1).checked_mul(self.granularity.0).map(|t| (t, phase.0)),
            None => ticks.checked_mul(self.granularity.0).map(|t| (t, now.0)),
        };
        grid_time.and_then(|(time, origin)| time.checked_add(origin)).map_or(Time::NEVER, Time)
    }

    /// True if `now` lies strictly between two ticks.
    #[must_use]
    pub fn is_within_tick(self, now: Time) -> bool {
        let since_tick = |phase: Span| (now.0 + self.granularity.0 - phase.0) % self.granularity.0;
        self.phase.is_some_and(|phase| since_tick(phase) > 0)
    }

    /// Time of the first tick after `now`. Spans that begin before it count the same ticks; `None` if ticks are counted from the start of
    /// each span.
    #[must_use]
    pub fn next_tick(self, now: Time) -> Option<Time> {
        self.phase.map(|_| self.after(now, 1))
    }

    /// Duration of `ticks` ticks; the longest span if it overflows.
    #[must_use]
    pub fn span(self, ticks: u64) -> Span {
        Span(ticks.saturating_mul(self.granularity.0))
    }

    /// Ticks in `span`, rounded up.
    #[must_use]
    pub fn ticks_in(self, span: Span) -> u64 {
        span.0.div_ceil(self.granularity.0)
    }

    /// Number of ticks until `now`, plus one before the first.
    fn ticks(self, now: Time, phase: Span) -> u64 {
        (now.0 + self.granularity.0 - phase.0) / self.granularity.0
    }
}

#[cfg(test)]
mod tests {
    use longfat_foundation::random::Chance;

    use super::*;

    fn clock(rule: TimerPhase) -> TickClock {
        TickClock::new(Span(1000), rule, &mut Chance { seed: 3, replication: 0 }.stream("clock"))
    }

    #[test]
    fn a_tick_comes_when_its_count_is_first_reached() {
        for rule in [TimerPhase::Common, TimerPhase::PerConnection, TimerPhase::FromStart] {
            for now in [Time(0), Time(999), Time(1000), Time(12_345)] {
                for ticks in 1..9 {
                    let due = clock(rule).after(now, ticks);
                    assert_eq!(clock(rule).elapsed(now, due), ticks, "{rule:?} at {now:?}");
                    assert_eq!(clock(rule).elapsed(now, Time(due.0 - 1)), ticks - 1, "{rule:?} at {now:?}");
                }
            }
        }
    }

    #[test]
    fn common_ticks_are_multiples_of_the_granularity_and_a_timer_waits_for_them() {
        let common = clock(TimerPhase::Common);
        assert_eq!(common.after(Time(1), 3), Time(3000));
        assert_eq!(common.after(Time(999), 3), Time(3000));
        assert_eq!(common.after(Time(1000), 3), Time(4000));
        assert_eq!(clock(TimerPhase::FromStart).after(Time(999), 3), Time(3999));
    }

    #[test]
    fn a_tick_has_begun_unless_it_begins_now() {
        let within = |rule, now| clock(rule).is_within_tick(Time(now));
        assert_eq!([0, 1, 999, 1000].map(|now| within(TimerPhase::Common, now)), [false, true, true, false]);
        assert!(!within(TimerPhase::FromStart, 999), "each span has ticks of its own");
    }

    #[test]
    fn spans_that_begin_before_the_next_tick_end_alike() {
        for rule in [TimerPhase::Common, TimerPhase::PerConnection] {
            for now in [Time(0), Time(999), Time(1000), Time(12_345)] {
                let next = clock(rule).next_tick(now).expect("ticks are at the same times for all");
                assert_eq!(clock(rule).after(Time(next.0 - 1), 3), clock(rule).after(now, 3), "{rule:?} at {now:?}");
                assert!(clock(rule).after(next, 3) > clock(rule).after(now, 3), "{rule:?} at {now:?}");
            }
        }
        assert_eq!(clock(TimerPhase::FromStart).next_tick(Time(12_345)), None);
    }

    #[test]
    fn a_tick_beyond_all_time_never_comes() {
        assert_eq!(clock(TimerPhase::Common).after(Time(5), u64::MAX / 2), Time::NEVER);
    }
}
