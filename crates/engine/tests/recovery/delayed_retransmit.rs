//! Retransmission half a round trip after the third duplicate (T-44, Task 7 of the project's final report).

use longfat_engine::units::Span;

use super::bench::{Bench, ms};

/// A bench with a measured round trip of 80 ms, of segment 0. Segments 1 to 11 are in flight.
fn measured(flavor: &str) -> Bench {
    let mut bench = Bench::new(10, &format!("flavor = \"{flavor}\", delayed_retransmit = true"));
    bench.wait_until(ms(79));
    assert_eq!(bench.acknowledge(1), [10, 11]);
    assert_eq!(bench.sender.round_trip(), Some(Span::from_microseconds(80_000)));
    bench
}

#[test]
fn the_lost_segment_goes_half_a_round_trip_late_and_nothing_before_it() {
    for flavor in ["tahoe", "reno", "newreno", "newreno-rfc6582", "sack", "sack-rfc6675"] {
        let mut bench = measured(flavor);
        // Third duplicate at 83 ms. The window is halved at once.
        (2..5).for_each(|end| _ = bench.report(1, &[(2, end + 1)]));
        assert_eq!(bench.sender.statistics().fast_retransmits, 1, "{flavor}");
        assert_eq!(bench.window().1, 5.5, "{flavor}: half of eleven");
        // Further duplicates meanwhile send nothing.
        assert!((5..11).all(|end| bench.report(1, &[(2, end + 1)]).is_empty()), "{flavor}");
        assert_eq!(bench.sender.expires(), Some(ms(83 + 40)), "{flavor}");
        assert!(!bench.sender.times_out_next(), "{flavor}");
        assert_eq!(bench.expire()[0], 1, "{flavor}");
        assert_eq!(bench.now(), ms(123));
        assert_eq!(bench.sender.statistics().timeouts, 0, "{flavor}");
    }
}

#[test]
fn an_acknowledgment_of_new_data_ends_the_wait() {
    let mut bench = measured("reno");
    assert_eq!(bench.third_duplicate(), [0; 0]);
    // It was late and not lost: nothing is retransmitted.
    assert_eq!(bench.acknowledge(12), [12, 13, 14, 15, 16]);
    assert_eq!(bench.sender.statistics().segments_retransmitted, 0);
}

#[test]
fn a_timeout_ends_the_wait_too() {
    // Ticks at the multiples of 100 ms: 83 ms + 40 ms is before any; the timer is set to run out first by a round trip of 10 s.
    let mut bench = Bench::new(
        10,
        "flavor = \"reno\", delayed_retransmit = true, \
         retransmission_timeout = { kind = \"bsd-integer\", maximum = \"1 s\" }",
    );
    bench.wait_until(ms(9_999));
    bench.acknowledge(1);
    assert_eq!(bench.third_duplicate(), [0; 0]);
    assert!(bench.sender.times_out_next());
    assert_eq!(bench.expire(), [1]);
    assert_eq!((bench.now(), bench.sender.statistics().timeouts), (ms(11_000), 1));
    // Half a round trip after the third duplicate nothing more happens: the timer is doubled (but limited to 1 s).
    assert_eq!(bench.sender.expires(), Some(ms(12_000)));
}
