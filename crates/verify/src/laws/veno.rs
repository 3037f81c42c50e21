//! TCP Veno where nothing waits.

use serde_json::json;

use super::periodic::PeriodicLosses;
use crate::check::{Check, Finding, Kind, require};

/// The response function while no loss is one of congestion.
pub fn checks() -> Vec<Check> {
    let check = |period| {
        let name =
            format!("Veno's mean window with a loss every {period} packets and no queue is that of one and a fifth");
        Check::new(name, Kind::Law, move || has_mean_window(period))
    };
    [1_000, 10_000].map(check).into()
}

/// The share of the window that a loss takes; growth is one segment in a round trip.
const DECREASE: f64 = 0.2;

/// From 4/5 W to W takes W / 5 round trips of 9/10 W packets, and one of 4/5 W, which repairs the loss.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn has_mean_window(period: u64) -> Finding {
    let left = 1.0 - DECREASE;
    let (square, linear) = (DECREASE * (1.0 + left) / 2.0, left);
    let window = ((linear * linear + 4.0 * square * period as f64).sqrt() - linear) / (2.0 * square);
    let expected = period as f64 / (1.0 + DECREASE * window);
    let losses = PeriodicLosses {
        flavor: json!("veno"),
        round_trip_ms: 100,
        period,
        first_window: window,
        expected_mean: expected,
        losses: 20,
    };
    let mean = losses.mean_window()?;
    require((mean / expected - 1.0).abs() < 0.03, format!("{mean:.1} segments for {expected:.1}"))
}
