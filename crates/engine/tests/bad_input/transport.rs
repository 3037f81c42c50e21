//! Rejected settings of end systems.

use super::{SOUND, assert_refused, complaints, complaints_with};

#[test]
fn blocks_that_have_no_room_in_a_segment_are_refused() {
    for blocks in ["0", "5"] {
        assert_refused(
            "tcp.sack_blocks",
            blocks,
            &["have no room", "1 to 4 do, or 3 beside timestamps", "RFC 2018 section 3"],
        );
    }
    assert_refused("tcp.sack_blocks", "many", &["a whole number from 1 to 4", "many"]);
    for flavor in ["sack", "sack-rfc6675"] {
        let four = [("tcp.flavor", flavor), ("tcp.timestamps", "true"), ("tcp.sack_blocks", "4")];
        let problems = complaints_with(&four);
        assert_eq!(
            problems,
            [
                "--set tcp.sack_blocks=4: tcp.sack_blocks: 4 blocks have no room beside timestamps; at most 3 (RFC 2018 section 3)"
            ]
        );
    }
}

#[test]
fn a_growth_of_the_receiver_window_that_is_no_size_is_refused_with_both_that_it_may_be() {
    let growth = ("tcp.acknowledgments", "{ kind = \"linux\", growth = \"much\" }");
    let problems = complaints_with(&[growth]);
    assert_eq!(problems.len(), 1, "{problems:?}");
    for part in ["growth", "\"to-receiver-window\" or a size with its unit", "found the text \"much\""] {
        assert!(problems[0].contains(part), "{}", problems[0]);
    }
}

#[test]
fn a_flavor_that_needs_reports_is_refused_with_a_receiver_that_discards() {
    let text = format!("{SOUND}[tcp]\nflavor = \"sack\"\nout_of_order = \"discard\"\n");
    let expected = "sack.toml:8:16: tcp.out_of_order: a receiver that discards has nothing to report, and flavor \"sack\" needs \
                    its reports; write \"keep\"";
    assert_eq!(complaints(text.as_bytes(), "sack.toml"), [expected]);
}

#[test]
fn a_window_scale_that_is_too_large_or_too_small_is_refused() {
    assert_refused(
        "tcp.window_scale",
        "15",
        &["a window scale of 15 is too large; at most 14", "RFC 7323 section 2.3"],
    );
    assert_refused("tcp.window_scale", "-1", &["\"automatic\"", "a whole number from 0 to 14", "the number -1"]);
    // 600000 B need a scale of 4 (65535 << 4 = 1048560); with 3, 524280 B can be advertised.
    let problems = complaints_with(&[("tcp.receiver_window", "600000 B"), ("tcp.window_scale", "3")]);
    let expected = "--set tcp.window_scale=3: tcp.window_scale: a receiver window of 600000 B needs a window scale of 4; with 3 at most \
                    524280 B can be advertised";
    assert_eq!(problems, [expected]);
    // 600 >> 9 << 9 is 512, and 511 >> 9 is nothing.
    let problems =
        complaints_with(&[("tcp.receiver_window", "1000 B"), ("tcp.mss", "600 B"), ("tcp.window_scale", "9")]);
    let expected = "a window scale of 9 leaves 512 of 1000 B, which cannot hold one segment of 600 B";
    assert!(problems.len() == 1 && problems[0].contains(expected), "{problems:?}");
}

#[test]
fn a_least_timeout_above_the_largest_is_refused() {
    for (kind, minimum, maximum) in [("rfc-6298", "90 s", "60 s"), ("linux", "130 s", "120 s")] {
        let estimator = format!("{{ kind = \"{kind}\", minimum = \"{minimum}\" }}");
        let problems = complaints_with(&[("tcp.retransmission_timeout", &estimator)]);
        let expected = format!("tcp.retransmission_timeout.minimum: {minimum} is more than maximum, {maximum}");
        assert!(problems.len() == 1 && problems[0].ends_with(&expected), "{problems:?}");
    }
}

#[test]
fn an_initial_window_that_is_no_window_is_refused() {
    let words = ["a number of segments such as \"10 MSS\", or a size with its unit"];
    for nonsense in ["0 MSS", "-3 MSS", "many MSS", "1.5 MSS", "2000000 MSS"] {
        assert_refused("tcp.initial_window", nonsense, &[words[0], nonsense]);
    }
    assert_refused("tcp.initial_window", "10", &["10", "with its unit"]);
    assert_refused("tcp.initial_window", "511 B", &["smaller than one segment", "at least 512 B, or \"1 MSS\""]);
    assert_refused("tcp.initial_window", "0 B", &["must be more than zero"]);
}

#[test]
fn a_parameter_of_another_flavor_is_refused_with_those_that_there_are() {
    let problems = complaints_with(&[("tcp.flavor.kind", "reno"), ("tcp.flavor.flywheel", "none")]);
    let expected = "unknown key; known: \"multiple_loss_guard\", \"grows_at_exit\"";
    assert!(problems.len() == 1 && problems[0].contains(expected), "{problems:?}");
}

#[test]
fn a_high_speed_tcp_that_is_none_is_refused_where_it_is_chosen() {
    for (key, value, words) in [
        ("high_window", "38", "38 segments are not above low_window, 38 segments; write more"),
        (
            "high_loss_rate",
            "0.001",
            "0.001 is not below 9.972e-4, the loss rate of low_window, 38 segments; write less",
        ),
        ("high_decrease", "0.6", "0.6 is more than the half that a loss takes of small windows; write at most 0.5"),
    ] {
        let flavor = format!("{{ kind = \"high-speed\", {key} = {value} }}");
        let of_all = complaints_with(&[("tcp.flavor", &flavor)]);
        assert_eq!(of_all, [format!("--set tcp.flavor={flavor}: tcp.flavor.{key}: {words}")]);
        let group = format!("[{{ flavor = {flavor} }}]");
        let of_group = complaints_with(&[("connections", &group)]);
        assert_eq!(of_group, [format!("--set connections={group}: connections[0].flavor.{key}: {words}")]);
    }
}

#[test]
fn an_illinois_that_grows_faster_with_longer_queues_is_refused_where_it_is_chosen() {
    for (key, value, words) in [
        ("least_increase", "20", "20 is above most_increase, 10; write less"),
        ("least_decrease", "0.6", "0.6 is above most_decrease, 0.5; write less"),
        ("empty_delay", "0.2", "0.2 is above short_delay, 0.1; write less"),
        ("short_delay", "0.9", "0.9 is above long_delay, 0.8; write less"),
    ] {
        let flavor = format!("{{ kind = \"illinois\", {key} = {value} }}");
        let problems = complaints_with(&[("tcp.flavor", &flavor)]);
        assert_eq!(problems, [format!("--set tcp.flavor={flavor}: tcp.flavor.{key}: {words}")]);
    }
}
