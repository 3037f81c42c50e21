//! Task 6 of the UBR+ final report: with integers, linear growth stops at the square of the segment size.

use serde_json::{Value as Json, json};

use crate::check::{Check, Finding, Kind, require};
use crate::runs::{Sending, sendings};

/// The stall, and solutions 1 and 3.
pub fn checks() -> Vec<Check> {
    vec![
        Check::new("in integers the window of 512-byte segments stands still at 262144 B", Kind::Law, stands_still),
        Check::new("an increment for every 100 acknowledgments grows as floating point does", Kind::Law, grows_alike),
    ]
}

/// A satellite path of 550 ms with segments of 512 B and a window of 8704000 B (97-0424 section 4.1), from just below the stall on, without
/// loss.
fn growth(arithmetic: &str, period: u64) -> Result<Vec<Sending>, String> {
    let json: Json = json!({
        "schema_version": 1,
        "duration": "40 s",
        "topology": {
            "kind": "n-source", "sources": 1,
            "access": { "rate": "155.52 Mbit/s", "delay": "5 us" }, "bottleneck": { "rate": "155.52 Mbit/s", "delay": "275 ms" },
        },
        "framing": "packet",
        "port": { "buffer": "unlimited" },
        "tcp": {
            "flavor": "reno", "mss": "512 B", "receiver_window": "8704000 B", "initial_ssthresh": "250000 B",
            "window_arithmetic": arithmetic, "acknowledgments_per_increment": period,
        },
    });
    sendings(&json)
}

fn stands_still() -> Finding {
    let sent = growth("integer", 1)?;
    let last = sent.last().ok_or("nothing was sent")?.cwnd;
    let since = sent.iter().find(|sending| sending.cwnd >= last).map_or(0.0, |sending| sending.time.as_seconds());
    // At 262144 B the increment is one byte for the last time.
    require((last - 262_145.0).abs() < 1.5 && since < 30.0, format!("cwnd {last} B from {since:.1} s to 40 s"))
}

fn grows_alike() -> Finding {
    let (exact, integer) = (growth("floating-point", 1)?, growth("integer", 100)?);
    let mut worst: f64 = 0.0;
    for tenth in 1..=400_u64 {
        let until = tenth * 100_000_000_000;
        let at = |sent: &[Sending]| {
            let last = sent.partition_point(|sending| sending.time.0 <= until);
            sent[last.saturating_sub(1)].cwnd
        };
        worst = worst.max((at(&integer) / at(&exact) - 1.0).abs());
    }
    let reached = exact.last().ok_or("nothing was sent")?.cwnd;
    require(
        worst <= 0.02 && reached > 262_144.0,
        format!("at most {:.2} % apart over 40 s; cwnd reaches {reached:.0} B", 100.0 * worst),
    )
}
