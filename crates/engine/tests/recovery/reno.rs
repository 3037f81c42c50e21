//! Reno: fast retransmit and fast recovery (T-20, T-21; RFC 2001 section 4; RFC 5681 section 3.2).

use super::bench::Bench;

/// Ten segments in flight, the first lost: nine duplicates.
#[test]
fn a_single_loss_costs_half_the_window_and_no_timeout() {
    let mut bench = Bench::new(10, "flavor = \"reno\"");
    assert_eq!(bench.third_duplicate(), [0]);
    assert_eq!((bench.window(), bench.inflation()), ((5.0, 5.0), 3.0), "ssthresh = cwnd / 2; cwnd = ssthresh + 3");
    // Each further duplicate adds a segment: 9 and 10 do not exceed the ten in flight, 11 and more do.
    assert_eq!([bench.duplicate(), bench.duplicate()], [[0; 0]; 2]);
    assert_eq!([bench.duplicate(), bench.duplicate(), bench.duplicate(), bench.duplicate()], [[10], [11], [12], [13]]);
    // The retransmission is acknowledged: the window is halved, and four segments are in flight.
    assert_eq!(bench.acknowledge(10), [14]);
    assert_eq!((bench.window(), bench.inflation()), ((5.0, 5.0), 0.0));
    let statistics = bench.sender.statistics();
    assert_eq!((statistics.fast_retransmits, statistics.segments_retransmitted, statistics.timeouts), (1, 1, 0));
    // At the threshold the window doubles once more, as in BSD (T-03); beyond, 1 / cwnd segments per acknowledgment.
    bench.acknowledge(11);
    assert_eq!(bench.window().0, 6.0);
    bench.acknowledge(12);
    assert!((bench.window().0 - (6.0 + 1.0 / 6.0)).abs() < 1e-9);
}

/// T-21: without a guard each loss in a window halves it again; with it the second waits for the timer.
#[test]
fn a_second_loss_in_one_window_halves_it_again_unless_a_guard_forbids_it() {
    for (guard, resent, window) in [("false", vec![1], (2.5, 2.5)), ("true", vec![], (5.0, 5.0))] {
        let mut bench = Bench::new(10, &format!("flavor = {{ kind = \"reno\", multiple_loss_guard = {guard} }}"));
        bench.third_duplicate();
        (0..5).for_each(|_| _ = bench.duplicate());
        // Segment 1 is lost too: the acknowledgment of 0 ends the recovery, the duplicates come from 10, 11 and 12.
        assert_eq!(bench.acknowledge(1), [0; 0]);
        assert_eq!(bench.window(), (5.0, 5.0));
        assert_eq!(bench.third_duplicate(), resent, "guard: {guard}");
        assert_eq!(bench.window(), window, "guard: {guard}");
    }
}

#[test]
fn the_window_is_never_inflated_beyond_what_the_receiver_allows() {
    let mut bench = Bench::new(40, "flavor = \"reno\"");
    bench.third_duplicate();
    assert!((0..36).all(|_| bench.duplicate().is_empty()), "40 segments are all that the receiver allows");
    assert_eq!((bench.window().0, bench.inflation()), (20.0, 39.0));
    assert_eq!(bench.acknowledge(40), (40..60).collect::<Vec<_>>());
}

#[test]
fn ns_2_halves_the_window_without_a_minimum_and_grows_it_at_the_end_of_recovery() {
    let settings = "flavor = { kind = \"reno\", grows_at_exit = true }, window_after_loss = \"half\"";
    let mut bench = Bench::new(3, settings);
    // Half of three is 1.5, though the least threshold is two segments.
    assert_eq!(bench.third_duplicate(), [0, 3], "4.5 segments with the inflation");
    assert_eq!((bench.window(), bench.inflation()), ((1.5, 2.0), 3.0));
    assert_eq!(bench.acknowledge(4), [4, 5]);
    assert_eq!(bench.window(), (2.5, 2.0), "below the threshold, so one segment more");
}

/// With such a window ns-2 waits for the timer, which runs although nothing is in flight.
#[test]
fn a_window_below_a_segment_ends_with_a_timeout() {
    let settings = "flavor = \"reno\", window_after_loss = \"half\"";
    let mut bench = Bench::new(1, settings);
    assert_eq!(bench.third_duplicate(), [0, 1, 2]);
    assert_eq!(bench.acknowledge(3), [0; 0], "half a segment fits no segment");
    assert_eq!(bench.window().0, 0.5);
    assert_eq!(bench.expire(), [3]);
    assert_eq!((bench.window().0, bench.sender.statistics().timeouts), (1.0, 1));
}

#[test]
fn a_timeout_ends_the_recovery_and_slow_start_follows() {
    let mut bench = Bench::new(10, "flavor = \"reno\"");
    bench.third_duplicate();
    assert_eq!(bench.expire(), [0]);
    assert_eq!((bench.window().0, bench.inflation()), (1.0, 0.0));
    // Not the end of a recovery, after which the window would not grow.
    assert_eq!(bench.acknowledge(1), [1, 2]);
    assert_eq!(bench.window().0, 2.0);
}

/// T-21: data sent before a timeout is retransmitted, which causes duplicates.
#[test]
fn with_a_guard_duplicates_of_what_was_sent_before_a_timeout_show_no_loss() {
    for (guard, noticed) in [("false", 1), ("true", 0)] {
        let mut bench = Bench::new(10, &format!("flavor = {{ kind = \"reno\", multiple_loss_guard = {guard} }}"));
        bench.expire();
        bench.acknowledge(4);
        bench.third_duplicate();
        assert_eq!(bench.sender.statistics().fast_retransmits, noticed, "guard: {guard}");
    }
}
