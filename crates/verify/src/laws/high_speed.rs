//! The response function of HighSpeed TCP.

use serde_json::json;

use super::periodic::PeriodicLosses;
use crate::check::{Check, Finding, Kind, require};

/// Rows of RFC 3649 section 5, the table of the response function: packets per loss, mean window in segments; and the number of losses in a
/// run. Rows below 1,000 are those of Standard TCP; those above 1,000,000 would take minutes.
const TABLE: [(u64, f64, u64); 4] =
    [(1_000, 38.0, 10), (10_000, 263.0, 10), (100_000, 1795.0, 10), (1_000_000, 12_279.0, 4)];

/// One check per row.
pub fn checks() -> Vec<Check> {
    let check = |(period, window, losses): (u64, f64, u64)| {
        let name = format!("HighSpeed TCP's mean window with a loss every {period} packets is RFC 3649's {window}");
        Check::new(name, Kind::Law, move || has_mean_window(period, window, losses))
    };
    TABLE.into_iter().map(check).collect()
}

/// The mean is below the largest window by half of what the first loss takes. The RFC's functions are of the mean window, and its table of
/// rounded constants: within 5 %.
fn has_mean_window(period: u64, window: f64, losses: u64) -> Finding {
    let run = PeriodicLosses {
        flavor: json!("high-speed"),
        round_trip_ms: 100,
        period,
        first_window: window * 1.15,
        expected_mean: window,
        losses,
    };
    let mean = run.mean_window()?;
    require((mean / window - 1.0).abs() < 0.05, format!("{mean:.1} segments over {losses} losses"))
}
