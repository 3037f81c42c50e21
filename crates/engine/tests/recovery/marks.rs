//! A sender's response to marks (RFC 3168 section 6.1.2).

use longfat_engine::transport::{Acknowledgment, Segment};

use super::bench::{Bench, ms};

const CLASSIC: &str = "flavor = \"sack-rfc6675\", ecn = \"classic\", initial_ssthresh = \"100 B\"";

/// Acknowledges all segments below `next` and echoes marks; returns the segments sent.
fn echo(bench: &mut Bench, next: u64, marks: u64) -> Vec<Segment> {
    let mut segments = Vec::new();
    let acknowledgment = Acknowledgment { next: 100 * next, marks, ..Acknowledgment::default() };
    bench.sender.acknowledge(ms(next), acknowledgment, &mut segments);
    segments
}

#[test]
fn a_mark_halves_the_window_once_for_a_window_of_data_without_a_retransmission() {
    let mut bench = Bench::new(10, CLASSIC);
    let sent = echo(&mut bench, 1, 1);
    // Nine segments are in flight: half of them becomes the threshold, and the window.
    assert_eq!((bench.window(), sent.len()), ((4.5, 4.5), 0));
    for next in 2..=9 {
        echo(&mut bench, next, 1);
        assert_eq!(bench.window(), (4.5, 4.5), "all was sent before the reduction");
    }
    assert_eq!(bench.sender.statistics().reductions_for_marks, 1);
    assert_eq!(bench.sender.statistics().segments_retransmitted, 0);
}

#[test]
fn the_next_new_segment_announces_the_reduction_and_a_mark_after_it_reduces_again() {
    let mut bench = Bench::new(10, CLASSIC);
    echo(&mut bench, 1, 1);
    let sent: Vec<Segment> = (2..=10).flat_map(|next| echo(&mut bench, next, 1)).collect();
    let announcing: Vec<_> = sent.iter().filter(|segment| segment.reduced).map(|segment| segment.sequence).collect();
    assert_eq!(announcing, [1000], "the first that was sent since");
    // Segment 10 was sent after the reduction, and is marked.
    echo(&mut bench, 11, 1);
    assert_eq!(bench.sender.statistics().reductions_for_marks, 2);
}

#[test]
fn without_marks_the_window_grows_as_ever() {
    let mut with = Bench::new(10, CLASSIC);
    let mut without = Bench::new(10, "flavor = \"sack-rfc6675\", initial_ssthresh = \"100 B\"");
    for next in 1..=10 {
        echo(&mut with, next, 0);
        echo(&mut without, next, 0);
        assert_eq!(with.window(), without.window());
    }
    assert!(with.window().0 > 10.5);
}
