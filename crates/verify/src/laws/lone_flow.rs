//! A single flow fills the path, or is bounded by its window.

use serde_json::{Value as Json, json};

use super::flavors_where;
use crate::check::{Check, Finding, Kind, require};
use crate::runs::record;

/// Full utilization with every flavor that leaves no part of the path idle by itself, and throughput with a small window.
pub fn checks() -> Vec<Check> {
    let full = |flavor: &'static str| {
        Check::new(format!("a flow alone fills the pipe: {flavor}"), Kind::Law, move || fills(flavor))
    };
    let mut checks: Vec<Check> =
        flavors_where(|flavor| !flavor.facts().leaves_pipe_idle).into_iter().map(full).collect();
    checks.push(Check::new("a window smaller than the pipe gives a window in each round trip", Kind::Law, bounded));
    checks
}

/// A path of 10 Mbit/s with a round trip of 100 ms: 125 kB, less than the window.
fn scenario(flavor: &str, receiver_window: u64, seconds: u64) -> Json {
    let delay = |delay| json!({ "rate": "10 Mbit/s", "delay": delay });
    json!({
        "schema_version": 1,
        "duration": format!("{seconds} s"),
        "topology": { "kind": "n-source", "sources": 1, "access": { "rate": "1 Gbit/s", "delay": "1 us" }, "bottleneck": delay("49998 us") },
        "framing": "packet",
        "port": { "buffer": "unlimited" },
        "tcp": { "flavor": flavor, "mss": "1000 B", "receiver_window": format!("{receiver_window} B") },
    })
}

fn delivered(flavor: &str, receiver_window: u64, seconds: u64) -> Result<u64, String> {
    Ok(record(&scenario(flavor, receiver_window, seconds))?.flows[0].bytes_delivered)
}

fn fills(flavor: &str) -> Finding {
    // Measures the last quarter of twenty seconds, when slow start is long over, and growth that follows an early end of it as well.
    let bytes = delivered(flavor, 200_000, 20)? - delivered(flavor, 200_000, 15)?;
    let segments_possible = 5 * 10_000_000 / (8 * 1040);
    let segments = bytes / 1000;
    require(
        segments.abs_diff(segments_possible) <= 1,
        format!("{segments} segments in 5 s, where the line carries {segments_possible}"),
    )
}

fn bounded() -> Finding {
    // Twenty segments per round trip of 100 ms plus the transmission times of a segment and of an acknowledgment.
    let bytes = delivered("vanilla", 20_000, 10)? - delivered("vanilla", 20_000, 5)?;
    let transmissions = 1080.0 * 8.0 / 10e6 + 2.0 * 1080.0 * 8.0 / 1e9;
    let round_trip = 0.1 + transmissions;
    let expected = 5.0 / round_trip * 20_000.0;
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let ratio = bytes as f64 / expected;
    require((ratio - 1.0).abs() < 0.02, format!("{bytes} B in 5 s, where window / round trip is {expected:.0} B"))
}
