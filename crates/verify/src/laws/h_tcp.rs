//! H-TCP under periodic losses, and the utilization with its adaptive backoff.

use serde_json::{Value as Json, json};

use super::periodic::PeriodicLosses;
use crate::check::{Check, Finding, Kind, require};
use crate::runs::record;

/// The response function, and the utilization.
pub fn checks() -> Vec<Check> {
    let response = [1_000, 10_000, 100_000].map(|period| {
        let name =
            format!("H-TCP's mean window with a loss every {period} packets is what its growth in time makes of it");
        Check::new(name, Kind::Law, move || has_mean_window(period))
    });
    let name = "H-TCP's backoff keeps a line busy whose buffer is a quarter of the path";
    response.into_iter().chain([Check::new(name, Kind::Law, keeps_busy)]).collect()
}

const ROUND_TRIP_SECONDS: f64 = 0.1;

/// Time between two losses and packets sent in it, for a window of `window` at a loss, halved by it. Nothing grows in the first round trip,
/// which repairs the loss; then 1 + 10 (t - 1) + ((t - 1) / 2)^2 segments per round trip, 1 in the first second.
fn cycle(window: f64) -> (f64, f64) {
    const STEP: f64 = 1e-4;
    let (mut seconds, mut now, mut packets) = (0.0, window / 2.0, 0.0);
    while now < window {
        let beyond = f64::max(seconds - 1.0, 0.0);
        if seconds >= ROUND_TRIP_SECONDS {
            now += (1.0 + 10.0 * beyond + 0.25 * beyond * beyond) / ROUND_TRIP_SECONDS * STEP;
        }
        packets += now / ROUND_TRIP_SECONDS * STEP;
        seconds += STEP;
    }
    (seconds, packets)
}

/// Solves for the window by bisection, because the packets of a cycle increase with it.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn has_mean_window(period: u64) -> Finding {
    let (mut low, mut high) = (2.0, 1e5);
    while high - low > 0.01 {
        let middle = 0.5 * (low + high);
        if cycle(middle).1 < period as f64 { low = middle } else { high = middle }
    }
    let expected = period as f64 / cycle(low).0 * ROUND_TRIP_SECONDS;
    let losses = PeriodicLosses {
        // The path has no queue: adaptive backoff would leave four fifths.
        flavor: json!({ "kind": "h-tcp", "adaptive_backoff": false }),
        round_trip_ms: 100,
        period,
        first_window: low,
        expected_mean: expected,
        losses: 20,
    };
    let mean = losses.mean_window()?;
    require((mean / expected - 1.0).abs() < 0.03, format!("{mean:.1} segments for {expected:.1}"))
}

/// 10 Mbit/s and 100 ms, with a quarter of that as buffer: round trips are 100 to 125 ms, so a loss leaves 4/5 of the window, which is the
/// bandwidth-delay product. Half of it would leave the line idle.
fn keeps_busy() -> Finding {
    let scenario = |adaptive: bool| -> Json {
        json!({
            "schema_version": 1,
            "duration": "100 s",
            "topology": {
                "kind": "n-source", "sources": 1, "access": { "rate": "1 Gbit/s", "delay": "1 us" },
                "bottleneck": { "rate": "10 Mbit/s", "delay": "49998 us" },
            },
            "framing": "packet",
            "port": { "buffer": "30 packets" },
            "tcp": {
                "flavor": { "kind": "h-tcp", "adaptive_backoff": adaptive }, "mss": "1000 B", "receiver_window": "1 MB",
                "timestamps": true, "retransmission_timeout": { "kind": "rfc-6298", "minimum": "1 s" },
            },
        })
    };
    let efficiency = |adaptive: bool| -> Result<f64, String> { Ok(record(&scenario(adaptive))?.metrics.efficiency) };
    let (adaptive, half) = (efficiency(true)?, efficiency(false)?);
    require(
        adaptive > 0.97 && adaptive > half + 0.03,
        format!("{adaptive:.3} of the line, with half of the window {half:.3}"),
    )
}
