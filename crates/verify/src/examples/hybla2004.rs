//! Caini and Firrincieli 2004: TCP Hybla.

use serde_json::json;

use super::laws_by_hand::{LawByHand, ms};
use super::support::{all, near};
use crate::check::{Check, Finding, Kind};

/// Rules of the window, at four times the reference round trip and below it.
pub fn checks() -> Vec<Check> {
    vec![Check::new("Caini and Firrincieli 2004: TCP Hybla's window over 100 ms and 10 ms", Kind::Example, rules)]
}

/// rho = 100 / 25 = 4: 2^4 - 1 = 15 segments per acknowledgment in slow start, 4^2 / W beyond it; the initial window is 4 * 2, and slow
/// start ends at 4 * 16.
fn rules() -> Finding {
    let settings = json!({ "flavor": "hybla", "slow_start_at_ssthresh": false });
    let mut long = LawByHand::new(&settings, 2.0, 16.0)?;
    let first = (long.acknowledge(ms(100), ms(100)), long.threshold());
    let second = (long.acknowledge(ms(1), ms(100)), long.segments());
    long.window.cwnd = 6300.0;
    let last = (long.acknowledge(ms(1), ms(100)), long.segments());
    let beyond = (long.acknowledge(ms(1), ms(100)), long.lose());
    let mut short = LawByHand::new(&settings, 2.0, 3.0)?;
    let (start, avoidance) = (short.acknowledge(ms(10), ms(10)), short.acknowledge(ms(1), ms(10)));
    all([
        near("the first acknowledgment adds 6 + 15, and the threshold is 4 * 16", first, (21.0, 64.0)),
        near("the second adds 15", second, (15.0, 38.0)),
        near("from 63 it stops at the threshold", last, (1.0, 64.0)),
        near("beyond it adds 16 / 64, and a loss takes half", beyond, (0.25, 32.12)),
        near("below the reference it is the classical law", (start, avoidance), (1.0, 1.0 / 3.0)),
    ])
}
