//! Throughput is inversely proportional to the square root of the loss rate (Mathis, Semke, Mahdavi and Ott 1997).

use longfat_engine::transport::flavor::Flavor;
use longfat_engine::transport::recovery::ResponseToDuplicates;
use serde_json::{Value as Json, json};

use super::flavors_where;
use crate::check::{Check, Finding, Kind, require};
use crate::runs::{line_through, record};

/// With each flavor that has Reno's response function and repairs a single loss by fast recovery.
pub fn checks() -> Vec<Check> {
    let check = |flavor: &'static str| {
        Check::new(format!("throughput falls with the square root of the loss rate: {flavor}"), Kind::Law, move || {
            falls(flavor)
        })
    };
    let follows_reno = |flavor: &dyn Flavor| {
        let recovery = flavor.recovery().build(&());
        flavor.facts().has_reno_response && recovery.response_to_duplicates() == ResponseToDuplicates::FastRecovery
    };
    flavors_where(follows_reno).into_iter().map(check).collect()
}

const SECONDS: u64 = 400;
const ROUND_TRIP_SECONDS: f64 = 0.1;
const SEGMENT_BYTES: f64 = 1000.0;

/// An idle path, whose round trip is constant; every `period`-th packet is lost.
fn scenario(flavor: &str, period: u64) -> Json {
    let link = |delay| json!({ "rate": "10 Gbit/s", "delay": delay });
    // More packets than a window that grows by one segment per round trip can send.
    let drops: Vec<u64> = (1..=4_000_000 / period).map(|number| number * period).collect();
    json!({
        "schema_version": 1,
        "duration": format!("{SECONDS} s"),
        "topology": { "kind": "n-source", "sources": 1, "access": link("1 us"), "bottleneck": link("49998 us") },
        "framing": "packet",
        "port": { "buffer": "unlimited" },
        "loss": { "kind": "list", "drops": [drops] },
        "tcp": {
            "flavor": flavor, "mss": "1000 B", "receiver_window": "10 MB", "timer_granularity": "10 ms",
            "retransmission_timeout": { "kind": "rfc-6298", "minimum": "1 s" }, "initial_ssthresh": "8000 B",
        },
    })
}

/// If every (1/p)-th packet is lost, the window is a sawtooth between W / 2 and W with 3 W^2 / 8 = 1/p packets per tooth, so the throughput
/// is sqrt(3/2) MSS / (RTT sqrt(p)): slope -1/2, and a constant of 1.22.
fn falls(flavor: &str) -> Finding {
    let mut points = Vec::new();
    for period in [100_u64, 300, 1000, 3000, 10_000] {
        let goodput = record(&scenario(flavor, period))?.metrics.goodput_bps;
        #[expect(clippy::cast_precision_loss, reason = "small")]
        let rate = 1.0 / period as f64;
        points.push((rate.ln(), (goodput / 8.0 * ROUND_TRIP_SECONDS / SEGMENT_BYTES).ln()));
    }
    let (slope, height) = line_through(&points);
    let constant = points.iter().map(|(x, y)| (y + x / 2.0).exp()).sum::<f64>() / 5.0;
    let holds = (slope + 0.5).abs() < 0.03 && (constant / 1.5_f64.sqrt() - 1.0).abs() < 0.08;
    require(
        holds,
        format!(
            "exponent {slope:.3} for -0.5, constant {constant:.3} for {:.3} (height of the line {:.3})",
            1.5_f64.sqrt(),
            height.exp()
        ),
    )
}
