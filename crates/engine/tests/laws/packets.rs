//! Whole packets by hand: 8 Mbit/s, so that a byte takes a microsecond, and 1 ms on every link.
//!
//! A segment of 960 bytes is a packet of 1000, sent three times on its path, which takes 3 * (1000 + 1000) us; an acknowledgment of 40
//! bytes takes 3 * (40 + 1000) us.

use longfat_engine::measure::RunRecord;
use longfat_engine::scenario::Scenario;

use crate::support::n_source;
use crate::support::tape::{Entry, Happening, run_taped};

const MICROSECOND: u64 = 1_000_000;
const SEGMENT_TIME: u64 = 1000 * MICROSECOND;
const ROUND_TRIP: u64 = (3 * 2000 + 3 * 1040) * MICROSECOND;

fn network(sources: u64, duration: &str, port: &str, rest: &str) -> Scenario {
    let rest = format!(
        "framing = \"packet\"\nport = {{ {port} }}\ntcp = {{ mss = \"960 B\", receiver_window = \"96000 B\" }}\n{rest}"
    );
    n_source(sources, "8 Mbit/s", "1 ms", duration, &rest)
}

fn sending_times(tape: &[Entry]) -> Vec<(u64, u64)> {
    let sent = tape.iter().filter_map(|entry| match entry.what {
        Happening::Sent { segment, .. } => Some((entry.time.0, segment.sequence / 960)),
        _ => None,
    });
    sent.collect()
}

#[test]
fn every_switch_receives_a_packet_whole_before_it_sends_it_on() {
    let (tape, record) = run_taped(&network(1, "40 ms", "buffer = \"unlimited\"", ""));
    // Round r begins at r round trips; its acknowledgments arrive a segment's transmission time apart, and each releases two segments.
    let mut by_hand = vec![(0, 0)];
    for (round, acknowledgments) in [(1, 1), (2, 2), (3, 4), (4, 4)] {
        for acknowledgment in 0..acknowledgments {
            let time = round * ROUND_TRIP + acknowledgment * SEGMENT_TIME;
            let first = by_hand.len() as u64;
            by_hand.extend([(time, first), (time, first + 1)]);
        }
    }
    assert_eq!(ROUND_TRIP, 9120 * MICROSECOND);
    assert_eq!(sending_times(&tape), by_hand);
    // The access line is as fast as the bottleneck: no packet ever queues at the port behind another.
    assert_eq!(record.metrics.max_queue_cells, 1);
    assert_eq!(record.metrics.max_goodput_bps, 8e6 * 960.0 / 1000.0);
}

#[test]
fn a_buffer_counts_packets_and_a_full_one_loses_them_whole() {
    // Two sources send simultaneously, so every second packet finds the other one in transmission and must wait.
    let lossless = |packets: u64| -> RunRecord {
        run_taped(&network(2, "200 ms", &format!("buffer = \"{packets} packets\""), "")).1
    };
    let ample = lossless(400);
    assert_eq!(ample.ports[0].cells_dropped, 0);
    let peak = ample.ports[0].max_queue_cells;
    assert!(peak > 20, "{peak}");
    assert_eq!(lossless(peak).fingerprint, ample.fingerprint, "K packets fit into a buffer of K");
    let small = lossless(peak - 1);
    assert_eq!(small.ports[0].max_queue_cells, peak - 1);
    assert!(small.ports[0].cells_dropped > 0);
    assert_eq!(small.ports[0].cells_dropped, small.ports[0].packets_dropped, "a packet is lost whole");
}

#[test]
fn hops_of_packets_are_counted_on_every_line() {
    // 15 ms: segment 0 crossed three links and so did its acknowledgment; of segments 1 and 2, sent at 9120 us, the first has
    // reached the far switch at 13120 and the second at 14120; the first is at its destination at 15120 only.
    let (_, record) = run_taped(&network(1, "15 ms", "buffer = \"unlimited\"", ""));
    assert_eq!((record.work.packet_hops, record.work.cell_hops), (3 + 3 + 2 + 2, 10));
    // Sent by 15 ms: three packets; the bottleneck was busy for 3 of 15 ms.
    assert!((record.ports[0].utilization - 0.2).abs() < 1e-12, "{}", record.ports[0].utilization);
}
