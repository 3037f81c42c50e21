//! Grieco and Mascolo 2004: TCP Westwood+.

use serde_json::json;

use super::laws_by_hand::{LawByHand, ms};
use super::support::{all, near};
use crate::check::{Check, Finding, Kind};

/// Bandwidth estimate, once per round trip, and the threshold after a loss.
pub fn checks() -> Vec<Check> {
    vec![Check::new("Grieco and Mascolo 2004: Westwood+'s bandwidth and threshold", Kind::Example, threshold)]
}

/// A segment of 100 bytes every 10 ms is 10 kB/s, or 10 segments per minimum round trip of 100 ms; with one every 5 ms in the next round
/// trip, the average is 0.9 * 10 + 0.1 * 20 = 11 kB/s, or 11 segments. Before the first estimate, a loss halves the window.
fn threshold() -> Finding {
    let mut by_hand = LawByHand::new(&json!({ "flavor": "westwood" }), 100.0, 2.0)?;
    let unknown = (by_hand.lose(), by_hand.threshold());
    by_hand.window.cwnd = 10_000.0;
    (0..=10).for_each(|_| _ = by_hand.acknowledge(ms(10), ms(100)));
    let slow = (by_hand.lose(), by_hand.threshold());
    by_hand.window.cwnd = 10_000.0;
    (0..20).for_each(|_| _ = by_hand.acknowledge(ms(5), ms(100)));
    let faster = (by_hand.lose(), by_hand.threshold());
    by_hand.window.cwnd = 300.0;
    let small = (by_hand.lose(), by_hand.threshold());
    all([
        near("nothing is known", unknown, (50.0, 50.0)),
        near("10 kB/s", slow, (10.0, 10.0)),
        near("11 kB/s", faster, (11.0, 11.0)),
        near("a smaller window stays", small, (3.0, 11.0)),
    ])
}
