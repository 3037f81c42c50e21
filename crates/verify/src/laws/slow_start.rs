//! Slow start doubles the window per round trip (Jacobson 1988; UBR+ section 2).

use longfat_engine::transport::flavor::Flavor;
use longfat_engine::transport::law::SlowStart;
use serde_json::json;

use super::flavors_where;
use crate::check::{Check, Finding, Kind, require};
use crate::runs::{Sending, sendings};

/// With every flavor that sends a window in a burst and doubles it per round trip.
pub fn checks() -> Vec<Check> {
    let check = |flavor: &'static str| {
        Check::new(format!("slow start doubles the window in each round trip: {flavor}"), Kind::Law, move || {
            doubles(flavor)
        })
    };
    let doubles_in_bursts = |flavor: &dyn Flavor| {
        let facts = flavor.facts();
        facts.slow_start == SlowStart::Doubles && !facts.is_paced
    };
    flavors_where(doubles_in_bursts).into_iter().map(check).collect()
}

const ROUNDS: u32 = 10;

/// Six links of 33 ms, fast enough that each round is a burst followed by silence.
fn doubles(flavor: &str) -> Finding {
    let link = json!({ "rate": "100 Gbit/s", "delay": "33 ms" });
    let sent = sendings(&json!({
        "schema_version": 1,
        "duration": format!("{} ms", 198 * u64::from(ROUNDS) - 50),
        "topology": { "kind": "n-source", "sources": 1, "access": link, "bottleneck": link },
        "framing": "packet",
        "port": { "buffer": "unlimited" },
        "tcp": { "flavor": flavor, "mss": "1000 B", "receiver_window": "4000000 B", "initial_ssthresh": "unlimited" },
    }))?;
    let is_same_burst = |one: &Sending, next: &Sending| (next.time - one.time).0 < SILENCE_PS;
    let counts: Vec<usize> = sent.chunk_by(is_same_burst).map(<[Sending]>::len).collect();
    let doubled: Vec<usize> = (0..ROUNDS).map(|number| 1 << number).collect();
    require(counts == doubled, format!("segments sent in each round trip: {counts:?}"))
}

/// Half of a round trip.
const SILENCE_PS: u64 = 99_000_000_000;
