//! Xu, Harfoush and Rhee 2004, with the parameters of Linux: BIC TCP.

use serde_json::json;

use super::laws_by_hand::{LawByHand, ms};
use super::support::{all, near};
use crate::check::{Check, Finding, Kind};

/// Binary search, and max probing beyond it.
pub fn checks() -> Vec<Check> {
    vec![
        Check::new(
            "Xu, Harfoush and Rhee 2004: BIC's growth around the window of its last loss",
            Kind::Example,
            growth,
        ),
        Check::new(
            "Xu, Harfoush and Rhee 2004: BIC leaves four fifths, and less is searched for",
            Kind::Example,
            losses,
        ),
    ]
}

/// Growth in segments per round trip at a window of `segments`.
fn growth_at(by_hand: &mut LawByHand, segments: f64) -> f64 {
    (by_hand.window.cwnd, by_hand.window.ssthresh) = (100.0 * segments, 200.0);
    by_hand.acknowledge(ms(1), ms(100)) * segments
}

/// A loss at 1000 segments. A quarter of the distance 200 exceeds 16; of 60 it is 15, of 20 it is 5; the last four segments and the next
/// four take 20 round trips. Beyond, a third of 24 is 8, and of 300 exceeds 16.
fn growth() -> Finding {
    let mut by_hand = LawByHand::new(&json!({ "flavor": "bic" }), 1000.0, 2.0)?;
    by_hand.lose();
    let mut at = |segments| growth_at(&mut by_hand, segments);
    all([
        near("at 800 and 940", (at(800.0), at(940.0)), (16.0, 15.0)),
        near("at 980 and 998", (at(980.0), at(998.0)), (5.0, 0.2)),
        near("at 1002 and 1024", (at(1002.0), at(1024.0)), (0.2, 8.0)),
        near("at 1300 and 14", (at(1300.0), at(14.0)), (16.0, 1.0)),
    ])
}

/// A loss at 1000 leaves 800, one at 14 leaves 7. One at 900, before 1000 was reached, sets the maximum to 0.9 * 900 = 810 (fast
/// convergence).
fn losses() -> Finding {
    let mut by_hand = LawByHand::new(&json!({ "flavor": "bic" }), 1000.0, 2.0)?;
    let first = by_hand.lose();
    by_hand.window.cwnd = 90_000.0;
    let second = by_hand.lose();
    let creeps = growth_at(&mut by_hand, 808.0);
    let mut small = LawByHand::new(&json!({ "flavor": "bic" }), 14.0, 2.0)?;
    all([
        near("losses at 1000 and 900", (first, second), (800.0, 720.0)),
        near("growth at 808; a loss at 14", (creeps, small.lose()), (0.2, 7.0)),
    ])
}
