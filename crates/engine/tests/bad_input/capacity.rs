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

const SHARED: &str = "{ kind = 'shared', link = 'up' }";

/// A return link of 10 Mbit/s with more settings.
fn links(more: &str) -> String {
    format!("[{{ name = 'up', rate = '10 Mbit/s'{more} }}]")
}

#[test]
fn a_return_link_must_exist_once() {
    for (links, words) in [
        ("[]", "capacity.link: no return link \"up\"; write return_links = [{ name = \"up\", rate = \"10 Mbit/s\" }]"),
        (
            "[{ name = 'upp', rate = '1 Mbit/s' }]",
            "capacity.link: no return link \"up\"; known: \"upp\"; did you mean \"upp\"?",
        ),
        (
            "[{ name = 'up', rate = '1 Mbit/s' }, { name = 'up', rate = '2 Mbit/s' }]",
            "return_links[1].name: the return link \"up\" is listed twice; rename one",
        ),
        ("[{ name = 'up' }]", "return_links[0].rate: missing; expected"),
    ] {
        let problems = complaints_with(&[&PACKETS[..], &[("capacity", SHARED), ("return_links", links)]].concat());
        assert!(problems.len() == 1 && problems[0].contains(words), "{problems:?} does not say {words}");
    }
}

#[test]
fn frames_slots_and_access_of_a_return_link_have_limits() {
    for (more, words) in [
        (", frame = '1 us'", "return_links[0].frame: must be at least 1 ms"),
        (", frame = '1 ms', response = '60 s'", "return_links[0].frame: 60 s are more than 10000 frames of 1 ms"),
        (
            ", frame = '10 ms', slot_bytes = 20000",
            "return_links[0].slot_bytes: a frame of 10 ms at 10000000 bit/s carries 12500 bytes, and no slot of 20000",
        ),
        (", slot_bytes = 9007199254740992", "and no slot of 9007199254740992"),
        (", scheduler = 'round-robin'", "unknown return link scheduler \"round-robin\"; known: \"proportional\""),
        (
            ", access = { kind = 'slotted-aloha', slots = 5000 }",
            "return_links[0].access.slots: 5000 slots for requests in a frame; at most 4096",
        ),
        (
            ", access = { kind = 'crdsa', slots = 2, replicas = 3 }",
            "return_links[0].access.replicas: 3 copies; at most 16, and no more than the 2 slots that they are in",
        ),
        (
            ", access = { kind = 'crdsa', replicas = 100000, slots = 100000 }",
            "access.replicas: 100000 copies; at most 16",
        ),
    ] {
        assert_complaint(&[&PACKETS[..], &[("capacity", SHARED), ("return_links", &links(more))]].concat(), words);
    }
}

#[test]
fn a_terminal_has_no_more_than_its_line_and_all_of_them_no_more_than_the_link() {
    for (capacity, more, words) in [
        (
            "{ kind = 'shared', link = 'up', cra = '11 Mbit/s' }",
            "",
            "capacity.cra: 11000000 bit/s are more than the line can have of return link \"up\": 10000000 bit/s",
        ),
        // A slot of 200 kB in 10 ms.
        (
            SHARED,
            ", rate = '1 Gbit/s', frame = '10 ms', slot_bytes = 200000",
            "capacity.link: a slot of return link \"up\" takes 160000000 bit/s, and the line has 155520000",
        ),
        (
            "{ kind = 'shared', link = 'up', weight = 0 }",
            "",
            "capacity.weight: expected a whole number from 1 to 100000",
        ),
        ("{ kind = 'shared', link = 'up', rbdc_timeout_frames = 0 }", "", "capacity.rbdc_timeout_frames: expected"),
        ("{ kind = 'shared' }", "", "capacity.link: missing; expected a text"),
    ] {
        let links = if more.contains("rate") { format!("[{{ name = 'up'{more} }}]") } else { links(more) };
        assert_complaint(&[&PACKETS[..], &[("capacity", capacity), ("return_links", &links)]].concat(), words);
    }
    let half = "{ kind = 'shared', link = 'up', cra = '6 Mbit/s' }";
    let lines = format!("[{{ at = 'bottleneck*', capacity = {half} }}]");
    assert_complaint(
        &[&PACKETS[..], &[("lines", &lines), ("return_links", &links(""))]].concat(),
        "lines[0].capacity.cra: the constant rates of its 2 terminals are more than return link \"up\" has: 10000000 bit/s",
    );
}

#[test]
fn a_name_with_an_asterisk_that_matches_nothing_is_no_line() {
    assert_complaint(
        &[&PACKETS[..], &[("lines", "[{ at = 'terminal *', jitter = '1 ms' }]")]].concat(),
        "no line \"terminal *\"",
    );
    let twice = "[{ at = '*back', jitter = '1 ms' }, { at = '*back', jitter = '2 ms' }]";
    assert_complaint(&[&PACKETS[..], &[("lines", twice)]].concat(), "lines[1].at: the line \"*back\" is listed twice");
    let hosts = format!("[{{ at = '* to *', capacity = {SHARED} }}]");
    assert_complaint(
        &[&PACKETS[..], &[("lines", &hosts), ("return_links", &links(""))]].concat(),
        "lines[0].capacity: \"shared\" is for a switch that asks for what waits at its port",
    );
}
