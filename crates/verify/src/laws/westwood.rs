//! TCP Westwood+ with losses that are not due to congestion.

use serde_json::{Value as Json, json};

use crate::check::{Check, Finding, Kind, require};
use crate::runs::{record, sendings};

/// A path with random losses, and one with a full buffer.
pub fn checks() -> Vec<Check> {
    vec![
        Check::new(
            "Westwood+ fills a path of which Reno has a third, where one packet in 1000 is lost",
            Kind::Law,
            fills,
        ),
        Check::new("Westwood+ leaves of a window with a full buffer what the path holds", Kind::Law, leaves_the_path),
    ]
}

/// 10 Mbit/s and 100 ms: the path holds 120 packets of 1040 bytes.
const PATH_SEGMENTS: f64 = 10e6 * 0.1 / 8.0 / 1040.0;

fn scenario(flavor: &str, buffer: &str, losses: &Json) -> Json {
    json!({
        "schema_version": 1,
        "duration": "200 s",
        "topology": {
            "kind": "n-source", "sources": 1, "access": { "rate": "1 Gbit/s", "delay": "1 us" },
            "bottleneck": { "rate": "10 Mbit/s", "delay": "49998 us" },
        },
        "framing": "packet",
        "port": { "buffer": buffer },
        "loss": losses,
        "tcp": {
            "flavor": flavor, "mss": "1000 B", "receiver_window": "1 MB", "timestamps": true,
            "retransmission_timeout": { "kind": "rfc-6298", "minimum": "1 s" },
        },
    })
}

/// Reno's mean window is sqrt(1.5 * 1000) = 38.7 segments (Mathis 1997).
fn fills() -> Finding {
    let drops: Vec<u64> = (1..=300).map(|number| number * 1000).collect();
    let losses = json!({ "kind": "list", "drops": [drops] });
    let efficiency = |flavor: &str| -> Result<f64, String> {
        Ok(record(&scenario(flavor, "unlimited", &losses))?.metrics.efficiency)
    };
    let (westwood, reno) = (efficiency("westwood")?, efficiency("sack-rfc6675")?);
    let expected = 1500_f64.sqrt() / PATH_SEGMENTS;
    let holds = westwood > 0.9 && (reno / expected - 1.0).abs() < 0.1;
    require(holds, format!("{westwood:.2} of the line, with Reno's law {reno:.2} for {expected:.2}"))
}

/// With a buffer of four times the path, a loss occurs at five times the bandwidth-delay product. It leaves the bandwidth times the minimum
/// round trip, which is the bandwidth-delay product; Reno's window is halved.
fn leaves_the_path() -> Finding {
    let least = |flavor: &str| -> Result<f64, String> {
        let sent = sendings(&scenario(flavor, "480 packets", &json!("none")))?;
        // The last 100 s, free of effects of slow start.
        let late = sent.iter().filter(|sending| sending.time.0 > 100_000_000_000_000);
        Ok(late.map(|sending| sending.cwnd).fold(f64::INFINITY, f64::min) / 1000.0)
    };
    let (westwood, reno) = (least("westwood")?, least("sack-rfc6675")?);
    let holds = (westwood / PATH_SEGMENTS - 1.0).abs() < 0.05 && reno > 2.0 * PATH_SEGMENTS;
    require(holds, format!("{westwood:.1} segments for {PATH_SEGMENTS:.1}, with Reno's law {reno:.1}"))
}
