//! Connections whose application does not always have data, by hand: 8 Mbit/s, so that a byte takes a microsecond, 1 ms on every
//! link, and packets of 40 bytes and their data that travel whole.

use longfat_engine::scenario::Scenario;

use crate::support::n_source;
use crate::support::tape::{Entry, Happening, run_taped};

const MICROSECOND: u64 = 1_000_000;

fn network(traffic: &str, duration: &str) -> Scenario {
    let rest = format!(
        "framing = \"packet\"\nport.buffer = \"unlimited\"
tcp = {{ mss = \"960 B\", receiver_window = \"96000 B\" }}\ntraffic = {{ {traffic} }}"
    );
    n_source(1, "8 Mbit/s", "1 ms", duration, &rest)
}

/// (microseconds, first byte, bytes) of what is sent and received.
fn segments(tape: &[Entry], received: bool) -> Vec<(u64, u64, u64)> {
    let of = |entry: &Entry| match entry.what {
        Happening::Sent { segment, .. } if !received => Some((segment.sequence, segment.length)),
        Happening::Received { sequence, length, .. } if received => Some((sequence, length)),
        _ => None,
    };
    tape.iter().filter_map(|entry| of(entry).map(|(first, bytes)| (entry.time.0 / MICROSECOND, first, bytes))).collect()
}

/// Segment 0 takes 3 * (1000 + 1000) us there, its acknowledgment 3 * (40 + 1000) back: at 9120 segments 1, full, and 2 of
/// 100 bytes, a packet of 140, are sent at once. The large one is at the first switch at 11120, the small one at 11260, and
/// there it waits for the large one to leave at 12120; at the far switch again, from 13260 to 14120; it is received at 15260.
/// Did it not wait there it would be received at 14400.
#[test]
fn a_small_packet_waits_at_every_hop_behind_a_large_one() {
    let (tape, record) = run_taped(&network("kind = \"finite\", size = \"2020 B\"", "30 ms"));
    assert_eq!(segments(&tape, false), [(0, 0, 960), (9_120, 960, 960), (9_120, 1920, 100)]);
    assert_eq!(segments(&tape, true), [(6_000, 0, 960), (15_120, 960, 960), (15_260, 1920, 100)]);
    assert_eq!(record.flows[0].finished_s, Some(0.015_26));
    assert_eq!(record.flows[0].bytes_delivered, 2020);
}

#[test]
fn a_transfer_that_the_run_is_too_short_for_has_no_end() {
    let (_, record) = run_taped(&network("kind = \"finite\", size = \"2020 B\"", "15260 us"));
    assert_eq!(record.flows[0].finished_s, None, "what happens at the end of the run is not part of it");
    let (_, record) = run_taped(&network("kind = \"infinite\"", "15 ms"));
    assert_eq!(record.flows[0].finished_s, None);
}

/// A message of 300 bytes is a packet of 340, received 3 * 1340 us after it was sent.
#[test]
fn messages_go_out_at_their_pace_and_no_further_than_their_count() {
    let traffic = "kind = \"messages\", size = \"300 B\", interval = \"20 ms\", count = 3, start = \"5 ms\"";
    let (tape, record) = run_taped(&network(traffic, "1 s"));
    assert_eq!(segments(&tape, false), [(5_000, 0, 300), (25_000, 300, 300), (45_000, 600, 300)]);
    assert_eq!(segments(&tape, true), [(9_020, 0, 300), (29_020, 300, 300), (49_020, 600, 300)]);
    assert_eq!(record.flows[0].finished_s, Some(0.049_02));
    let (tape, record) = run_taped(&network(&traffic.replace("count = 3, ", ""), "1 s"));
    assert_eq!(segments(&tape, false).len(), 50, "one every 20 ms from 5 to 985 ms");
    assert_eq!(record.flows[0].finished_s, None);
}

#[test]
fn messages_that_find_the_window_closed_share_segments() {
    // A message a millisecond, but the window is one segment until the first acknowledgment, at 7 ms.
    let traffic = "kind = \"messages\", size = \"300 B\", interval = \"1 ms\", count = 10";
    let (tape, record) = run_taped(&network(traffic, "1 s"));
    let sent = segments(&tape, false);
    assert!(sent.len() < 10 && sent.iter().any(|(_, _, bytes)| *bytes == 960), "{sent:?}");
    assert_eq!(sent.iter().map(|(_, _, bytes)| bytes).sum::<u64>(), 3000);
    assert_eq!(record.flows[0].bytes_delivered, 3000);
    assert!(record.flows[0].finished_s.is_some());
}
