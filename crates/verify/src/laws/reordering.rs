//! Late packets and lost ones: recoveries that count duplicates cannot tell them apart, RACK waits (RFC 8985 section 3.3).

use longfat_engine::measure::RunRecord;
use serde_json::json;

use crate::check::{Check, Finding, Kind, require};
use crate::runs::record;

/// Recoveries that count three duplicates, against RACK.
pub fn checks() -> Vec<Check> {
    let check = |flavor: &'static str| {
        let name = format!(
            "of late packets, by a fifth of a round trip, {flavor} sends twenty times as many again as rack-tlp"
        );
        Check::new(name, Kind::Law, move || sends_late_packets_again(flavor))
    };
    ["newreno", "sack-rfc6675", "cubic"].map(check).into()
}

const SHARE: f64 = 0.02;

/// 10 Mbit/s and 60 ms, on which a share of the packets takes 12 ms longer and none is lost.
fn late_packets(flavor: &str) -> Result<RunRecord, String> {
    record(&json!({
        "schema_version": 1,
        "duration": "60 s",
        "topology": {
            "kind": "n-source", "sources": 1, "access": { "rate": "1 Gbit/s", "delay": "1 ms" },
            "bottleneck": { "rate": "10 Mbit/s", "delay": "28 ms" },
        },
        "framing": "packet",
        "port": { "buffer": "unlimited" },
        "tcp": {
            "flavor": flavor, "mss": "1210 B", "receiver_window": "200 kB", "timer_granularity": "1 ms",
            "retransmission_timeout": "rfc-6298",
        },
        "lines": [{ "at": "bottleneck", "reordering": { "kind": "random", "share": SHARE, "extra": "12 ms" } }],
    }))
}

#[expect(clippy::cast_precision_loss, reason = "counts")]
fn sends_late_packets_again(flavor: &str) -> Finding {
    let (counting, rack) = (late_packets(flavor)?, late_packets("rack-tlp")?);
    let [of_counting, of_rack] = [&counting, &rack].map(|record| {
        let flow = &record.flows[0];
        flow.segments_retransmitted as f64 / (SHARE * flow.segments_sent as f64)
    });
    let [slow, fast] = [&counting, &rack].map(|record| record.metrics.efficiency);
    let found = format!(
        "sent again per late packet: {of_counting:.2}, rack-tlp {of_rack:.3}; efficiency {slow:.3}, rack-tlp {fast:.3}"
    );
    require(of_counting > 20.0 * of_rack && fast > slow, found)
}
