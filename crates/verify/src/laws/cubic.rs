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

/// Rows whose windows are of the cubic function and not of Reno's.
const CUBIC_REGION: [(u64, u64, f64); 2] = [TABLE[1], TABLE[2]];

/// One check per row, and those of fast convergence.
pub fn checks() -> Vec<Check> {
    let check = |(round_trip, period, window): (u64, u64, f64)| {
        let name = format!(
            "CUBIC's mean window over {round_trip} ms with a loss every {period} packets is RFC 9438's {window}"
        );
        Check::new(name, Kind::Law, move || has_mean_window(round_trip, period, window))
    };
    let costs = |(round_trip, period, window): (u64, u64, f64)| {
        let name = format!(
            "CUBIC's fast convergence over {round_trip} ms with a loss every {period} packets costs what a fluid model says"
        );
        Check::new(name, Kind::Law, move || costs_what_the_model_says(round_trip, period, window))
    };
    TABLE.into_iter().map(check).chain(CUBIC_REGION.into_iter().map(costs)).collect()
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
    let mean = mean_window(false, round_trip, period, window)?;
    require((mean / window - 1.0).abs() < 0.05, format!("{mean:.1} segments over {LOSSES} losses"))
}

fn mean_window(fast_convergence: bool, round_trip: u64, period: u64, window: f64) -> Result<f64, String> {
    let losses = PeriodicLosses {
        flavor: json!({ "kind": "cubic", "fast_convergence": fast_convergence }),
        round_trip_ms: round_trip,
        period,
        first_window: window_before_loss(window),
        expected_mean: window,
        losses: LOSSES,
    };
    losses.mean_window()
}

/// The table's windows are those of one loss after another at the same window, W. With fast convergence the next maximum is (1 + beta) / 2 of a window that
/// is below the last maximum. So every second maximum is lower, and the function is flat too early.
fn costs_what_the_model_says(round_trip: u64, period: u64, window: f64) -> Finding {
    let less = 1.0 - mean_window(true, round_trip, period, window)? / mean_window(false, round_trip, period, window)?;
    let fluid = |fast| fluid_mean(fast, round_trip, period, window);
    let expected = 1.0 - fluid(true) / fluid(false);
    let words = format!("{:.1} % less than without, {:.1} % in the model", 100.0 * less, 100.0 * expected);
    require(expected > 0.05 && (less - expected).abs() < 0.02, words)
}

/// Mean window of a fluid with the cubic function (RFC 9438 section 4.2, equations 1 and 2), beta = 0.7 and C = 0.4, from the first loss to the last. It begins
/// a little above the window of the table: one that stays exactly where it is never converges, and no packets do that.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn fluid_mean(fast_convergence: bool, round_trip: u64, period: u64, mean: f64) -> f64 {
    const STEP: f64 = 1e-3;
    let (beta, round_trip) = (0.7, round_trip as f64 / 1000.0);
    let (mut window, mut last_maximum, mut seconds) = (1.02 * window_before_loss(mean), 0.0, 0.0);
    for _ in 1..LOSSES {
        let converges = fast_convergence && window < last_maximum;
        let maximum = if converges { window * (1.0 + beta) / 2.0 } else { window };
        let k = ((maximum - beta * window) / 0.4_f64).cbrt();
        let (mut packets, mut t) = (0.0, 0.0_f64);
        last_maximum = maximum;
        while packets < period as f64 {
            window = 0.4 * (t - k).powi(3) + maximum;
            packets += window / round_trip * STEP;
            t += STEP;
        }
        seconds += t;
    }
    (LOSSES - 1) as f64 * period as f64 * round_trip / seconds
}
