//! The mean windows that RFC 9438 gives for CUBIC and Reno under losses at equal distances.

use serde_json::json;

use super::periodic::PeriodicLosses;
use crate::check::{Check, Finding, Kind, require};

/// A row of RFC 9438 section 5.1 (tables 1 and 2, C = 0.4): round trip in milliseconds, packets for a loss, mean window in segments.
const TABLE: [(u64, u64, f64); 6] = [
    (100, 1_000, 38.0),
    (100, 10_000, 187.0),
    (100, 100_000, 1054.0),
    (10, 1_000, 38.0),
    (10, 10_000, 120.0),
    (10, 100_000, 379.0),
];

/// With each row.
pub fn checks() -> Vec<Check> {
    let check = |(round_trip, period, window): (u64, u64, f64)| {
        let name = format!(
            "CUBIC's mean window over {round_trip} ms with a loss every {period} packets is RFC 9438's {window}"
        );
        Check::new(name, Kind::Law, move || has_mean_window(round_trip, period, window))
    };
    TABLE.into_iter().map(check).collect()
}

/// What the window is just before a loss, for this mean (RFC 9438 section 5.1 with beta = 0.7: the mean is (3 + beta) / 4 of it).
fn window_before_loss(mean: f64) -> f64 {
    mean * 4.0 / 3.7
}

/// Losses of a run.
const LOSSES: u64 = 12;

/// Every loss is to come at the same window, so the first comes at it: the function is flat there, and from another window it would take
/// hundreds of losses to get there. So there is no fast convergence either, which is for windows that shrink.
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
