//! What H-TCP's growth by the time since the last loss makes of periodic losses, and what its backoff leaves in a queue.

use serde_json::{Value as Json, json};

use super::periodic::PeriodicLosses;
use crate::check::{Check, Finding, Kind, require};
use crate::runs::record;

/// The response function, and the queue.
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

/// Time between two losses and packets in it, for a window that is this when a loss comes and half of it then. For a round trip, which repairs the
/// loss, nothing grows; then 1 + 10 (t - 1) + ((t - 1) / 2)^2 segments in a round trip, 1 up to a second.
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

/// By bisection, for the packets of a cycle grow with its window.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn has_mean_window(period: u64) -> Finding {
    let (mut low, mut high) = (2.0, 1e5);
    while high - low > 0.01 {
        let middle = 0.5 * (low + high);
        if cycle(middle).1 < period as f64 { low = middle } else { high = middle }
    }
    let expected = period as f64 / cycle(low).0 * ROUND_TRIP_SECONDS;
    let losses = PeriodicLosses {
        // The path has no queue: without the adaptive backoff, which would leave four fifths.
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

/// 10 Mbit/s and 100 ms, and a quarter of that as buffer: round trips are between 100 and 125 ms, so that a loss leaves 4/5 of the window, which is what
/// the path holds. Half of it would leave the line idle.
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
