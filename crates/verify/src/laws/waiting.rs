//! The queue of Poisson arrivals with a constant service time, M/D/1 (Pollaczek and Khinchin; Kleinrock 1975, section 5.6).

use serde_json::json;

use crate::check::{Check, Finding, Kind, require};
use crate::runs::record;

/// Light, medium and heavy load, in cells and in packets.
pub fn checks() -> Vec<Check> {
    let mut checks = Vec::new();
    for (framing, size) in [("aal5", 48), ("packet", 960)] {
        for load in [0.3, 0.6, 0.9] {
            let name = format!("Poisson arrivals at load {load} wait as M/D/1 says: framing {framing}");
            checks.push(Check::new(name, Kind::Law, move || waits(framing, size, load)));
        }
    }
    checks
}

const SEEDS: u64 = 12;

/// Quantile of Student's t with 11 degrees of freedom, exceeded with probability 0.001 on either side.
const T_999: f64 = 4.44;

/// The mean queue length is rho^2 / (2 (1 - rho)): the mean wait times the arrival rate (Little's law).
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small numbers"
)]
fn waits(framing: &str, size: u64, load: f64) -> Finding {
    let service_microseconds = if framing == "aal5" { 424.0 } else { 8000.0 } / 155.52;
    let services = if load > 0.8 { 100_000.0 } else { 30_000.0 };
    let link = json!({ "rate": "155.52 Mbit/s", "delay": "5 us" });
    let mut means = Vec::new();
    for seed in 1..=SEEDS {
        let run = record(&json!({
            "schema_version": 1,
            "duration": format!("{} us", (services * service_microseconds) as u64),
            "seed": seed,
            "topology": { "kind": "n-source", "sources": 1, "access": link, "bottleneck": link },
            "framing": framing,
            "port": { "buffer": "unlimited", "arrival_order": "first-come-first-served" },
            "background": [{ "kind": "poisson", "load": load, "size": format!("{size} B") }],
            "traffic": { "kind": "finite", "size": "1 B" },
        }))?;
        means.push(run.metrics.mean_queue_cells);
    }
    let expected = load * load / (2.0 * (1.0 - load));
    let mean = means.iter().sum::<f64>() / SEEDS as f64;
    let variance = means.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (SEEDS - 1) as f64;
    let error = (variance / SEEDS as f64).sqrt();
    require(
        (mean - expected).abs() < T_999 * error,
        format!("{mean:.4} wait (standard error {error:.4}), by the law {expected:.4}"),
    )
}
