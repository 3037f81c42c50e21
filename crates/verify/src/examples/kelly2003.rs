//! Kelly 2003: Scalable TCP.

use serde_json::json;

use super::laws_by_hand::{LawByHand, ms};
use super::support::{all, near};
use crate::check::{Check, Finding, Kind};

/// Both rules, and the behavior below the legacy window.
pub fn checks() -> Vec<Check> {
    vec![Check::new("Kelly 2003: Scalable TCP adds 0.01 and takes an eighth", Kind::Example, rules)]
}

/// At 16 segments it is the classical law: 1 / 16, and a half.
fn rules() -> Finding {
    let at = |segments: f64| -> Result<(f64, f64), String> {
        let mut by_hand = LawByHand::new(&json!({ "flavor": "scalable" }), segments, 2.0)?;
        let grown = by_hand.acknowledge(ms(1), ms(100));
        by_hand.window.cwnd = 100.0 * segments;
        Ok((grown, by_hand.lose() / segments))
    };
    let (small, large, largest) = (at(16.0)?, at(100.0)?, at(10_000.0)?);
    all([
        near("at 16 segments", small, (1.0 / 16.0, 0.5)),
        near("at 100", large, (0.01, 0.875)),
        near("at 10000", largest, (0.01, 0.875)),
    ])
}
