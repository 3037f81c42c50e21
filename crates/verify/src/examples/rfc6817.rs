//! RFC 6817 section 2.4.2: LEDBAT.

use serde_json::json;

use super::laws_by_hand::{LawByHand, ms};
use super::support::{all, near};
use crate::check::{Check, Finding, Kind};

/// Growth as a function of `off_target`.
pub fn checks() -> Vec<Check> {
    vec![Check::new("RFC 6817 section 2.4.2: LEDBAT's window by what packets wait", Kind::Example, off_target)]
}

/// 100 segments and a minimum round trip of 50 ms, without timestamps. TARGET is 100 ms: off_target is 1 without queueing, 0.25 at 125 ms,
/// 0 at 150 ms and -1 at 250 ms. The current delay is the minimum of four.
fn off_target() -> Finding {
    let mut by_hand = LawByHand::new(&json!({ "flavor": "ledbat" }), 100.0, 2.0)?;
    by_hand.acknowledge(ms(1), ms(50));
    let mut after = |round_trip: u64| {
        (0..4).for_each(|_| _ = by_hand.acknowledge(ms(1), ms(round_trip)));
        by_hand.window.cwnd = 10_000.0;
        by_hand.acknowledge(ms(1), ms(round_trip)) * 100.0
    };
    let found = [50, 125, 150, 250].map(&mut after);
    by_hand.window.cwnd = 10_000.0;
    let left = by_hand.lose();
    all([
        near("in a round trip, at 50 and 125 ms", (found[0], found[1]), (1.0, 0.25)),
        near("at 150 and 250 ms", (1.0 + found[2], found[3]), (1.0, -1.0)),
        near("a loss, and the threshold", (left, by_hand.threshold()), (50.0, 50.0)),
    ])
}
