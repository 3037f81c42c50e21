//! Tahoe (Jacobson 1988; Fall and Floyd 1996 section 2).

use super::bench::Bench;

#[test]
fn the_third_duplicate_brings_slow_start_from_the_lost_segment_on() {
    let mut bench = Bench::new(10, "flavor = \"tahoe\"");
    assert_eq!(bench.third_duplicate(), [0]);
    assert_eq!(bench.window(), (1.0, 5.0), "one segment; half of ten");
    assert_eq!(bench.duplicate(), [0; 0], "a fourth duplicate causes nothing");
    // Segment 1 is the only other loss: go-back-N also repeats data that has arrived, until an acknowledgment passes it.
    assert_eq!(bench.acknowledge(1), [1, 2]);
    assert_eq!(bench.acknowledge(10), [10, 11, 12], "three segments under way: one, and one for each acknowledgment");
    assert_eq!(bench.window(), (3.0, 5.0));
    assert_eq!(bench.sender.statistics().timeouts, 0);
}

#[test]
fn without_a_guard_duplicates_that_go_back_n_causes_show_a_loss_and_with_it_they_do_not() {
    for (guard, resent, ssthresh) in [("false", vec![3], 2.0), ("true", vec![], 5.0)] {
        let mut bench = Bench::new(10, &format!("flavor = {{ kind = \"tahoe\", multiple_loss_guard = {guard} }}"));
        bench.third_duplicate();
        bench.acknowledge(3);
        // The receiver has 3 and 4 already: each retransmission causes a duplicate (T-21).
        assert_eq!(bench.third_duplicate(), resent, "guard: {guard}");
        assert_eq!(bench.window().1, ssthresh, "guard: {guard}");
    }
}

/// T-21: a timeout is a loss as well, and go-back-N follows.
#[test]
fn with_a_guard_duplicates_of_what_was_sent_before_a_timeout_show_no_loss() {
    for (guard, noticed) in [("false", 1), ("true", 0)] {
        let mut bench = Bench::new(10, &format!("flavor = {{ kind = \"tahoe\", multiple_loss_guard = {guard} }}"));
        bench.expire();
        bench.acknowledge(4);
        bench.third_duplicate();
        assert_eq!(bench.sender.statistics().fast_retransmits, noticed, "guard: {guard}");
    }
}
