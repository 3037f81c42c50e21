//! Rejected settings of jitter and reordering.

use super::complaints_with;

const PACKETS: [(&str, &str); 3] =
    [("framing", "packet"), ("port.buffer", "100 packets"), ("port.policy", "tail-drop")];

#[track_caller]
fn assert_complaint(overrides: &[(&str, &str)], line: &str, words: &str) {
    let lines = format!("[{{ at = 'bottleneck', {line} }}]");
    let problems = complaints_with(&[overrides, &[("lines", &lines)]].concat());
    assert!(problems.len() == 1 && problems[0].contains(words), "{problems:?} does not say {words}");
}

#[test]
fn cells_keep_their_order() {
    for (line, key) in [
        ("jitter = '1 ms'", "lines[0].jitter"),
        ("reordering = { kind = 'random', share = 0.1, extra = '1 ms' }", "lines[0].reordering"),
    ] {
        let words = "is for packets that travel whole, and framing \"aal5\" has cells, which keep their order; write framing = \"packet\"";
        assert_complaint(&[], line, &format!("{key}: {words}"));
    }
}

#[test]
fn a_distribution_and_lanes_say_what_would_be_right() {
    for (line, words) in [
        ("jitter = 'normal(1 ms)'", "lines[0].jitter: expected two values in parentheses"),
        ("jitter = 'gauss(1 ms, 1 ms)'", "unknown distribution \"gauss\"; expected uniform(LOW, HIGH)"),
        ("jitter = '61 s'", "\"61 s\" is too long; at most 60 s"),
        ("order = 'fre'", "lines[0].order: unknown choice \"fre\"; known: \"fifo\", \"free\""),
        (
            "reordering = { kind = 'lanes', delays = [] }",
            "lines[0].reordering.delays: 0 lanes; expected the delays of 1 to 1000",
        ),
        (
            "reordering = { kind = 'netem', delay = '1 ms', gap = 0 }",
            "lines[0].reordering.gap: expected a whole number from 1",
        ),
        ("reordering = 'netm'", "lines[0].reordering: unknown reordering \"netm\""),
    ] {
        assert_complaint(&PACKETS, line, words);
    }
}
