//! Limited transmit (RFC 3042).

use super::bench::Bench;

const FLAVORS: [&str; 5] = ["tahoe", "reno", "newreno", "newreno-rfc6582", "sack"];

/// Section 2: each of the first two duplicates releases a new segment, within cwnd + 2 segments, and cwnd does not change.
#[test]
fn the_first_two_duplicates_let_a_new_segment_go_each() {
    for flavor in FLAVORS {
        let mut bench = Bench::new(4, &format!("flavor = \"{flavor}\", limited_transmit = true"));
        let sent = [(1, 2), (1, 3), (1, 4)].map(|block| bench.report(0, &[block]));
        assert_eq!(sent, [vec![4], vec![5], vec![0]], "{flavor}");
        assert_eq!(bench.window().1, 2.0, "{flavor}: half of four");
    }
}

/// RFC 3042 is for small windows: with one of three segments lost, two duplicates arrive, and two more from the new ones.
#[test]
fn a_window_of_three_recovers_without_a_timeout() {
    for (limited, resent) in [("true", vec![0]), ("false", vec![])] {
        let mut bench = Bench::new(3, &format!("flavor = \"reno\", limited_transmit = {limited}"));
        let lets_go = bench.duplicate().len() + bench.duplicate().len();
        let third = if lets_go > 0 { bench.duplicate() } else { vec![] };
        assert_eq!((lets_go, third), (2 * resent.len(), resent), "limited transmit: {limited}");
    }
}

#[test]
fn nothing_goes_beyond_the_receiver_window_or_the_data_or_before_go_back_n_is_through() {
    let mut full = Bench::new(40, "flavor = \"reno\", limited_transmit = true");
    assert_eq!(full.duplicate(), [0; 0], "40 segments are all that the receiver allows");
    let mut short = Bench::with_data(4, 4, "flavor = \"reno\", limited_transmit = true");
    assert_eq!(short.duplicate(), [0; 0], "there is no new data");
    let mut back = Bench::new(4, "flavor = \"reno\", limited_transmit = true");
    assert_eq!(back.expire(), [0]);
    assert_eq!(back.duplicate(), [0; 0], "segments 1 to 3 come first");
}
