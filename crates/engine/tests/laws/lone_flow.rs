//! One connection on an idle path, worked by hand to the picosecond.
//!
//! At 424 Mbit/s a cell of 424 bits takes exactly 1 us; every link is 1 ms long. A full segment is 12 cells, an
//! acknowledgment 2 (UBR+ section 3.2), and switches forward cell by cell, so only the first link costs a packet its
//! whole transmission time:
//!
//! | | us |
//! |---|---|
//! | data: 12 cells on the first link, the last one again on two more, three links | 12 + 2 + 3000 = 3014 |
//! | acknowledgment: 2 cells, the last one again on two more, three links | 2 + 2 + 3000 = 3004 |
//! | round trip of a segment | 6018 |

use longfat_engine::scenario::Scenario;
use longfat_engine::units::{CellSlots, Rate, TransmissionTime};

use crate::support::n_source;
use crate::support::tape::{Happening, run_taped};

const MICROSECOND: u64 = 1_000_000;
const SEGMENT_TIME: u64 = 12 * MICROSECOND;
const ONE_WAY: u64 = 3014 * MICROSECOND;
const ROUND_TRIP: u64 = 6018 * MICROSECOND;

/// Segments in the window of `flow`: 1024, more than the 501.5 that a round trip holds.
const WINDOW_BYTES: u64 = 1024 * 512;

fn flow(duration: &str, arrival_order: &str, initial_ssthresh: &str) -> Scenario {
    let rest = format!(
        "port = {{ buffer = \"unlimited\", arrival_order = \"{arrival_order}\" }}
tcp = {{ mss = \"512 B\", receiver_window = \"{WINDOW_BYTES} B\", initial_ssthresh = \"{initial_ssthresh}\", \
         slow_start_at_ssthresh = true, window_arithmetic = \"floating-point\" }}"
    );
    n_source(1, "424 Mbit/s", "1 ms", duration, &rest)
}

/// Times at which segments are sent, as (picoseconds, segment number).
fn sending_times(scenario: &Scenario) -> Vec<(u64, u64)> {
    let (tape, _) = run_taped(scenario);
    let sent = tape.iter().filter_map(|entry| match entry.what {
        Happening::Sent { segment, .. } => Some((entry.time.0, segment.sequence / 512)),
        _ => None,
    });
    sent.collect()
}

/// Slow start by hand: round r begins at r round trips; its acknowledgments arrive a segment's transmission time apart, one for each of the
/// 2^(r - 1) segments of the previous round, and each releases two segments (T-02: one for the segment acknowledged, one for the growth of
/// the window).
fn slow_start_by_hand(rounds: u64, round_trip: u64) -> Vec<(u64, u64)> {
    let mut times = vec![(0, 0)];
    for round in 1..rounds {
        for acknowledgment in 0..1 << (round - 1) {
            let time = round * round_trip + acknowledgment * SEGMENT_TIME;
            let first = times.len() as u64;
            times.extend([(time, first), (time, first + 1)]);
        }
    }
    times
}

#[test]
fn slow_start_doubles_the_window_in_each_round_trip() {
    let by_hand = slow_start_by_hand(6, ROUND_TRIP);
    assert_eq!(
        by_hand[..5],
        [(0, 0), (6_018_000_000, 1), (6_018_000_000, 2), (12_036_000_000, 3), (12_036_000_000, 4)]
    );
    let sent = sending_times(&flow("36 ms", "first-come-first-served", "unlimited"));
    assert_eq!(sent, by_hand);
}

#[test]
fn a_slotted_port_keeps_a_cell_until_its_slot_ends() {
    // All arrivals fall on slot boundaries and so begin a slot of 1 us, at whose end they are admitted and sent: 1 us more
    // in each round trip than at a port that takes cells as they come. The cell that arrives as a slot ends belongs to the
    // next, so the buffer never holds two.
    for order in ["seeded-random", "rotating", "alternating", "fixed"] {
        let (_, record) = run_taped(&flow("36 ms", order, "unlimited"));
        assert_eq!(record.metrics.max_queue_cells, 1, "{order}");
        let sent = sending_times(&flow("36 ms", order, "unlimited"));
        assert_eq!(sent, slow_start_by_hand(6, ROUND_TRIP + MICROSECOND), "{order}");
    }
}

#[test]
fn a_lone_flow_fills_the_pipe_from_the_tenth_round_trip_on() {
    // Round r sends 2^r segments of 12 us. Round 9 is the first to last a round trip (512 * 12 = 6144 us > 6018 us), so
    // from 9 * 6018 = 54162 us on the line is never idle, and 2^9 - 1 = 511 segments have been sent before. In 1 s segment
    // 511 + k arrives if 54162 + 12 k + 3014 < 1000000 us, so k <= 78568: 511 + 78569 = 79080 segments are delivered, of
    // the 1000000 / 12 that the line could have carried.
    let (_, record) = run_taped(&flow("1 s", "first-come-first-served", "unlimited"));
    assert_eq!(ONE_WAY + 54_162 * MICROSECOND + 78_568 * SEGMENT_TIME, 999_992 * MICROSECOND);
    assert_eq!(record.flows[0].bytes_delivered, 79_080 * 512);
    assert!((record.metrics.efficiency - 79_080.0 * 12.0 / 1e6).abs() < 1e-12, "{}", record.metrics.efficiency);
    assert_eq!((record.metrics.fairness, record.metrics.timeouts), (1.0, 0));
}

#[test]
fn congestion_avoidance_adds_a_segment_in_each_round_trip() {
    // With a threshold of 8 segments, slow start ends when cwnd passes it: 1, 2, 4, 8 segments, and the first
    // acknowledgment of round 4 still doubles (cwnd <= ssthresh). Later rounds add about one segment each (T-03):
    // 1/cwnd for each of cwnd acknowledgments, always a little less than one.
    let sent = sending_times(&flow("80 ms", "first-come-first-served", "4096 B"));
    let in_round = |round: u64| {
        let range = round * ROUND_TRIP..(round + 1) * ROUND_TRIP;
        sent.iter().filter(|(time, _)| range.contains(time)).count()
    };
    let rounds: Vec<_> = (0..12).map(in_round).collect();
    assert_eq!(rounds, [1, 2, 4, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
}

#[test]
fn cells_of_oc3_are_timed_exactly_though_no_picosecond_divides_them() {
    // 424 bits at 155.52 Mbit/s are 2726337.448... ps. Over three links of 1 ms the last of 12 cells arrives when 12 + 2
    // cell times and 3 ms have passed, rounded down once per link: within 3 ps of the exact time.
    let rest = "port = { buffer = \"unlimited\", arrival_order = \"first-come-first-served\" }";
    let (tape, _) = run_taped(&n_source(1, "155.52 Mbit/s", "1 ms", "10 ms", rest));
    let received =
        tape.iter().find(|entry| matches!(entry.what, Happening::Received { .. })).expect("one segment arrives");
    let exact = 3_000_000_000 + CellSlots(TransmissionTime::of_cell(Rate(155_520_000))).boundary(14).time.0;
    assert_eq!(exact, 3_038_168_724);
    assert!(exact.abs_diff(received.time.0) <= 3, "{} is not {exact}", received.time.0);
}
