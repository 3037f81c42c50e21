//! The mean windows that RFC 9438 gives for CUBIC and Reno under losses at equal distances.

use serde_json::{Value as Json, json};

use crate::check::{Check, Finding, Kind, require};
use crate::runs::record;

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

const SEGMENT_BYTES: f64 = 1000.0;

/// What the window is just before a loss, for this mean (RFC 9438 section 5.1 with beta = 0.7: the mean is (3 + beta) / 4 of it).
fn window_before_loss(mean: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most a few thousand")]
    let window = (mean * 4.0 / 3.7).round() as u64;
    window
}

/// A path that is never busy, so that its round trip is constant. Every loss is to come at the same window, so the first comes at it: the
/// function is flat there, and from another window it would take hundreds of losses to get there. So there is no fast convergence
/// either, which is for windows that shrink.
fn scenario(round_trip: u64, period: u64, window: u64, losses: u64, seconds: u64) -> Json {
    let link = |delay| json!({ "rate": "100 Gbit/s", "delay": delay });
    let drops: Vec<u64> = (0..losses).map(|number| window + number * period).collect();
    json!({
        "schema_version": 1,
        "duration": format!("{seconds} s"),
        "topology": {
            "kind": "n-source", "sources": 1, "access": link("1 us".to_owned()),
            "bottleneck": link(format!("{} us", 500 * round_trip - 2)),
        },
        "framing": "packet",
        "port": { "buffer": "unlimited" },
        "loss": { "kind": "list", "drops": [drops] },
        "tcp": {
            "flavor": { "kind": "cubic", "fast_convergence": false }, "mss": "1000 B", "receiver_window": "10 MB",
            "timer_granularity": "10 ms", "timestamps": true,
            "retransmission_timeout": { "kind": "rfc-6298", "minimum": "1 s" },
            "initial_window": format!("{window} MSS"), "initial_ssthresh": "1000 B",
        },
    })
}

/// Losses of a run.
const LOSSES: u64 = 12;

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn has_mean_window(round_trip: u64, period: u64, window: f64) -> Finding {
    let round_trip_seconds = round_trip as f64 / 1000.0;
    // No longer than the losses last, if the mean window is what it should be.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few hundred seconds")]
    let seconds = ((LOSSES - 1) as f64 * period as f64 / window * round_trip_seconds) as u64;
    let losses = 2 * LOSSES;
    let json = scenario(round_trip, period, window_before_loss(window), losses, seconds);
    let goodput = record(&json)?.metrics.goodput_bps;
    let mean = goodput / 8.0 / SEGMENT_BYTES * round_trip_seconds;
    require((mean / window - 1.0).abs() < 0.05, format!("{mean:.1} segments in {seconds} s"))
}
