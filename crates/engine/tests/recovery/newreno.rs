//! NewReno of 98-0876R1 section 3.1 and ns-2.1b3 (T-22 to T-25).

use super::bench::{Bench, ms};

/// Ten segments in flight, 0 and 4 lost: eight duplicates.
#[test]
fn a_partial_acknowledgment_retransmits_one_segment_and_nothing_else() {
    let mut bench = Bench::new(10, "flavor = \"newreno\"");
    assert_eq!(bench.third_duplicate(), [0]);
    assert_eq!(bench.window(), (5.0, 5.0));
    // T-24: one new packet for every two duplicates after the third, whatever the window.
    let sent: Vec<_> = (0..5).map(|_| bench.duplicate()).collect();
    assert_eq!(sent, [vec![], vec![10], vec![], vec![11], vec![]]);
    // T-22, T-25: RECOVER is 10. The acknowledgment of 0 to 3 shows that 4 is lost.
    assert_eq!(bench.acknowledge(4), [4]);
    assert_eq!((bench.window(), bench.inflation()), ((5.0, 5.0), 0.0), "all inflation is taken back");
    assert_eq!(bench.duplicate(), [12], "the ninth duplicate of the phase, the sixth after the third");
    assert_eq!(bench.duplicate(), [0; 0]);
    // All data sent until the third duplicate is acknowledged: 10 to 12 are in flight, five may be.
    assert_eq!(bench.acknowledge(10), [13, 14]);
    assert_eq!(bench.window(), (5.0, 5.0));
    assert_eq!(bench.sender.statistics().fast_retransmits, 1, "one reduction for both losses");
}

/// T-23: 98-0876R1 resets the timer at each partial acknowledgment; the "impatient" variant at the first alone.
#[test]
fn the_timer_starts_anew_with_each_partial_acknowledgment_or_with_the_first() {
    for (restart, second) in [("each-partial-acknowledgment", 3250), ("first-partial-acknowledgment", 3150)] {
        let settings =
            format!("flavor = {{ kind = \"newreno\", timer_restart = \"{restart}\" }}, timer_phase = \"from-start\"");
        let mut bench = Bench::new(10, &settings);
        bench.third_duplicate();
        bench.wait_until(ms(149));
        assert_eq!(bench.acknowledge(2), [2]);
        assert_eq!(bench.sender.expires(), Some(ms(3150)), "no round trip was measured: 3 s after 150 ms");
        bench.wait_until(ms(249));
        assert_eq!(bench.acknowledge(4), [4]);
        assert_eq!(bench.sender.expires(), Some(ms(second)), "{restart}");
    }
}

/// T-24: the flywheel may be added to the usual inflation, or disabled.
#[test]
fn without_the_flywheel_the_inflated_window_lets_new_data_go() {
    let sent = |flywheel: &str| {
        let mut bench = Bench::new(10, &format!("flavor = {{ kind = \"newreno\", flywheel = \"{flywheel}\" }}"));
        bench.third_duplicate();
        (0..5).map(|_| bench.duplicate()).collect::<Vec<_>>()
    };
    assert_eq!(sent("none"), [vec![], vec![], vec![10], vec![11], vec![12]], "5 + 3 + n segments of window");
    // The fifth and the seventh duplicate send one segment each that the window would not allow.
    assert_eq!(sent("added-to-inflation"), [vec![], vec![10], vec![], vec![11], vec![12]]);
}

#[test]
fn a_partial_acknowledgment_may_deflate_the_window_by_what_it_acknowledges() {
    let settings = "flavor = { kind = \"newreno\", flywheel = \"none\", partial_window = \"deflated\", \
                    new_segments_at_partial_acknowledgment = 2 }";
    let mut bench = Bench::new(10, settings);
    bench.third_duplicate();
    (0..5).for_each(|_| _ = bench.duplicate());
    // RFC 2582: 5 + 8 segments, less the four acknowledged, and one more: 10 from segment 4 on.
    assert_eq!(bench.acknowledge(4), [4, 13]);
    assert_eq!((bench.window().0, bench.inflation()), (5.0, 5.0));
}

/// Forty segments fill the receiver window, 0 and 10 are lost: the inflation by all duplicates would allow ten more.
#[test]
fn no_more_new_segments_follow_a_partial_acknowledgment_than_are_allowed() {
    for (new_segments, sent) in [(0, vec![10]), (2, vec![10, 40, 41]), (20, [10].into_iter().chain(40..50).collect())] {
        let settings = format!(
            "flavor = {{ kind = \"newreno\", flywheel = \"none\", partial_window = \"deflated\", \
             new_segments_at_partial_acknowledgment = {new_segments} }}"
        );
        let mut bench = Bench::new(40, &settings);
        bench.third_duplicate();
        assert!((0..35).all(|_| bench.duplicate().is_empty()));
        assert_eq!(bench.acknowledge(10), sent, "{new_segments}");
    }
}

/// T-22: half of three is 1.5 segments, and the least threshold is two.
#[test]
fn the_window_at_the_end_is_the_threshold_or_no_more_than_a_segment_beyond_what_is_under_way_or_as_it_was() {
    for (exit, window) in [("threshold", 2.0), ("unchanged", 1.5), ("flight-limited", 2.0)] {
        let settings = format!(
            "flavor = {{ kind = \"newreno\", flywheel = \"none\", exit_window = \"{exit}\" }}, window_after_loss = \"half\""
        );
        let mut bench = Bench::new(3, &settings);
        bench.third_duplicate();
        bench.acknowledge(4);
        assert_eq!((bench.window(), bench.inflation()), ((window, 2.0), 0.0), "{exit}");
    }
}
