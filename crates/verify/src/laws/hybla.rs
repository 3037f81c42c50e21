//! TCP Hybla's independence of the round trip (Caini and Firrincieli 2004).

use serde_json::json;

use super::periodic::PeriodicLosses;
use crate::check::{Check, Finding, Kind, require};

/// RTT0.
const REFERENCE_SECONDS: f64 = 0.025;
/// Packets per loss: enough that the round trip which repairs the loss hardly matters.
const PERIOD: u64 = 100_000;

/// From a terrestrial round trip to a satellite's.
pub fn checks() -> Vec<Check> {
    let check = |round_trip: u64| {
        let name = format!("TCP Hybla's rate over {round_trip} ms is what Reno's is over 25 ms");
        Check::new(name, Kind::Law, move || has_rate_of_reference(round_trip))
    };
    [25, 100, 250, 500].map(check).into()
}

/// Mathis' law at the reference: sqrt(3/2) / (RTT0 sqrt(p)). It holds for any round trip, because a window of rho W that grows by rho^2 per
/// round trip recovers in the same time. The deviation is the round trip that repairs a loss, in which nothing grows: a twelfth of the time
/// between losses at 500 ms.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn has_rate_of_reference(round_trip: u64) -> Finding {
    let seconds = round_trip as f64 / 1000.0;
    let expected = (1.5 * PERIOD as f64).sqrt() / REFERENCE_SECONDS;
    let losses = PeriodicLosses {
        flavor: json!({ "kind": "hybla", "scales_start": false }),
        round_trip_ms: round_trip,
        period: PERIOD,
        // The window at a loss is 4/3 of the mean.
        first_window: expected * seconds * 4.0 / 3.0,
        expected_mean: expected * seconds,
        losses: 10,
    };
    let rate = losses.mean_window()? / seconds;
    require((rate / expected - 1.0).abs() < 0.08, format!("{rate:.0} segments in a second for {expected:.0}"))
}
