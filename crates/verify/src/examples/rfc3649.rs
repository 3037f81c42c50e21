//! RFC 3649: HighSpeed TCP.

use serde_json::json;

use super::laws_by_hand::{LawByHand, ms};
use super::support::all;
use crate::check::{Check, Finding, Kind, require};

/// Rows of the table of appendix B: w, a(w) and b(w).
const TABLE: [(f64, f64, f64); 11] = [
    (38.0, 1.0, 0.50),
    (118.0, 2.0, 0.44),
    (221.0, 3.0, 0.41),
    (495.0, 5.0, 0.37),
    (1058.0, 8.0, 0.33),
    (2378.0, 13.0, 0.28),
    (5036.0, 20.0, 0.25),
    (10_661.0, 30.0, 0.21),
    (24_402.0, 45.0, 0.16),
    (51_258.0, 61.0, 0.13),
    (84_035.0, 71.0, 0.10),
];

/// The table, and section 5's own example.
pub fn checks() -> Vec<Check> {
    vec![Check::new("RFC 3649 appendix B: a(w) and b(w)", Kind::Example, table)]
}

/// A row is the smallest window with that a(w), computed from p(w) = 0.078 / w^1.2. These constants are rounded: the exact function gives
/// 2.5 % more at the largest windows.
fn table() -> Finding {
    all(TABLE.map(|(window, increase, decrease)| {
        let (a, b) = found_at(window)?;
        let holds = (a / increase - 1.0).abs() < 0.03 && (b - decrease).abs() < 0.0051;
        require(holds, format!("w = {window}: a {a:.2} for {increase}, b {b:.3} for {decrease:.2}"))
    }))
}

/// Growth per round trip of a window of `segments`, and its reduction by a loss.
fn found_at(segments: f64) -> Result<(f64, f64), String> {
    let mut by_hand = LawByHand::new(&json!({ "flavor": "high-speed" }), segments, 1.0)?;
    let increase = by_hand.acknowledge(ms(1), ms(100)) * segments;
    by_hand.window.cwnd = 100.0 * segments;
    Ok((increase, 1.0 - by_hand.lose() / segments))
}
