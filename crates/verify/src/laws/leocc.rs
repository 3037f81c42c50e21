//! LeoCC beside BBR on a path whose rate and delay step every 15 s, as its paper claims: more of the line at no longer queue, if it knows when.

use serde_json::{Value as Json, json};

use crate::check::{Check, Finding, Kind, require};
use crate::runs::record;

/// Every statement.
pub fn checks() -> Vec<Check> {
    let check = |name: &str, run: fn() -> Finding| Check::new(name, Kind::Law, run);
    vec![
        check("LeoCC has more than BBR of a line that changes every 15 s, at no longer round trips", follows_changes),
        check("LeoCC that is mistaken about the time of changes has less than BBR", needs_the_time),
        check("LeoCC alone on a line that does not change has 98 % of it", uses_the_rate),
    ]
}

/// Share of the line and mean round trip in seconds.
struct Outcome {
    efficiency: f64,
    round_trip_s: f64,
}

/// Two minutes of a line that has 100 Mbit/s and 62 ms for 15 s, then 40 Mbit/s and 32 ms, and so on if it changes.
fn result(flavor: &Json, changes: bool, buffer: &str) -> Result<Outcome, String> {
    let change = |number: u32| match number % 2 {
        0 => format!("{},100e6,0.030\n", 15 * number),
        _ => format!("{},40e6,0.015\n", 15 * number),
    };
    let steps: String = (0..if changes { 8 } else { 1 }).map(change).collect();
    let metrics = record(&json!({
        "schema_version": 1,
        "duration": "120 s",
        "framing": "packet",
        "topology": {
            "kind": "n-source", "sources": 1,
            "access": { "rate": "10 Gbit/s", "delay": "1 ms" },
            "bottleneck": { "rate": "100 Mbit/s", "delay": "30 ms" },
        },
        "port": { "buffer": buffer },
        "path": { "kind": "schedule", "steps": format!("time_s,rate_bps,delay_s\n{steps}") },
        "measure": { "from": "15 s" },
        "tcp": { "preset": "linux-6.12", "flavor": flavor, "receiver_window": "100 MB", "handshake": true },
    }))?
    .metrics;
    let round_trip_s = metrics.mean_round_trip_s.ok_or("no round trip")?;
    Ok(Outcome { efficiency: metrics.efficiency, round_trip_s })
}

const BUFFERS: [&str; 2] = ["1 BDP", "4 BDP"];

fn follows_changes() -> Finding {
    let mut found = Vec::new();
    for buffer in BUFFERS {
        let [bbr, leocc] = [json!("bbr"), json!("leocc")].map(|flavor| result(&flavor, true, buffer));
        let (bbr, leocc) = (bbr?, leocc?);
        let words = format!(
            "{buffer}: {:.1} % of the line with {:.1} ms, BBR {:.1} % with {:.1} ms",
            100.0 * leocc.efficiency,
            1e3 * leocc.round_trip_s,
            100.0 * bbr.efficiency,
            1e3 * bbr.round_trip_s,
        );
        require(leocc.efficiency > bbr.efficiency + 0.02 && leocc.round_trip_s <= bbr.round_trip_s, words.clone())?;
        found.push(words);
    }
    Ok(found.join("; "))
}

fn needs_the_time() -> Finding {
    let mistaken = result(&json!({ "kind": "leocc", "offset": "7 s" }), true, BUFFERS[0])?.efficiency;
    let bbr = result(&json!("bbr"), true, BUFFERS[0])?.efficiency;
    require(mistaken < bbr - 0.1, format!("{:.1} %, BBR {:.1} %", 100.0 * mistaken, 100.0 * bbr))
}

fn uses_the_rate() -> Finding {
    let efficiency = result(&json!("leocc"), false, BUFFERS[0])?.efficiency;
    require(efficiency >= 0.98, format!("{:.1} % of what segments can have", 100.0 * efficiency))
}
