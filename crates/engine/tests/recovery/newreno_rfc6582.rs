//! NewReno of RFC 6582: window arithmetic of section 3.2.

use super::bench::{Bench, ms};

/// Ten segments in flight, 0 and 4 lost; eight duplicates.
fn in_recovery(settings: &str) -> Bench {
    let mut bench = Bench::new(10, settings);
    // Step 2 and RFC 5681 section 3.2: ssthresh = flight / 2, cwnd = ssthresh + 3.
    assert_eq!(bench.third_duplicate(), [0]);
    assert_eq!((bench.window(), bench.inflation()), ((5.0, 5.0), 3.0));
    let sent: Vec<_> = (0..5).map(|_| bench.duplicate()).collect();
    assert_eq!(sent, [vec![], vec![], vec![10], vec![11], vec![12]]);
    bench
}

/// Step 3: "deflate the congestion window by the amount of new data acknowledged [...]; if the partial ACK acknowledges at
/// least one SMSS of new data, then add back SMSS bytes".
#[test]
fn a_partial_acknowledgment_deflates_the_window_by_what_it_acknowledges_less_a_segment() {
    let mut bench = in_recovery("flavor = \"newreno-rfc6582\"");
    // 13 segments, less 4, plus 1: ten from segment 4 on, of which nine are in flight.
    assert_eq!(bench.acknowledge(4), [4, 13]);
    assert_eq!(bench.window().0 + bench.inflation(), 10.0);
    assert_eq!(bench.window().1, 5.0);
    assert_eq!(bench.duplicate(), [14]);
}

/// Step 3, full acknowledgment: min(ssthresh, max(FlightSize, SMSS) + SMSS), or ssthresh.
#[test]
fn a_full_acknowledgment_leaves_the_threshold_or_no_more_than_a_segment_beyond_what_is_under_way() {
    // 13 segments were sent. All acknowledged: max(0, 1) + 1; all but two: 2 + 1; none beyond RECOVER: 5 at most.
    for (acknowledged, limited) in [(13, 2.0), (11, 3.0), (10, 4.0)] {
        let mut bench = in_recovery("flavor = \"newreno-rfc6582\"");
        bench.acknowledge(acknowledged);
        assert_eq!((bench.window(), bench.inflation()), ((limited, 5.0), 0.0), "acknowledged: {acknowledged}");
        let mut bench = in_recovery("flavor = { kind = \"newreno-rfc6582\", exit_window = \"threshold\" }");
        bench.acknowledge(acknowledged);
        assert_eq!(bench.window(), (5.0, 5.0), "acknowledged: {acknowledged}");
    }
}

/// Step 1: three duplicates show a loss only if the acknowledgment "covers more than recover", the careful variant.
#[test]
fn duplicates_below_recover_show_no_loss() {
    let mut bench = in_recovery("flavor = \"newreno-rfc6582\"");
    bench.expire();
    assert_eq!(bench.sender.statistics().timeouts, 1);
    // Step 4 of section 3.2: recover is now the highest sent, 13.
    bench.acknowledge(13);
    (0..3).for_each(|_| _ = bench.duplicate());
    assert_eq!(bench.sender.statistics().fast_retransmits, 1, "13 covers recover, and not more");
    bench.acknowledge(14);
    (0..3).for_each(|_| _ = bench.duplicate());
    assert_eq!(bench.sender.statistics().fast_retransmits, 2);
}

/// Section 4: the first partial acknowledgment resets the timer, and later ones do not.
#[test]
fn the_retransmission_timer_is_impatient() {
    let mut bench = in_recovery("flavor = \"newreno-rfc6582\", timer_phase = \"from-start\"");
    bench.wait_until(ms(149));
    bench.acknowledge(4);
    assert_eq!(bench.sender.expires(), Some(ms(3150)));
    bench.wait_until(ms(249));
    bench.acknowledge(6);
    assert_eq!(bench.sender.expires(), Some(ms(3150)));
}
