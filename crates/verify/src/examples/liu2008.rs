//! Liu, Basar and Srikant 2008: TCP-Illinois.

use serde_json::json;

use super::laws_by_hand::{LawByHand, ms};
use super::support::{all, near};
use crate::check::{Check, Finding, Kind};

/// Growth and reduction as functions of the queueing delay.
pub fn checks() -> Vec<Check> {
    vec![Check::new("Liu, Basar and Srikant 2008: Illinois' alpha and beta by the mean delay", Kind::Example, by_delay)]
}

/// Growth in segments per round trip, and reduction at a loss, with a window of 100 segments and the given mean round trip, after round
/// trips of 100 to 200 ms.
fn after(round_trip: u64) -> Result<(f64, f64), String> {
    let mut by_hand = LawByHand::new(&json!({ "flavor": "illinois" }), 100.0, 2.0)?;
    by_hand.acknowledge(ms(1), ms(100));
    by_hand.acknowledge(ms(1), ms(200));
    let mut grown = 0.0;
    // The rest of the round of the first two, and a round that has this round trip alone.
    for _ in 0..202 {
        by_hand.window.cwnd = 10_000.0;
        grown = by_hand.acknowledge(ms(1), ms(round_trip)) * 100.0;
    }
    by_hand.window.cwnd = 10_000.0;
    Ok((grown, 1.0 - by_hand.lose() / 100.0))
}

/// With a maximum delay of 100 ms, d1 is 1, d2 10 and d3 80 ms. At 200 ms growth is the minimum; at 145 ms it is 10 * 99 / (99 + 44 * 97 /
/// 3) = 0.6506, and halfway from d2 to d3, the reduction is halfway from an eighth to a half.
fn by_delay() -> Finding {
    all([
        near("100 ms", after(100)?, (10.0, 0.125)),
        near("145 ms", after(145)?, (10.0 * 99.0 / (99.0 + 44.0 * 97.0 / 3.0), 0.3125)),
        near("200 ms", after(200)?, (0.3, 0.5)),
    ])
}
