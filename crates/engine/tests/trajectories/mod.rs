//! Small networks, event by event, as text that a person can check.
//!
//! Segments are numbered from 0; windows are in segments, before an acknowledgment or a timeout takes effect and after a segment is sent,
//! and the congestion window includes its inflation; an acknowledgment names the next segment expected and, after the windows, the segments
//! that it acknowledges selectively. `lost` is at the first cell that a packet loses.

mod recoveries;
mod resumption;

use std::fmt::Write;

use longfat_engine::framing::{Content, PacketId};
use longfat_engine::scenario::Scenario;
use longfat_engine::transport::Blocks;

use crate::support::expected::assert_as_expected;
use crate::support::scenario;
use crate::support::tape::{Happening, run_taped};

/// Formats the tape of a run as a table.
fn table(scenario: &Scenario) -> String {
    let (tape, record) = run_taped(scenario);
    #[expect(clippy::cast_precision_loss, reason = "a segment size")]
    let mss = scenario.tcp.mss.0 as f64;
    let number = |sequence: u64| sequence / scenario.tcp.mss.0;
    let mut text =
        format!("{:>12}  {:<6}{:<12}{:>8}{:>9}{:>10}\n", "ms", "flow", "event", "segment", "cwnd", "ssthresh");
    let mut damaged: Option<PacketId> = None;
    for entry in &tape {
        let mut selective = String::new();
        let (event, segment, window) = match entry.what {
            Happening::Sent { segment, cwnd, ssthresh } => (
                if segment.again { "send again" } else { "send" },
                Some(number(segment.sequence)),
                Some((cwnd, ssthresh)),
            ),
            Happening::AcknowledgmentSent { .. } => continue,
            Happening::Received { sequence, .. } => ("receive", Some(number(sequence)), None),
            Happening::Acknowledged { next, blocks, cwnd, ssthresh } => {
                selective = in_words(&blocks, number);
                ("ack", Some(number(next)), Some((cwnd, ssthresh)))
            }
            Happening::TimedOut { cwnd, ssthresh } => ("timeout", None, Some((cwnd, ssthresh))),
            Happening::Lost { content: Content::Data { sequence, .. } } => ("lost", Some(number(sequence)), None),
            Happening::Lost { content: Content::Synchronize { .. } | Content::Synchronized { .. } } => {
                ("lost syn", None, None)
            }
            Happening::Lost { content: Content::Acknowledgment(answer) } => {
                ("lost ack", Some(number(answer.next)), None)
            }
            Happening::Lost { content: Content::Datagram { .. } | Content::Background } => continue,
            Happening::Dropped { cell, .. } if damaged == Some(cell.packet) => continue,
            Happening::Dropped { cell, .. } => {
                damaged = Some(cell.packet);
                ("lost", None, None)
            }
        };
        let (whole, rest) = (entry.time.0 / 1_000_000_000, entry.time.0 % 1_000_000_000 / 1_000);
        let segment = segment.map(|number| number.to_string()).unwrap_or_default();
        let (cwnd, ssthresh) =
            window.map(|(cwnd, ssthresh)| (in_segments(cwnd / mss), in_segments(ssthresh / mss))).unwrap_or_default();
        let line = format!(
            "{whole:>5}.{rest:06}  {:<6}{event:<12}{segment:>8}{cwnd:>9}{ssthresh:>10}{selective}",
            entry.flow + 1
        );
        writeln!(text, "{}", line.trim_end()).expect("a text has room");
    }
    let delivered: Vec<_> = record.flows.iter().map(|flow| number(flow.bytes_delivered).to_string()).collect();
    writeln!(text, "delivered: {} segments", delivered.join(" and ")).expect("a text has room");
    text
}

/// First and last segment of each block.
fn in_words(blocks: &Blocks, number: impl Fn(u64) -> u64) -> String {
    let words = blocks.as_slice().iter().map(|block| match (number(block.0), number(block.1 - 1)) {
        (first, last) if first == last => format!("  {first}"),
        (first, last) => format!("  {first}-{last}"),
    });
    words.collect()
}

fn in_segments(window: f64) -> String {
    let text = format!("{window:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Checked by hand, in ms: a cell takes .001 on the access links and .1 on the bottleneck.
///
/// - Segment 0: its first cell reaches the port at 10.001 and is sent at once; the twelfth has left at 11.201, is at the second
///   switch at 21.201 and at the receiver at 31.202. The two cells of the acknowledgment reach the second switch at 41.203 and
///   .204, have crossed the slow link at 51.403, and are at the sender at 61.404.
/// - The first loss: the 24 cells of segments 3 and 4 reach the port from 132.809 on, 13 are gone when segment 5 comes at 134.009,
///   so 11 wait. The buffer of 30 is full 19 cells later; the next, the eighth cell of segment 6, is lost at 134.028.
/// - The timeout: round trips within a tick give 3 ticks (srtt 1, rttvar 1/2). The timer was last started at 186.612, when 2 ticks
///   had passed (those at 0 and 100), so it expires at the fifth, 400.
/// - Then ssthresh is 7 / 2, and everything from segment 6 on is retransmitted, until at 522.808 the receiver, which had kept 8 and 9,
///   acknowledges them too. At 585.412 the window of 4 exceeds the threshold and grows by 1/4.
#[test]
fn a_vanilla_connection_loses_times_out_goes_back_and_grows_again() {
    let text = r#"
schema_version = 1
duration = "760 ms"
topology = { kind = "n-source", sources = 1, access = { rate = "424 Mbit/s", delay = "10 ms" }, bottleneck = { rate = "4.24 Mbit/s", delay = "10 ms" } }
port = { buffer = "30 cells", policy = "tail-drop", arrival_order = "first-come-first-served" }
tcp = { flavor = "vanilla", mss = "512 B", receiver_window = "4096 B", out_of_order = "keep" }
"#;
    assert_as_expected("trajectories/vanilla.txt", &table(&scenario(text)));
}

/// Checked by hand, in ms: the port admits cells at the end of slots of .1 and then sends one.
///
/// - The first acknowledgment comes .099 later than that of the vanilla connection: the first cell waits for its slot's end at
///   10.1. The second connection's data waits for the 12 cells of the first, 1.2.
/// - Of the segments sent at 123.003 to 126.603, the port finds X = 0 and 12 (connection 1, segments 3 and 4, in the slot that ends
///   at 133.1), 12 and 24 (134.3), 24 and 36 (135.5; 36 is not above R), 36 and 48 (136.7): only segment 6 of connection 2, the
///   last, is refused, whole.
#[test]
fn two_connections_share_a_port_with_epd() {
    let text = r#"
schema_version = 1
duration = "201 ms"
topology = { kind = "n-source", sources = 2, access = { rate = "424 Mbit/s", delay = "10 ms" }, bottleneck = { rate = "4.24 Mbit/s", delay = "10 ms" } }
port = { buffer = "60 cells", policy = { kind = "epd", threshold = "36 cells" }, arrival_order = "fixed" }
tcp = { flavor = "vanilla", mss = "512 B", receiver_window = "4096 B" }
"#;
    assert_as_expected("trajectories/epd.txt", &table(&scenario(text)));
}
