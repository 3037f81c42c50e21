//! RFC 6298 section 2: retransmission timeout from measured round trips.

use longfat_engine::config::{Parameter, Reader, parse_fragment};
use longfat_engine::random::Chance;
use longfat_engine::registry::Chosen;
use longfat_engine::transport::rto::TimeoutEstimator;
use longfat_engine::transport::{TickClock, TimerPhase};
use longfat_engine::units::Span;

use super::support::{all, equal};
use crate::check::{Check, Finding, Kind};

/// Arithmetic of the standard, and of BSD.
pub fn checks() -> Vec<Check> {
    vec![
        Check::new("RFC 6298 section 2: timeouts after 200, 240 and 170 ms", Kind::Example, standard),
        Check::new("RFC 6298 (2.4), (5.5): at least a second, doubled up to a minute", Kind::Example, backoff),
        Check::new("4.4BSD tcp_xmit_timer: timeouts in ticks after 1, 1, 3 and 0 ticks", Kind::Example, bsd),
    ]
}

fn estimator(text: &str, tick_microseconds: u64) -> Result<Box<dyn TimeoutEstimator>, String> {
    let mut reader = Reader::default();
    let chosen = Chosen::<dyn TimeoutEstimator>::read(&parse_fragment(text), &mut reader);
    let mut chance = Chance { seed: 1, replication: 0 }.stream("clock");
    let clock = TickClock::new(Span::from_microseconds(tick_microseconds), TimerPhase::FromStart, &mut chance);
    chosen.map(|chosen| chosen.build(&clock)).ok_or_else(|| format!("{text} is no estimator"))
}

/// (2.2) srtt 200, rttvar 100; (2.3) rttvar 85, srtt 205; then rttvar 72.5, srtt 200.625: srtt + 4 rttvar.
fn standard() -> Finding {
    let mut estimator = estimator("{ kind = \"rfc-6298\", minimum = \"1 ms\" }", 1000)?;
    let by_hand = [(200, 600), (240, 545), (170, 491)];
    all(by_hand.map(|(round_trip, timeout)| {
        estimator.on_round_trip(round_trip);
        equal(&format!("ms after {round_trip} ms"), estimator.timeout_ticks(), timeout)
    }))
}

fn backoff() -> Finding {
    let mut estimator = estimator("\"rfc-6298\"", 1000)?;
    estimator.on_round_trip(100);
    let mut timeouts = vec![estimator.timeout_ticks()];
    for _ in 0..7 {
        estimator.on_timeout();
        timeouts.push(estimator.timeout_ticks());
    }
    equal("ms", timeouts, vec![1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
}

/// srtt in eighths and rttvar in quarters of a tick: 16 and 4, 17 and 4, 19 and 5, 17 and 6.
fn bsd() -> Finding {
    let mut estimator = estimator("\"bsd-integer\"", 100_000)?;
    let by_hand = [(1, 6), (1, 5), (3, 7), (0, 7)];
    all(by_hand.map(|(ticks, timeout)| {
        estimator.on_round_trip(ticks);
        equal(&format!("ticks after {ticks}"), estimator.timeout_ticks(), timeout)
    }))
}
