//! Rejected settings of capacity on demand.

use super::{assert_refused, complaints_with};

const PACKETS: [(&str, &str); 3] =
    [("framing", "packet"), ("port.buffer", "100 packets"), ("port.policy", "tail-drop")];

#[track_caller]
fn assert_complaint(overrides: &[(&str, &str)], words: &str) {
    let problems = complaints_with(overrides);
    assert!(problems.len() == 1 && problems[0].contains(words), "{problems:?} does not say {words}");
}

#[test]
fn cells_are_refused_with_what_to_write() {
    assert_complaint(
        &[("capacity", "on-demand")],
        "capacity: \"on-demand\" is for packets that travel whole, and framing \"aal5\" has cells; write framing = \"packet\"",
    );
}

#[test]
fn frames_are_no_shorter_than_a_millisecond_and_no_more_than_ten_thousand_in_a_response() {
    for (capacity, words) in [
        ("{ kind = 'on-demand', frame = '999 us' }", "capacity.frame: must be at least 1 ms"),
        (
            "{ kind = 'on-demand', frame = '1 ms', response = '11 s' }",
            "capacity.frame: 11 s are more than 10000 frames of 1 ms; make frames longer",
        ),
        ("{ kind = 'on-demand', frame = '0 s' }", "capacity.frame: must be more than zero"),
        ("{ kind = 'on-demand', constant_share = 1.5 }", "capacity.constant_share: expected a number from 0 to 1"),
    ] {
        assert_complaint(&[&PACKETS[..], &[("capacity", capacity)]].concat(), words);
    }
}

#[test]
fn other_assignments_are_unknown() {
    assert_refused("capacity", "aloha", &["unknown assignment of capacity \"aloha\"", "\"on-demand\""]);
}
