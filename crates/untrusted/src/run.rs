//! Runs of untrusted scenarios.

use longfat_engine::observer::Unobserved;
use longfat_engine::scenario::Scenario;
use longfat_engine::{Driver, Simulation};

use crate::scenario::source_of;

/// Limits of a run: by estimated cost, and by events simulated.
const ESTIMATED_EVENTS: f64 = 2e4;
const ESTIMATED_BYTES: f64 = 4e6;
const EVENTS: u64 = 10_000;

/// A run that is allowed to begin satisfies the laws of conservation, and both drivers give the same results.
pub fn run(bytes: &[u8]) {
    let Ok(scenario) = Scenario::parse(bytes, source_of(bytes), &[]) else { return };
    let cost = scenario.cost();
    if cost.events > ESTIMATED_EVENTS || cost.memory_bytes > ESTIMATED_BYTES {
        return;
    }
    let mut by_events = Simulation::driven_by(Driver::Events, &scenario, Unobserved);
    let is_over = by_events.advance_at_most(by_events.end(), EVENTS);
    by_events.audit().expect("conservation, also on the way");
    if is_over {
        let fast = longfat_engine::run_by(Driver::Fast, &scenario).expect("conservation");
        let record = by_events.finish().expect("conservation");
        assert_eq!(record.fingerprint, fast.fingerprint, "{}", scenario.canonical());
        let metrics = [&record.metrics, &fast.metrics].map(|metrics| format!("{metrics:?}"));
        assert_eq!(metrics[0], metrics[1], "{}", scenario.canonical());
    }
}
