//! Connections with limited data, by hand: 8 Mbit/s, so that a byte takes a microsecond, 1 ms on every link, and whole packets of the data
//! plus 40 bytes.

use longfat_engine::measure::RunRecord;
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

/// Segments sent, or received, as (microseconds, first byte, bytes).
fn segments(tape: &[Entry], received: bool) -> Vec<(u64, u64, u64)> {
    let of = |entry: &Entry| match entry.what {
        Happening::Sent { segment, .. } if !received => Some((segment.sequence, segment.length)),
        Happening::Received { sequence, length, .. } if received => Some((sequence, length)),
        _ => None,
    };
    tape.iter().filter_map(|entry| of(entry).map(|(first, bytes)| (entry.time.0 / MICROSECOND, first, bytes))).collect()
}

/// Segment 0 takes 3 * (1000 + 1000) us there, its acknowledgment 3 * (40 + 1000) back: at 9120, segments 1, full, and 2 of 100 bytes, a
/// packet of 140, are sent back to back. The large one is at the first switch at 11120, the small one at 11260, and it waits there for the
/// large one to leave at 12120; likewise at the far switch, from 13260 to 14120; it is received at 15260. Without this waiting it would be
/// received at 14400.
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

/// Two transfers of the first example here, 50 ms apart. Each begins with one segment, regardless of the previous one, and takes 15.26 ms.
#[test]
fn a_flow_on_a_connection_of_its_own_begins_with_a_new_window() {
    let traffic = "kind = \"flows\", size = { kind = \"fixed\", size = \"2020 B\" }, interval = \"50 ms\", \
                   arrivals = \"evenly-spaced\"";
    let (tape, record) = run_taped(&network(traffic, "100 ms"));
    for (flow, begins) in [(0, 0), (1, 50_000)] {
        let of: Vec<_> = tape.iter().filter(|entry| entry.flow == flow).copied().collect();
        let sent =
            [(0, 0, 960), (9_120, 960, 960), (9_120, 1920, 100)].map(|(at, first, bytes)| (begins + at, first, bytes));
        assert_eq!(segments(&of, false), sent);
    }
    assert_eq!((record.flows.len(), record.flows[0].name.as_str()), (1, "flow 1"), "one sender");
    assert_eq!((record.flows[0].bytes_delivered, record.flows[0].finished_s), (4040, Some(0.065_26)));
    assert_eq!(record.metrics.offered_bps, Some(8.0 * 4040.0 / 0.1));
    assert_completions(&record, 2, 2, 2 * 15_260);
}

/// On a persistent connection the second has a window of four segments from the start. Its last byte waits for 2000 bytes at three hops,
/// and then for its own: 3 * 1000 us of propagation, 1000 + 1000 + 140 us on one line, and 1000 us on each of the others.
#[test]
fn a_flow_on_a_persistent_connection_finds_the_window_of_the_one_before() {
    let traffic = "kind = \"flows\", size = { kind = \"fixed\", size = \"2020 B\" }, interval = \"50 ms\", \
                   arrivals = \"evenly-spaced\", connections = \"persistent\"";
    let (tape, record) = run_taped(&network(traffic, "100 ms"));
    let later: Vec<_> = segments(&tape, false).into_iter().filter(|(at, _, _)| *at >= 50_000).collect();
    assert_eq!(later, [(50_000, 2020, 960), (50_000, 2980, 960), (50_000, 3940, 100)]);
    assert_completions(&record, 2, 2, 15_260 + 7_140);
}

#[test]
fn a_flow_that_is_not_delivered_before_the_end_counts_as_begun() {
    let traffic = "kind = \"flows\", size = { kind = \"fixed\", size = \"2020 B\" }, interval = \"50 ms\", \
                   arrivals = \"evenly-spaced\"";
    for connections in ["one-each", "persistent"] {
        let traffic = format!("{traffic}, connections = \"{connections}\"");
        let (_, record) = run_taped(&network(&traffic, "51 ms"));
        assert_completions(&record, 2, 1, 15_260);
    }
    let (_, record) = run_taped(&network(&format!("{traffic}, start = \"1 s\""), "51 ms"));
    assert_eq!((record.flows.len(), record.flows[0].bytes_delivered), (1, 0), "a sender has a record without any flow");
    assert_completions(&record, 0, 0, 0);
}

