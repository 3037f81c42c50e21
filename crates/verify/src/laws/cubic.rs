//! Mean windows of CUBIC under periodic losses (RFC 9438).

use serde_json::json;

use super::periodic::PeriodicLosses;
use crate::check::{Check, Finding, Kind, require};

/// Rows of RFC 9438 section 5.1 (tables 1 and 2, C = 0.4): round trip in milliseconds, packets per loss, mean window in segments.
const TABLE: [(u64, u64, f64); 6] = [
    (100, 1_000, 38.0),
    (100, 10_000, 187.0),
    (100, 100_000, 1054.0),
    (10, 1_000, 38.0),
    (10, 10_000, 120.0),
    (10, 100_000, 379.0),
];

/// One check per row.
pub fn checks() -> Vec<Check> {
    let check = |(round_trip, period, window): (u64, u64, f64)| {
        let name = format!(
            "CUBIC's mean window over {round_trip} ms with a loss every {period} packets is RFC 9438's {window}"
        );
        Check::new(name, Kind::Law, move || has_mean_window(round_trip, period, window))
    };
    TABLE.into_iter().map(check).collect()
}

/// Window just before a loss, given the mean window (RFC 9438 section 5.1 with beta = 0.7: the mean is (3 + beta) / 4 of it).
fn window_before_loss(mean: f64) -> f64 {
    mean * 4.0 / 3.7
}

/// Number of losses in a run.
const LOSSES: u64 = 12;

/// Every loss should occur at the same window, so the first one is placed there: the function is flat, and from another window it would
/// take hundreds of losses to converge. For the same reason without fast convergence, which is for shrinking windows.
fn has_mean_window(round_trip: u64, period: u64, window: f64) -> Finding {
    let losses = PeriodicLosses {
        flavor: json!({ "kind": "cubic", "fast_convergence": false }),
        round_trip_ms: round_trip,
        period,
        first_window: window_before_loss(window),
        expected_mean: window,
        losses: LOSSES,
    };
    let mean = losses.mean_window()?;
    require((mean / window - 1.0).abs() < 0.05, format!("{mean:.1} segments over {LOSSES} losses"))
}
