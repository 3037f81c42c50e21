//! TCP Vegas' queue.

use serde_json::{Value as Json, json};

use crate::check::{Check, Finding, Kind, require};
use crate::runs::{Sending, record, sendings};

/// Slow start, and the queue in steady state.
pub fn checks() -> Vec<Check> {
    vec![
        Check::new("Vegas' slow start doubles the window in every second round trip", Kind::Law, doubles),
        Check::new("Vegas fills a line with one to three segments in its queue", Kind::Law, waits),
        Check::new("Vegas fills a line with four to six segments in its queue, if told so", Kind::Law, waits_more),
    ]
}

const ROUNDS: u64 = 11;

/// Six links of 33 ms, fast enough that each round is a burst followed by silence.
fn doubles() -> Finding {
    let link = json!({ "rate": "100 Gbit/s", "delay": "33 ms" });
    let sent = sendings(&json!({
        "schema_version": 1,
        "duration": format!("{} ms", 198 * ROUNDS - 50),
        "topology": { "kind": "n-source", "sources": 1, "access": link, "bottleneck": link },
        "framing": "packet",
        "port": { "buffer": "unlimited" },
        "tcp": { "flavor": "vegas", "mss": "1000 B", "receiver_window": "4000000 B", "initial_ssthresh": "unlimited" },
    }))?;
    let is_same_burst = |one: &Sending, next: &Sending| (next.time - one.time).0 < 99_000_000_000;
    let counts: Vec<usize> = sent.chunk_by(is_same_burst).map(<[Sending]>::len).collect();
    require(counts == [1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32], format!("segments sent in each round trip: {counts:?}"))
}

/// 10 Mbit/s, and a round trip of 100 ms plus the transmission time of a packet of 1040 bytes.
fn scenario(flavor: &Json) -> Json {
    json!({
        "schema_version": 1,
        "duration": "60 s",
        "topology": {
            "kind": "n-source", "sources": 1, "access": { "rate": "1 Gbit/s", "delay": "1 us" },
            "bottleneck": { "rate": "10 Mbit/s", "delay": "49998 us" },
        },
        "framing": "packet",
        "port": { "buffer": "unlimited" },
        "tcp": { "flavor": flavor, "mss": "1000 B", "receiver_window": "1 MB", "timestamps": true },
    })
}

fn waits() -> Finding {
    has_waiting(&json!("vegas"), 1.0, 3.0)
}

fn waits_more() -> Finding {
    has_waiting(&json!({ "kind": "vegas", "alpha": 4, "beta": 6 }), 4.0, 6.0)
}

/// In the last 30 s the window exceeds the bandwidth-delay product by alpha to beta segments. With timestamps a packet has 1052 bytes.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn has_waiting(flavor: &Json, alpha: f64, beta: f64) -> Finding {
    let scenario = scenario(flavor);
    let flow = |seconds: u64| -> Result<u64, String> {
        let mut scenario = scenario.clone();
        scenario["duration"] = format!("{seconds} s").into();
        Ok(record(&scenario)?.flows[0].bytes_delivered)
    };
    let efficiency = (flow(60)? - flow(30)?) as f64 / (30.0 * 10e6 / 8.0 * 1000.0 / 1052.0);
    let sent = sendings(&scenario)?;
    let path = (0.1 * 10e6 / 8.0 + 1052.0) / 1052.0;
    let late = sent.iter().filter(|sending| sending.time.0 > 30_000_000_000_000);
    let waiting: Vec<f64> = late.map(|sending| sending.cwnd / 1000.0 - path).collect();
    let least = waiting.iter().copied().fold(f64::INFINITY, f64::min);
    let most = waiting.iter().copied().fold(0.0, f64::max);
    let holds = least > alpha - 0.1 && most < beta + 0.1 && efficiency > 0.999;
    require(holds, format!("{least:.2} to {most:.2} segments wait, {efficiency:.3} of the line"))
}
