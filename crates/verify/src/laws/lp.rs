//! TCP-LP alone and beside others.

use serde_json::{Value as Json, json};

use crate::check::{Check, Finding, Kind, require};
use crate::runs::record;

/// Use of an idle line, and of one that others use.
pub fn checks() -> Vec<Check> {
    vec![
        Check::new("TCP-LP alone uses the line but for the window that it grows back", Kind::Law, uses_a_line),
        Check::new("TCP-LP leaves a line to Reno", Kind::Law, yields),
    ]
}

/// Packets of 1052 bytes that 10 Mbit/s and 100 ms hold, and that the buffer does.
const PATH: f64 = 119.0;
/// The share of the longest delay at which a window is halved, and the round trips after it without growth.
const THRESHOLD: f64 = 0.15;
const INFERENCE: f64 = 3.0;

fn scenario(flavors: &[&str]) -> Json {
    let connections: Vec<Json> = flavors.iter().map(|flavor| json!({ "count": 1, "flavor": flavor })).collect();
    json!({
        "schema_version": 1,
        "duration": "300 s",
        "topology": {
            "kind": "n-source", "sources": flavors.len(), "access": { "rate": "1 Gbit/s", "delay": "1 us" },
            "bottleneck": { "rate": "10 Mbit/s", "delay": "49998 us" },
        },
        "framing": "packet",
        "port": { "buffer": "119 packets" },
        "connections": connections,
        "tcp": {
            "mss": "1000 B", "receiver_window": "1 MB", "timestamps": true, "initial_ssthresh": "unlimited",
            "retransmission_timeout": { "kind": "rfc-6298", "minimum": "1 s" },
        },
    })
}

/// Slow start fills the buffer, so a window is halved when 0.15 of it wait, and a few packets later, by which the smoothed delay lags behind:
/// eight samples of a window that grows by a packet in 137 are less than one packet, so half of the path and of that queue is left.
/// For three round trips the window stays; then it needs one for each packet that is missing.
fn uses_a_line() -> Finding {
    let queue = THRESHOLD * PATH;
    let missing = PATH - (PATH + queue) / 2.0;
    let idle = INFERENCE * missing + missing * missing / 2.0;
    let round_trips = INFERENCE + missing + queue;
    let expected = 1.0 - idle / (round_trips * PATH);
    let efficiency = record(&scenario(&["lp"]))?.metrics.efficiency;
    require((efficiency - expected).abs() < 0.05, format!("{efficiency:.3} of the line for {expected:.3}"))
}

/// Reno keeps between half of the buffer and all of it full, which is more than 0.15.
fn yields() -> Finding {
    let flows = record(&scenario(&["lp", "sack-rfc6675"]))?.flows;
    let share = flows[0].goodput_bps / (flows[0].goodput_bps + flows[1].goodput_bps);
    require(share < 0.05, format!("{share:.3} of the goodput"))
}
