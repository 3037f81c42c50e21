//! Asymmetric paths with a narrow way back (RFC 3449).

use longfat_engine::measure::RunRecord;
use longfat_engine::scenario::Scenario;
use longfat_engine::{Driver, run_by};

use crate::support::scenario;

/// A connection over 10 Mbit/s there and `back` on the way back, with segments of 500 bytes in packets of 540 and acknowledgments of 40
/// bytes.
fn network(back: &str, acknowledgments: &str) -> Scenario {
    scenario(&format!(
        "schema_version = 1
duration = \"60 s\"
topology = {{ kind = \"n-source\", sources = 1, access = {{ rate = \"100 Mbit/s\", delay = \"1 ms\" }}, \
         bottleneck = {{ rate = \"10 Mbit/s\", rate_back = \"{back}\", delay = \"10 ms\" }} }}
framing = \"packet\"
port.buffer = \"unlimited\"
tcp = {{ flavor = \"sack\", mss = \"500 B\", receiver_window = \"64 kB\", acknowledgments = \"{acknowledgments}\" }}
"
    ))
}

fn record(back: &str, acknowledgments: &str) -> RunRecord {
    let [by_events, fast] = [Driver::Events, Driver::Fast]
        .map(|driver| run_by(driver, &network(back, acknowledgments)).expect("nothing is lost"));
    assert_eq!(fast.fingerprint, by_events.fingerprint);
    assert_eq!((fast.work.driver, by_events.work.driver), ("fast", "events"));
    fast
}

/// Acknowledgments of 320 bits leave at the rate of the line back, 100 or 200 per second, and each releases as much data as it
/// acknowledges.
#[test]
fn a_line_back_that_acknowledgments_fill_is_the_clock_of_the_data() {
    for (back, acknowledgments, segments_a_second) in
        [("32 kbit/s", "immediate", 100.0), ("64 kbit/s", "immediate", 200.0), ("32 kbit/s", "delayed", 200.0)]
    {
        let expected = segments_a_second * 4000.0;
        let goodput = record(back, acknowledgments).flows[0].goodput_bps;
        // The acknowledgments of a whole window are queued.
        let ahead = 64_000.0 * 8.0 / 60.0;
        let is_so = (0.99 * expected..=expected + ahead).contains(&goodput);
        assert!(is_so, "{goodput} for {expected} with {back} and {acknowledgments}");
    }
}

/// Normalized bandwidth ratio below 1: an acknowledgment takes less time back than its segment there (RFC 3449 section 3.1).
#[test]
fn a_line_back_that_acknowledgments_do_not_fill_costs_a_delay_and_no_throughput() {
    let [wide, narrow] = ["as-there", "1 Mbit/s"].map(|back| record(back, "immediate").flows[0].goodput_bps);
    assert!((narrow / wide - 1.0).abs() < 0.01, "{narrow} instead of {wide}");
}

#[test]
fn a_line_back_as_wide_as_the_line_there_is_the_line_that_nobody_mentions() {
    let [mentioned, as_there] = ["10 Mbit/s", "as-there"].map(|back| network(back, "immediate"));
    assert!(!as_there.canonical().contains("rate_back"), "runs keep their names");
    assert!(mentioned.canonical().contains("\"rate_back_bps\":10000000"));
    let records = [mentioned, as_there].map(|scenario| run_by(Driver::Fast, &scenario).expect("nothing is lost"));
    assert_eq!(records[0].fingerprint, records[1].fingerprint);
}
