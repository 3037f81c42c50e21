//! A buffer that holds the sum of all windows loses nothing (UBR+ section 4, Table 1; final report, task 3).

use serde_json::{Value as Json, json};

use crate::check::{Check, Finding, Kind, require};
use crate::runs::record;

/// The LANs of Table 1.
pub fn checks() -> Vec<Check> {
    let check = |(sources, peak): (u64, u64)| {
        let name = format!("the queue of {sources} LAN sources without loss peaks at all windows: {peak} cells");
        Check::new(name, Kind::Law, move || peaks_at(sources, peak))
    };
    let mut checks: Vec<Check> = [(5, 7591), (15, 22_831)].map(check).into();
    checks.push(Check::new(
        "a buffer of all windows loses nothing, one of a cell less than their queue does",
        Kind::Law,
        suffices,
    ));
    checks
}

fn lan(sources: u64, buffer: &str) -> Json {
    let link = json!({ "rate": "155.52 Mbit/s", "delay": "5 us" });
    json!({
        "schema_version": 1,
        "duration": "2 s",
        "topology": { "kind": "n-source", "sources": sources, "access": link, "bottleneck": link },
        "port": { "buffer": buffer },
        "tcp": { "mss": "512 B", "receiver_window": "65535 B" },
    })
}

fn peaks_at(sources: u64, peak: u64) -> Finding {
    let metrics = record(&lan(sources, "unlimited"))?.metrics;
    // 127 segments of 12 cells each, less the 29 cells that are elsewhere on the path.
    let by_hand = sources * 127 * 12 - 29;
    let found = metrics.max_queue_cells;
    require(found == peak && peak == by_hand, format!("{found} cells; {sources} * 127 * 12 - 29 = {by_hand}"))
}

fn suffices() -> Finding {
    let lost = |buffer: u64| -> Result<u64, String> {
        Ok(record(&lan(5, &format!("{buffer} cells")))?.ports.iter().map(|port| port.cells_dropped).sum())
    };
    let (enough, less) = (lost(7591)?, lost(7590)?);
    require(enough == 0 && less > 0, format!("lost with 7591 cells: {enough}; with 7590: {less}"))
}
