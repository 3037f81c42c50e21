//! RFC 6817 section 2.4.2: LEDBAT.

use serde_json::json;

use super::laws_by_hand::{LawByHand, ms};
use super::support::{all, near};
use crate::check::{Check, Finding, Kind};

/// Growth by `off_target`.
pub fn checks() -> Vec<Check> {
    vec![Check::new("RFC 6817 section 2.4.2: LEDBAT's window by what packets wait", Kind::Example, off_target)]
}

/// Of 100 segments and a shortest round trip of 50 ms, for there are no timestamps. TARGET is 100 ms: off target by 1 where none waits, by 0.25 at 125 ms, by 0 at
/// 150, by -1 at 250. Four delays are looked at.
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
