//! SaTCP beside CUBIC on a path with losses at its handovers.

use serde_json::{Value as Json, json};

use crate::check::{Check, Finding, Kind, require};
use crate::runs::record;

/// Every statement.
pub fn checks() -> Vec<Check> {
    let check = |name: &str, run: fn() -> Finding| Check::new(name, Kind::Law, run);
    vec![
        check("SaTCP has a third more than CUBIC of a line with losses at handovers", makes_good),
        check("SaTCP is CUBIC where losses are not those of handovers", is_cubic_otherwise),
    ]
}

/// Efficiency over 300 Mbit/s and 100 ms in 75 s: every 15 s a tenth of the packets is lost for 200 ms.
fn efficiency(flavor: &Json, buffer: &str) -> Result<f64, String> {
    let losses: String = (1..5).map(|number| format!("{0},0.1\n{0}.2,0\n", 15 * number)).collect();
    let record = record(&json!({
        "schema_version": 1,
        "duration": "75 s",
        "framing": "ethernet",
        "topology": {
            "kind": "n-source", "sources": 1,
            "access": { "rate": "1 Gbit/s", "delay": "1 ms" },
            "bottleneck": { "rate": "300 Mbit/s", "delay": "49 ms" },
        },
        "port": { "buffer": buffer },
        "path": { "kind": "schedule", "steps": format!("time_s,loss\n0,0\n{losses}") },
        "tcp": { "preset": "linux-6.12", "flavor": flavor, "receiver_window": "32 MB" },
    }))?;
    Ok(record.metrics.efficiency)
}

fn makes_good() -> Finding {
    let mut found = Vec::new();
    for buffer in ["0.1 BDP", "0.5 BDP"] {
        let (cubic, satcp) = (efficiency(&json!("cubic"), buffer)?, efficiency(&json!("satcp"), buffer)?);
        let words = format!("{buffer}: {:.1} % of the line, CUBIC {:.1} %", 100.0 * satcp, 100.0 * cubic);
        require(satcp > 4.0 / 3.0 * cubic, words.clone())?;
        found.push(words);
    }
    Ok(found.join("; "))
}

/// It believes that handovers are 7 s after each multiple of 15 s: no loss is within 2.3 s of 0.5 s before.
fn is_cubic_otherwise() -> Finding {
    let mistaken = efficiency(&json!({ "kind": "satcp", "offset": "7 s" }), "0.1 BDP")?;
    let cubic = efficiency(&json!("cubic"), "0.1 BDP")?;
    #[expect(clippy::float_cmp, reason = "the runs are the same")]
    let is_same = mistaken == cubic;
    require(is_same, format!("{:.3} % of the line, CUBIC {:.3} %", 100.0 * mistaken, 100.0 * cubic))
}
