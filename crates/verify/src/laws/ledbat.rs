//! LEDBAT's queueing delay, and the capacity that it yields to other connections.

use serde_json::{Value as Json, json};

use crate::check::{Check, Finding, Kind, require};
use crate::runs::{record, sendings};

/// Alone, with Reno, with another LEDBAT, and with a queue on the return path.
pub fn checks() -> Vec<Check> {
    let alone = [50, 100].map(|milliseconds| {
        let name = format!("LEDBAT alone fills a line with a queue of its target of {milliseconds} ms");
        Check::new(name, Kind::Law, move || has_queue(milliseconds))
    });
    let beside = [
        Check::new("LEDBAT gives way to Reno", Kind::Law, gives_way),
        Check::new("LEDBAT that comes late takes its queue for none and the line for itself", Kind::Law, comes_late),
        Check::new(
            "LEDBAT by round trips gives way to a queue on the way back, by one-way delays it does not",
            Kind::Law,
            heeds_one_way,
        ),
    ];
    alone.into_iter().chain(beside).collect()
}

/// A packet with timestamps; 119 of them fill a path of 10 Mbit/s and 100 ms.
const PACKET_BYTES: f64 = 1052.0;
const LINE_BYTES_PER_SECOND: f64 = 10e6 / 8.0;

/// Measures the last 100 of 300 s.
fn scenario(flavor: &Json, sources: u32, buffer: &str) -> Json {
    json!({
        "schema_version": 1,
        "duration": "300 s",
        "measure": { "from": "200 s" },
        "topology": {
            "kind": "n-source", "sources": sources, "access": { "rate": "1 Gbit/s", "delay": "1 us" },
            "bottleneck": { "rate": "10 Mbit/s", "delay": "49998 us" },
        },
        "framing": "packet",
        "port": { "buffer": buffer },
        "tcp": {
            "flavor": flavor, "mss": "1000 B", "receiver_window": "2 MB", "timestamps": true,
            "retransmission_timeout": { "kind": "rfc-6298", "minimum": "1 s" },
        },
    })
}

/// Growth is zero when the queueing delay equals the target: the window is the bandwidth-delay product plus what the line sends in the
/// target.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn has_queue(milliseconds: u64) -> Finding {
    let flavor = json!({ "kind": "ledbat", "target": format!("{milliseconds} ms") });
    let scenario = scenario(&flavor, 1, "unlimited");
    let efficiency = record(&scenario)?.metrics.efficiency;
    let path = (0.1 * LINE_BYTES_PER_SECOND + PACKET_BYTES) / PACKET_BYTES;
    let sent = sendings(&scenario)?;
    let late = sent.iter().filter(|sending| sending.time.as_seconds() > 200.0);
    let waiting: Vec<f64> =
        late.map(|sending| (sending.cwnd / 1000.0 - path) * PACKET_BYTES / LINE_BYTES_PER_SECOND * 1000.0).collect();
    let least = waiting.iter().copied().fold(f64::INFINITY, f64::min);
    let most = waiting.iter().copied().fold(0.0, f64::max);
    let target = milliseconds as f64;
    let holds = least > 0.97 * target && most < 1.03 * target && efficiency > 0.999;
    require(holds, format!("{least:.1} to {most:.1} ms, {efficiency:.4} of the line"))
}

/// With a buffer of four bandwidth-delay products, Reno leaves a queue of 1.5 after each loss, longer than the target: LEDBAT stays at its
/// two segments, of some four hundred.
fn gives_way() -> Finding {
    let mut shared = scenario(&json!("sack-rfc6675"), 2, "480 packets");
    shared["connections"] = json!([{ "count": 1, "flavor": "ledbat" }]);
    let share = record(&shared)?.metrics.first_group_share.ok_or("no share")?;
    require(share < 0.02, format!("{:.2} % of what both have", 100.0 * share))
}

/// The second begins at 150 s, when the queue of slow start has drained and the first maintains a queueing delay of 100 ms. The second
/// includes that in its base delay and adds 100 ms: the first then yields to a queue of 200 ms (late-comer advantage; Carofiglio,
/// Muscariello, Rossi and Valenti 2010).
fn comes_late() -> Finding {
    let mut shared = scenario(&json!("ledbat"), 2, "2000 packets");
    shared["port"]["queue"] = "tail-drop".into();
    (shared["duration"], shared["measure"]) = ("400 s".into(), json!({ "from": "350 s" }));
    shared["connections"] = json!([{ "count": 1 }, { "count": 1, "later": "150 s" }]);
    let found = record(&shared)?;
    let first = found.metrics.first_group_share.ok_or("no share")?;
    let queue_ms = found.metrics.mean_queueing_delay_s.ok_or("no delay")? * 1000.0;
    let holds = first < 0.05 && (queue_ms / 200.0 - 1.0).abs() < 0.05;
    require(
        holds,
        format!("the first has {:.1} % of what both have, and packets wait for {queue_ms:.0} ms", 100.0 * first),
    )
}

/// 10 Mbit/s each way. The return path is filled by a Reno connection with a buffer of four bandwidth-delay products, so acknowledgments
/// are delayed by more than the target. Delayed acknowledgments arrive in bursts and release bursts of segments, for which the target
/// allows no queue to compensate.
fn heeds_one_way() -> Finding {
    let efficiency = |delay: &str| -> Result<f64, String> {
        let mut scenario = scenario(&json!("sack-rfc6675"), 1, "480 packets");
        let host = |from: &str, to: &str| json!({ "from": from, "to": to, "rate": "1 Gbit/s", "delay": "1 us" });
        scenario["topology"] = json!({
            "kind": "graph", "hosts": ["here", "there"], "switches": ["near", "far"],
            "links": [
                { "name": "line", "from": "near", "to": "far", "rate": "10 Mbit/s", "delay": "49998 us", "managed": "both" },
                host("here", "near"), host("there", "far"),
            ],
            "bottleneck": "line",
        });
        scenario["connections"] = json!([
            { "from": "here", "to": "there", "flavor": { "kind": "ledbat", "delay": delay } },
            { "from": "there", "to": "here" },
        ]);
        Ok(record(&scenario)?.metrics.efficiency)
    };
    let (one_way, round_trip) = (efficiency("one-way")?, efficiency("round-trip")?);
    let holds = one_way > 0.7 && round_trip < 0.1;
    require(holds, format!("{one_way:.3} of the line by one-way delays, {round_trip:.3} by round trips"))
}
