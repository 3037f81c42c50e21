//! The laws of [`Asked`] and of `looks_at_circuits`, by which batch service does not ask a policy about cells that it accepts anyway.

use super::Asked;
use super::test_support::Bench;

/// Cells in a buffer of 40 from which on a policy may refuse a packet; `None` if it never does.
fn refuses_from(policy: &str) -> Option<u64> {
    let bench = Bench::with_weights(policy, 40, &[3_000, 1_000]);
    let first = (0..=40).find(|&total| bench.asked(0, total) != Asked::Never);
    let from = first.unwrap_or(u64::MAX);
    let expected = |total| if total >= from { Asked::AtFirst } else { Asked::Never };
    assert!((0..=40).all(|total| bench.asked(0, total) == expected(total)), "{policy}: once is always");
    first
}

#[test]
fn policies_must_be_asked_where_they_may_refuse_a_packet_and_nowhere_else() {
    for (policy, from) in [
        ("\"tail-drop\"", None),
        ("\"partial-packet-discard\"", None),
        // Above R, and not at it.
        ("{ kind = \"epd\", threshold = \"7 cells\" }", Some(8)),
        ("{ kind = \"selective-drop\", threshold = \"7 cells\" }", Some(8)),
        ("{ kind = \"fba\", threshold = \"7 cells\" }", Some(8)),
        ("{ kind = \"weighted-fba\", threshold = \"7 cells\" }", Some(8)),
        // Tagged packets above L.
        ("{ kind = \"double-threshold\", low = \"7 cells\", high = \"9 cells\" }", Some(8)),
        ("{ kind = \"per-vc-double-threshold\", low = \"7 cells\", high = \"9 cells\" }", Some(8)),
        // Below L all is accepted.
        ("{ kind = \"dfba\", low = \"7 cells\", high = \"9 cells\" }", Some(7)),
    ] {
        assert_eq!(refuses_from(policy), from, "{policy}");
    }
}

#[test]
fn about_a_packet_that_was_refused_or_has_lost_a_cell_policies_must_be_asked_always() {
    let mut bench = Bench::with("{ kind = \"epd\", threshold = \"7 cells\" }", 10, 2);
    assert_eq!(bench.cells(0, 20, 0..12), "aaaaaaaaaaor");
    assert_eq!(bench.asked(0, 0), Asked::Always);
    assert_eq!(bench.cells(1, 3, 0..2), "xx");
    assert_eq!(bench.asked(1, 0), Asked::Always);
}

#[test]
fn a_policy_that_says_so_is_never_asked_whatever_has_happened() {
    let mut bench = Bench::with("\"tail-drop\"", 10, 2);
    assert!(!bench.is_ever_asked());
    assert_eq!(bench.cells(0, 20, 0..12), "aaaaaaaaaaoo");
    assert_eq!(bench.asked(0, 9), Asked::Never);
    for policy in ["\"partial-packet-discard\"", "{ kind = \"epd\", threshold = \"7 cells\" }"] {
        assert!(Bench::with(policy, 10, 2).is_ever_asked(), "{policy}");
    }
}

/// Cells in a buffer of 40 from which on a policy looks at whose they are; `None` if it never does.
fn looks_from(policy: &str) -> Option<u64> {
    let bench = Bench::with_weights(policy, 40, &[3_000, 1_000]);
    let first = (0..=40).find(|&total| bench.looks_at_circuits(total));
    let from = first.unwrap_or(u64::MAX);
    assert!((0..=40).all(|total| bench.looks_at_circuits(total) == (total >= from)), "{policy}: once is always");
    first
}

#[test]
fn policies_look_at_circuits_where_their_rule_names_them_and_nowhere_else() {
    for (policy, from) in [
        ("\"tail-drop\"", None),
        ("\"partial-packet-discard\"", None),
        ("{ kind = \"epd\", threshold = \"7 cells\" }", None),
        ("{ kind = \"double-threshold\", low = \"7 cells\", high = \"9 cells\" }", None),
        // Above R, and not at it.
        ("{ kind = \"selective-drop\", threshold = \"7 cells\" }", Some(8)),
        ("{ kind = \"fba\", threshold = \"7 cells\" }", Some(8)),
        ("{ kind = \"weighted-fba\", threshold = \"7 cells\" }", Some(8)),
        ("{ kind = \"per-vc-double-threshold\", low = \"7 cells\", high = \"9 cells\" }", Some(8)),
        // Below L all is accepted.
        ("{ kind = \"dfba\", low = \"7 cells\", high = \"9 cells\" }", Some(7)),
    ] {
        assert_eq!(looks_from(policy), from, "{policy}");
    }
}