/// All flows are of the first of four classes, and each also counts among all flows.
#[track_caller]
fn assert_completions(record: &RunRecord, asked: u64, delivered: u64, microseconds: u64) {
    let record = serde_json::to_value(record).expect("a record is JSON");
    let found = |place: usize| {
        let kind = &record["completions"][place];
        (kind["name"].as_str(), kind["asked"].as_u64(), kind["delivered"].as_u64(), kind["times"]["sum_us"].as_u64())
    };
    let expected = |name| (Some(name), Some(asked), Some(delivered), Some(microseconds));
    assert_eq!([found(0), found(4)], [expected("flow up to 10 kB"), expected("flow")]);
    assert_eq!(found(3), (Some("flow above 1 MB"), Some(0), Some(0), Some(0)));
}

/// A request of 60 bytes at 5 ms reaches its server 3 * (100 + 1000) us later. The server acknowledges it, 40 us on the line, and responds
/// with 2020 bytes: 960 of them arrive 3 * (1000 + 1000) us after that, their acknowledgment takes 3 * (40 + 1000) us, and then 960 and 100
/// follow as in the first example here. From the request to the last byte 18.6 ms.
#[test]
fn a_request_travels_to_the_server_which_acknowledges_it_and_answers_at_once() {
    let traffic = "kind = \"www\", request = \"60 B\", kilobyte = \"2020 B\", classes = [{ probability = 1, unit = 1 }], \
                   file_size = { most = 1 }, requests = { most = 1 }, spacing = \"5 ms\", interval = \"1 s\"";
    let (tape, record) = run_taped(&network(traffic, "30 ms"));
    let of = |flow| tape.iter().filter(|entry| entry.flow == flow).copied().collect::<Vec<_>>();
    let (answers, requests) = (of(0), of(1));
    assert_eq!(segments(&requests, false), [(5_000, 0, 60)]);
    assert_eq!(segments(&requests, true), [(8_300, 0, 60)]);
    assert_eq!(segments(&answers, false), [(8_300, 0, 960), (17_460, 960, 960), (17_460, 1920, 100)]);
    assert_eq!(segments(&answers, true), [(14_340, 0, 960), (23_460, 960, 960), (23_600, 1920, 100)]);
    let acknowledged = requests.iter().find(|entry| matches!(entry.what, Happening::Acknowledged { next: 60, .. }));
    assert_eq!(acknowledged.map(|entry| entry.time.0 / MICROSECOND), Some(8_300 + 3 * 1040));
    let record = serde_json::to_value(record).expect("a record is JSON");
    for (kind, name) in [(0, "class 0"), (1, "page")] {
        let completion = &record["completions"][kind];
        assert_eq!((completion["name"].as_str(), completion["delivered"].as_u64()), (Some(name), Some(1)));
        assert_eq!(completion["times"]["sum_us"], 18_600);
    }
}

/// The client opens the connection: 3 * (52 + 1000) us there and back, and its request waits for that. The server opens nothing.
#[test]
fn with_a_handshake_the_client_opens_the_connection_and_the_server_answers_on_it() {
    let rest = "framing = \"packet\"\nport.buffer = \"unlimited\"
tcp = { mss = \"960 B\", receiver_window = \"96000 B\", handshake = true }
traffic = { kind = \"www\", request = \"60 B\", first_request_waits = false }";
    let (tape, record) = run_taped(&n_source(1, "8 Mbit/s", "1 ms", "30 ms", rest));
    let opening = |entry: &&Entry| matches!(entry.what, Happening::Sent { segment, .. } if segment.synchronize);
    let opened: Vec<_> = tape.iter().filter(opening).map(|entry| (entry.flow, entry.time.0)).collect();
    assert_eq!(opened, [(1, 0)]);
    let first_request = segments(&tape, false).into_iter().find(|(_, _, bytes)| *bytes > 0);
    assert_eq!(first_request, Some((6 * 1052, 0, 60)));
    assert!(record.flows[0].bytes_delivered > 0);
}
